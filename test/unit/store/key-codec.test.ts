import { describe, expect, test } from 'vitest';
import { createKeyCodec, ESCAPED_PREFIX } from '../../../src/store/key-codec.ts';
import { encodeOrdered } from '../../../src/store/ordered-encoding.ts';

describe('createKeyCodec', () => {
  const codec = createKeyCodec({ nameOrder: 'utf16', maxNameLength: 1024 });

  test.each([
    'photos/2024/ä.jpg',
    'a',
    '/leading',
    '//',
    'a//b',
    'folder/',
    '.hidden',
    '..x',
    'a/.b/c',
    'x y+z%20?#&',
    '日本語',
    '~',
    '~s3',
    '~s3~',
    '~s4~/x',
    'trailing space ',
    'a\u00a0b',
    '\uf900',
    '\ufffd',
    'a'.repeat(1024),
    's/'.repeat(253),
  ])('%j stays as it is', (key) => {
    expect(codec.encode(key)).toEqual({ name: key, region: 'plain', needsTrueKey: false });
    expect(codec.decode(key)).toEqual({ kind: 'key', key, region: 'plain' });
  });

  test.each([
    '.',
    '..',
    '../x',
    'a/../b',
    'a/./b',
    'a/..',
    'a.',
    'a./b',
    'a...',
    'back\\slash',
    'tab\t',
    'line\n',
    'nul\u0000',
    'del\u007f',
    'c1\u0085',
    '\ue000',
    '\uf8ff',
    '\ufdd0',
    '\ufdef',
    '\ufffe',
    '\uffff',
    '\u{1ffff}',
    '\u{1f600}',
    'dir/\u{10000}x',
    '~s3~/',
    '~s3~/a',
    '~s3~/-2e',
  ])('%j is escaped, and comes back', (key) => {
    const name = ESCAPED_PREFIX + encodeOrdered(key);
    expect(codec.encode(key)).toEqual({ name, region: 'escaped', needsTrueKey: false });
    expect(codec.decode(name)).toEqual({ kind: 'key', key, region: 'escaped' });
    expect(codec.isEscapedRegion(name)).toBe(true);
  });

  test('a store that sorts by UTF-8 keeps characters beyond U+FFFF', () => {
    const utf8 = createKeyCodec({ nameOrder: 'utf8', maxNameLength: 1024 });
    expect(utf8.encode('\u{1f600}').region).toBe('plain');
    expect(utf8.encode('\u{1ffff}').region).toBe('escaped');
  });

  test.each([
    '~s3~/',
    '~s3~/a',
    '~s3~/plain/key',
    '~s3~/-2E',
    '~s3~/a b',
    '~s3~/a!',
    '~s3~/\u{1f600}',
    'native\u{1f600}',
    'a/../b',
    'x.',
  ])('native blob %j is hidden: no key has this name', (name) =>
    expect(codec.decode(name)).toEqual({ kind: 'hidden' }),
  );

  test('a store that counts bytes takes no plain name of more bytes', () => {
    const bytes = createKeyCodec({ nameOrder: 'utf8', maxNameLength: 1024, maxNameBytes: 1024 });
    expect(bytes.encode('é'.repeat(512)).region).toBe('plain');
    expect(bytes.encode('\u{1f600}'.repeat(256)).region).toBe('plain');
    for (const key of ['é'.repeat(513), '\u{1f600}'.repeat(257), `${'a'.repeat(1023)}é`]) {
      const { name, region, needsTrueKey } = bytes.encode(key);
      expect([region, needsTrueKey]).toEqual(['escaped', true]);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(1024);
      expect(bytes.decode(name)).toEqual({ kind: 'trueKeyInMetadata' });
      expect(bytes.decode(key)).toEqual({ kind: 'hidden' });
    }
    expect(bytes.prefixes('é'.repeat(513)).plain).toBeUndefined();
    expect(bytes.prefixes('é'.repeat(512)).plain).toBe('é'.repeat(512));
  });

  test('what a service reserves is escaped, for that service only', () => {
    const reserving = createKeyCodec({
      nameOrder: 'utf8',
      maxNameLength: 1024,
      reservedPrefixes: ['.well-known/acme-challenge/'],
    });
    for (const key of ['.well-known/acme-challenge/', '.well-known/acme-challenge/token']) {
      expect(reserving.encode(key)).toEqual({
        name: ESCAPED_PREFIX + encodeOrdered(key),
        region: 'escaped',
        needsTrueKey: false,
      });
      expect(reserving.decode(ESCAPED_PREFIX + encodeOrdered(key))).toEqual({ kind: 'key', key, region: 'escaped' });
      expect(reserving.decode(key)).toEqual({ kind: 'hidden' });
      expect(reserving.prefixes(key)).not.toHaveProperty('plain');
      expect(codec.encode(key).region).toBe('plain');
    }
    for (const key of ['.well-known/acme-challenge', '.well-known/x', 'a/.well-known/acme-challenge/x']) {
      expect(reserving.encode(key).region).toBe('plain');
    }
    expect(reserving.prefixes('.well-known/').plain).toBe('.well-known/');
  });

  test('a key too long once escaped has a hash instead of its end, and says so', () => {
    const key = `${'ü'.repeat(400)}.`;
    const { name, needsTrueKey } = codec.encode(key);
    expect(needsTrueKey).toBe(true);
    expect(name).toHaveLength(1024);
    expect(codec.decode(name)).toEqual({ kind: 'trueKeyInMetadata' });
  });

  test('a listing starts at a name that is no longer than names can be', () => {
    expect(codec.startAt('p'.repeat(3000)).plain).toBe('p'.repeat(1024));
    expect(codec.startAt(`${'p'.repeat(1023)}\u00e4x`).plain).toBe(`${'p'.repeat(1023)}\u00e4`);
    expect(codec.startAt(`${'p'.repeat(1024)}\u0001`).plain).toBe('p'.repeat(1024));
    const bytes = createKeyCodec({ nameOrder: 'utf8', maxNameLength: 1024, maxNameBytes: 1024 });
    expect(bytes.startAt('\u{1f600}'.repeat(300)).plain).toBe('\u{1f600}'.repeat(256));
    expect(bytes.startAt(`p${'\u00e4'.repeat(600)}`).plain).toBe(`p${'\u00e4'.repeat(511)}`);
  });

  test('more segments than the service takes are escaped and cut', () => {
    const key = 's/'.repeat(300);
    const { name, needsTrueKey } = codec.encode(key);
    expect(needsTrueKey).toBe(true);
    expect(name.split('/')).toHaveLength(254);
  });

  test('delimiters that work in escaped names are their own encoding and part of no other', () => {
    const characters = Array.from({ length: 0x800 }, (_, point) => String.fromCodePoint(point));
    for (const delimiter of characters.slice(0, 0x80)) {
      const inOthers = characters.some((other) => other !== delimiter && encodeOrdered(other).includes(delimiter));
      expect(codec.delimiterWorksEscaped(delimiter), delimiter).toBe(
        encodeOrdered(delimiter) === delimiter && !inOthers,
      );
    }
    expect(codec.delimiterWorksEscaped('é')).toBe(false);
    expect(codec.delimiterWorksEscaped('')).toBe(false);
  });
});
