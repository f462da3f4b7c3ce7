import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPlainRecord, writePlainRecord } from '../../../../src/manifest/records/plain-record.ts';
import {
  type LooseRecord,
  RecordFormatError,
  decodeAnyRecord,
  encodeAnyRecord,
} from '../../../../src/manifest/records/record.ts';
import '../../../support/property-seed.ts';

const perhaps = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'abc', 'x'.repeat(64)) },
  fc.constantFrom('', 'abc', 'a"b', 'a\\b', 'ü', '\u007f', 'x'.repeat(64)),
  fc.string(),
);

const record = fc.record({
  kind: fc.constantFrom('inline', 'inline', 'inline', 'tomb'),
  seq: fc.oneof(
    { weight: 5, arbitrary: fc.nat() },
    fc.integer({ min: 0, max: 2 ** 53 - 1 }),
    fc.constantFrom(2 ** 53, 9_999_999_999_999_998, 1.5, -1),
  ),
  mtime: perhaps(fc.oneof(fc.integer({ min: 0, max: 2 ** 42 }), fc.constantFrom(8.64e15, 8.64e15 + 2, -5))),
  etag: perhaps(text),
  owner: perhaps(text),
  storageClass: perhaps(text),
  checksum: perhaps(
    fc.record({
      algorithm: fc.constantFrom('CRC32', 'SHA256', 'MD5', 'NONE'),
      value: fc.constantFrom('AAAAAA==', 'AAAAAA==-3', 'AAAA', '='),
      type: fc.constantFrom('FULL_OBJECT', 'FULL_OBJECT', 'COMPOSITE', 'OTHER'),
    }),
  ),
  tags: fc.constantFrom(undefined, undefined, undefined, [{ key: 'k', value: 'v' }]),
  nonce: perhaps(text),
});

const written = record.map((fields) => encodeAnyRecord(fields as unknown as LooseRecord));

/** With a piece that was put in, taken out or repeated. */
const damaged = fc
  .tuple(
    written,
    fc.nat(),
    fc.nat({ max: 8 }),
    fc.constantFrom('', ' ', '0', '"', ',', '{', '"n":"x",', '\n', '\\u0041'),
  )
  .map(([whole, where, length, put]) => {
    const at = where % (whole.length + 1);
    return whole.slice(0, at) + put + whole.slice(at + length);
  });

function outcome(record: string): unknown {
  try {
    return decodeAnyRecord(record);
  } catch (error) {
    if (error instanceof RecordFormatError) return error;
    throw error;
  }
}

test('what is read as a plain record is what the general reader says', () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.oneof(written, damaged), (record) => {
      const read = readPlainRecord(record);
      if (read === undefined) return;
      plain += 1;
      expect(read).toEqual(outcome(record));
    }),
    { numRuns: 5000 },
  );
  expect(plain).toBeGreaterThan(200);
});

test('what is written as a plain record is what the general writer writes', () => {
  const strange = fc.record({
    ring: fc.constantFrom(undefined, undefined, ['a']),
    isNull: fc.constantFrom(undefined, undefined, true),
    stamp: fc.constantFrom(undefined, false, true, true),
    unknown: fc.constantFrom(undefined, undefined, { zz: 1 }),
  });
  let plain = 0;
  fc.assert(
    fc.property(record, strange, (fields, more) => {
      const all = { ...fields, ...more } as unknown as LooseRecord;
      const text = writePlainRecord(all);
      if (text === undefined) return;
      plain += 1;
      expect(text).toBe(encodeAnyRecord(all));
    }),
    { numRuns: 5000 },
  );
  expect(plain).toBeGreaterThan(200);
});

test('the stamped record of a version is written as one', () => {
  const stamped = { kind: 'inline', seq: 1700000000123456, etag: 'abc', nonce: 'n', stamp: true } as const;
  expect(writePlainRecord(stamped)).toBe('{"v":1,"s":1700000000123456,"e":"abc","n":"n","st":1}');
});

test('what a PUT writes is one', () => {
  expect(readPlainRecord('{"v":1,"s":1700000000123456,"n":"nonce"}')).toEqual({
    kind: 'inline',
    seq: 1700000000123456,
    nonce: 'nonce',
  });
  expect(readPlainRecord('{"v":1,"s":1,"h":["CRC32","AAAAAA==","FULL_OBJECT"],"n":"n"}')).toMatchObject({
    checksum: { algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' },
  });
});

test.each([
  '{"v":1,"s":01}',
  '{"v":2,"s":1}',
  'x{"v":1,"s":1}',
  ' {"v":1,"s":1}',
  '{"v":1,"s":1}x',
  '{"v":1,"s":1}\n',
  '{"v":1,"s":9007199254740993}',
  '{"v":1,"s":1,"t":9999999999999999}',
  '{"v":1,"s":1,"e":"a\\u0062"}',
  '{"v":1,"s":1,"o":"a","e":"b"}',
  '{"v":1,"s":1,"n":"x","n":"y"}',
  '{"v":1,"s":1,"h":["CRC32","-","FULL_OBJECT"]}',
])('%j is left to the general reader', (record) => {
  expect(readPlainRecord(record)).toBeUndefined();
});
