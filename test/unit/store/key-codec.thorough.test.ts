import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyCodec, type KeyCodecOptions } from '../../../src/store/key-codec.ts';
import { compareUtf8, nameComparator } from '../../../src/store/name-order.ts';
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
