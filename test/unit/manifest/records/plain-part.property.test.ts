import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECORD_NAME } from '../../../../src/manifest/records/record.ts';
import {
  type PartRecord,
  decodePart,
  encodePart,
  readAnyPart,
} from '../../../../src/manifest/records/upload-part-record.ts';
import '../../../support/property-seed.ts';

const HEX = 'd41d8cd98f00b204e9800998ecf8427e';
const part = fc.record(
  {
    number: fc.constant(7),
    etag: fc.constantFrom(HEX, HEX, HEX, 'a"b', ''),
    derived: fc.constant(true),
    size: fc.oneof(fc.nat(), fc.constantFrom(2 ** 53 - 1, 1.5, -1, 1e21)),
    mtime: fc.integer({ min: 0, max: 2 ** 42 }),
    checksum: fc.record({
      algorithm: fc.constantFrom('CRC32' as const, 'SHA256' as const),
      value: fc.constantFrom('AAAAAA==', 'ü', ''),
    }),
    tokens: fc.array(fc.constantFrom('abcdefghijklmnopqrstu+/=', 'a"', 'ü', ''), { maxLength: 2 }),
    pieces: fc.constant([{ id: 'x', size: 1 }]),
  },
  { requiredKeys: ['number', 'etag', 'size', 'mtime', 'tokens'] },
);
const plain = part.map(({ number, mtime, checksum }) => ({
  ...{ number, etag: HEX, size: 5_242_880, mtime, tokens: ['abcdefghijklmnopqrstu+/='] },
  ...(checksum && { checksum: { ...checksum, value: 'AAAAAA==' } }),
}));
const written = fc.oneof(part, plain).map((fields) => encodePart(fields as PartRecord)[RECORD_NAME] ?? '');
const damaged = fc
  .tuple(written, fc.nat(), fc.nat({ max: 8 }), fc.constantFrom('', ' ', '0', '"', ',', '{', '"x":1,', '\n', '\\u0041'))
  .map(([whole, where, length, put]) => {
    const at = where % (whole.length + 1);
    return whole.slice(0, at) + put + whole.slice(at + length);
  });

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as Error).name;
  }
}

test('the reader of plain part records says what the general one says', () => {
  fc.assert(
    fc.property(fc.oneof(written, damaged), (text) => {
      const read = outcome(() => decodePart(7, { [RECORD_NAME]: text }));
      expect(read).toEqual(outcome(() => readAnyPart(7, text)));
    }),
    { numRuns: 3000 },
  );
});

const FIELDS = { v: '1', e: `"${HEX}"`, z: '5', t: '1000', b: '["abc"]' };

test.each<Partial<typeof FIELDS>>([
  {},
  { z: '' },
  { z: '05' },
  { z: '-5' },
  { z: '5e1' },
  { z: '999999999999999' },
  { z: '9999999999999999' },
  { t: '01' },
  { v: '2' },
  { e: '""' },
  { e: `"${HEX.toUpperCase()}"` },
  { b: '[]' },
  { b: '["a","b"]' },
  { b: '["a\\u0041"]' },
  { b: '["a\n"]' },
])('it says so of %o', (field) => {
  const fields = Object.entries({ ...FIELDS, ...field }).map(([code, value]) => `"${code}":${value}`);
  const text = `{${fields.join(',')}}`;
  expect(outcome(() => decodePart(7, { [RECORD_NAME]: text }))).toEqual(outcome(() => readAnyPart(7, text)));
});

test('it reads those of one staged block without parsing them', () => {
  const isPlain = fc.property(plain, (fields) => {
    const text = encodePart(fields)[RECORD_NAME] ?? '';
    const { parse } = JSON;
    try {
      JSON.parse = () => {
        throw new Error('parsed');
      };
      expect(decodePart(7, { [RECORD_NAME]: text })).toEqual(fields);
    } finally {
      JSON.parse = parse;
    }
  });
  fc.assert(isPlain);
});
