import { describe, expect, it } from 'vitest';
import { visiblePieces } from '../../../../src/admin/page/web/visible-text.ts';

describe('signs for what cannot be seen', () => {
  it.each([
    ['ab', [{ text: 'ab' }]],
    ['a b', [{ text: 'a' }, { text: '·', name: 'space' }, { text: 'b' }]],
    [
      '\t\r\n',
      [
        { text: '→', name: 'tab' },
        { text: '⟨CR⟩', name: 'carriage return' },
        { text: '↵', name: 'line feed' },
      ],
    ],
    ['a\u200b', [{ text: 'a' }, { text: '⟨U+200B⟩', name: 'U+200B' }]],
    ['\u202e', [{ text: '⟨U+202E⟩', name: 'U+202E' }]],
    ['\u0000é😀', [{ text: '⟨U+0000⟩', name: 'U+0000' }, { text: 'é😀' }]],
    ['\ud800', [{ text: '⟨U+D800⟩', name: 'U+D800' }]],
    ['', []],
  ])('%j', (text, pieces) => {
    expect(visiblePieces(text)).toEqual(pieces);
  });
});
