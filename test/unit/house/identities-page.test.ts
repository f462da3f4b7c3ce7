import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/identities.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);

describe('docs/identities.md', () => {
  it.each(blocks('yaml'))('YAML %#', (text) => {
    expect(() => parse(text) as unknown).not.toThrow();
  });
});
