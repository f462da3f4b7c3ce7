import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyCodec, ESCAPED_PREFIX, type KeyCodecOptions } from '../../../src/store/key-codec.ts';
import { compareUtf8, nameComparator } from '../../../src/store/name-order.ts';
import { encodeOrdered } from '../../../src/store/ordered-encoding.ts';
import { anyKey, anyText, twoTexts } from './arbitrary-keys.ts';

const RUNS = { numRuns: 3000 };

interface Rules {
  readonly utf16: boolean;
  readonly maxLength: number;
  readonly maxBytes: number;
  readonly maxSegments: number;
  readonly reserved: readonly string[];
}

/** The rules once more, written differently: by code point, segment and length. */
function isHazardous(key: string, rules: Rules): boolean {
  const points = Array.from(key, (character) => character.codePointAt(0) ?? 0);
  const bad = (p: number): boolean =>
    p < 0x20 ||
    (p >= 0x7f && p < 0xa0) ||
    p === 0x5c ||
    (p >= 0xe000 && p <= 0xf8ff) ||
    (p >= 0xfdd0 && p <= 0xfdef) ||
    (p & 0xfffe) === 0xfffe ||
    (rules.utf16 && p > 0xffff);
  const segments = key.split('/');
  return (
    points.some(bad) ||
    segments.some((segment) => segment.endsWith('.')) ||
    key.startsWith('~s3~/') ||
    key.length > rules.maxLength ||
    segments.length > rules.maxSegments ||
    new TextEncoder().encode(key).length > rules.maxBytes ||
    rules.reserved.some((reserved) => key.startsWith(reserved))
  );
}

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

describe.each<KeyCodecOptions & { readonly maxSegments: number }>([
  { nameOrder: 'utf8', maxNameLength: 1024, maxSegments: 254 },
  { nameOrder: 'utf16', maxNameLength: 1024, maxSegments: 254 },
  { nameOrder: 'utf8', maxNameLength: 60, maxSegments: 4 },
  { nameOrder: 'utf16', maxNameLength: 60, maxSegments: 4 },
  { nameOrder: 'utf8', maxNameLength: 60, maxNameBytes: 60, maxSegments: 4, reservedPrefixes: ['a/b'] },
])('for every key, $nameOrder, at most $maxNameLength characters', (options) => {
  const codec = createKeyCodec(options);
  const compare = nameComparator(options.nameOrder);
  const rules: Rules = {
    utf16: options.nameOrder === 'utf16',
    maxLength: options.maxNameLength,
    maxBytes: options.maxNameBytes ?? Infinity,
    maxSegments: options.maxSegments,
    reserved: options.reservedPrefixes ?? [],
  };

  test('plain unless hazardous; the name is never hazardous but for its prefix; decode undoes encode', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const { name, region, needsTrueKey } = codec.encode(key);
        expect(region).toBe(isHazardous(key, rules) ? 'escaped' : 'plain');
        expect(isHazardous(region === 'plain' ? name : name.replace('~s3~', '----'), rules)).toBe(false);
        const decoded = codec.decode(name);
        expect(decoded).toEqual(needsTrueKey ? { kind: 'trueKeyInMetadata' } : { kind: 'key', key, region });
      }),
      RUNS,
    );
  });

  test('different keys have different names', () => {
    fc.assert(
      fc.property(
        twoTexts,
        ([a, b]) => a === b || a === '' || b === '' || codec.encode(a).name !== codec.encode(b).name,
      ),
      RUNS,
    );
  });

  test('a native name is hidden, or is the name of the key it decodes to', () => {
    const native = fc.oneof(
      anyKey,
      fc
        .string({ unit: fc.constantFrom('-', '~', '[', '0', '2', 'e', '/', 'a'), maxLength: 8 })
        .map((s) => `~s3~/${s}`),
    );
    fc.assert(
      fc.property(native, (name) => {
        const decoded = codec.decode(name);
        if (decoded.kind === 'key') expect(codec.encode(decoded.key)).toMatchObject({ name, region: decoded.region });
      }),
      RUNS,
    );
  });

  test('within each region the order of names in the store is the order of keys by UTF-8', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        if (a === '' || b === '') return;
        const [x, y] = [codec.encode(a), codec.encode(b)];
        if (x.region !== y.region || x.needsTrueKey || y.needsTrueKey) return;
        expect(Math.sign(compare(x.name, y.name))).toBe(Math.sign(compareUtf8(a, b)));
      }),
      RUNS,
    );
  });

  test('the prefixes reach every key that has the prefix', () => {
    fc.assert(
      fc.property(anyText, anyKey, (prefix, rest) => {
        const { name, region } = codec.encode(prefix + rest);
        const { plain, escaped } = codec.prefixes(prefix);
        expect(name.startsWith(region === 'plain' ? (plain ?? 'no plain listing') : escaped)).toBe(true);
      }),
      RUNS,
    );
  });

  test('a plain listing meets the escaped region only if the prefixes say so', () => {
    fc.assert(
      fc.property(anyText, anyKey, (prefix, key) => {
        const { plain, plainMeetsEscaped } = codec.prefixes(prefix);
        const { name, region } = codec.encode(key);
        if (plain !== undefined && region === 'escaped' && name.startsWith(plain)) expect(plainMeetsEscaped).toBe(true);
      }),
      RUNS,
    );
  });

  test('startAt misses no key at or behind it, and skips every plain key before it', () => {
    fc.assert(
      fc.property(twoTexts, ([key, start]) => {
        if (key === '' || start === '') return;
        const { name, region } = codec.encode(key);
        const from = codec.startAt(start);
        const follows = compareUtf8(key, start) >= 0;
        if (region === 'plain') expect(from.plain !== undefined && compare(name, from.plain) >= 0).toBe(follows);
        else if (follows) expect(compare(name, from.escaped)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 6000 },
    );
  });

  test('a plain listing that would start within the escaped region starts behind it', () => {
    expect(codec.startAt('~s3~/x')).toMatchObject({ plain: codec.escapedRegion.end });
  });

  test('the escaped region holds all escaped names and no plain one', () => {
    const { start, end } = codec.escapedRegion;
    fc.assert(
      fc.property(anyKey, (key) => {
        const { name, region } = codec.encode(key);
        expect(compare(name, start) >= 0 && compare(name, end) < 0).toBe(region === 'escaped');
      }),
      RUNS,
    );
  });
});
