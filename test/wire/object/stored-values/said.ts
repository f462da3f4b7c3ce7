import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';

/** Header lines by lower-case name; values as bytes (latin-1 view). */
export type Lines = Readonly<Record<string, string>>;

/** What one request says of an object, and how. */
export interface Said {
  readonly operation: 'PutObject' | 'CopyObject' | 'CreateMultipartUpload';
  /** `query`: presigned, `x-amz-*` as parameters. */
  readonly by: 'header' | 'query';
  readonly lines: Lines;
  readonly tags: readonly (readonly [string, string])[];
}

const blanksOff = (value: string): string => value.replaceAll(/^[ \t]+|[ \t]+$/g, '');

/**
 * What an answer has to say: in RFC 2047 form what is UTF-8 and not ASCII (Q where most of it is), everything else as
 * it came.
 */
function answered(name: string, value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const encoded = name.startsWith('x-amz-meta-') && /[\x80-\xff]/.test(value) && isUtf8(bytes);
  if (!encoded) return value;
  const text = bytes.toString().split('');
  const isMostlyAscii = text.filter((unit) => unit < '\x7f').length > text.length / 2;
  if (!isMostlyAscii) return `=?UTF-8?B?${bytes.toString('base64')}?=`;
  const shown = /[ !-<>@-^`-~]/;
  const units = Array.from(bytes, (byte) => {
    const letter = String.fromCharCode(byte);
    return shown.test(letter) ? letter.replace(' ', '_') : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `=?UTF-8?Q?${units.join('')}?=`;
}

const ODD_NAMES = [
  '__proto__',
  'constructor',
  'tostring',
  'hasownproperty',
  'valueof',
  '0',
  'a.b',
  '~',
  'a-b',
  's3gw',
  's3up',
  'class',
  'x',
];
const name = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,12}$/));
const ascii = fc.stringMatching(/^[\t\x20-\x7e]{0,30}$/);
const utf8 = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map((text) => Buffer.from(text.replaceAll(/\p{Cc}/gu, '')).toString('latin1'));
/** What header lines can carry, as bytes. */
const lineValue = fc
  .oneof(
    ascii,
    utf8,
    fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/),
    fc.constantFrom('', '=?UTF-8?B?w6k=?=', ',', '"', 'a,b'),
  )
  .map(blanksOff);
/** What queries can carry, as text. */
const anyText = fc.oneof(
  lineValue.map((value) => Buffer.from(value, 'latin1').toString()),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
  fc.constantFrom('v\r\nX: y', 'v\n', '\0', 'a\0b', ' v ', '\tv', '\x7f', '\x85', '\u2028', 'v\x0bw'),
);
const anyName = fc.oneof(
  name,
  fc.constantFrom('a b', 'a\0b', 'a:b', 'é', 'a\r\nb', ' ', '\u212a', 'a"b', 'a(b'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.toWellFormed()),
);

const CONTENT = ['content-type', 'cache-control', 'content-disposition', 'content-language', 'expires'] as const;
const contentLines = fc
  .subarray([...CONTENT])
  .chain((names) =>
    fc
      .tuple(...names.map(() => lineValue))
      .map((values) => Object.fromEntries(names.map((one, at) => [one, values[at] ?? '']))),
  );
const tagText = fc.stringMatching(/^[a-zA-Z0-9 _.:/=+@-]{1,10}$/);
const tags = fc.uniqueArray(
  fc.tuple(
    tagText.filter((key) => !/^aws:/i.test(key)),
    tagText,
  ),
  { maxLength: 3, selector: ([key]) => key },
);

/** Names like `__proto__` must become entries. */
export const asRecord = (entries: readonly (readonly [string, string])[]): Lines => Object.fromEntries(entries);
const metaOf = (names: fc.Arbitrary<string>, values: fc.Arbitrary<string>): fc.Arbitrary<Lines> =>
  fc
    .array(
      fc.tuple(
        names.map((one) => `x-amz-meta-${one}`),
        values,
      ),
      { maxLength: 5 },
    )
    .map(asRecord);
const redirectOf = (values: fc.Arbitrary<string>): fc.Arbitrary<Lines> =>
  fc
    .option(values, { freq: 2 })
    .map((value): Lines => (value === null ? {} : { 'x-amz-website-redirect-location': `/${value}` }));
const operation = fc.constantFrom<Said['operation'][]>('PutObject', 'CopyObject', 'CreateMultipartUpload');

export const byHeader: fc.Arbitrary<Said> = fc
  .tuple(operation, contentLines, metaOf(name, lineValue), redirectOf(lineValue), tags)
  .map(([of, content, meta, redirect, tagged]) => ({
    operation: of,
    by: 'header',
    lines: { ...content, ...meta, ...redirect },
    tags: tagged,
  }));
export const byQuery: fc.Arbitrary<Said> = fc
  .tuple(operation, contentLines, metaOf(anyName, anyText), redirectOf(anyText), tags)
  .map(([of, content, meta, redirect, tagged]) => ({
    operation: of,
    by: 'query',
    lines: { ...content, ...meta, ...redirect },
    tags: tagged,
  }));

/** The lines as a GET must answer them; nothing for a request that must be refused. */
export function expected({ by, lines }: Said): Lines | undefined {
  const wanted: [string, string][] = [];
  for (const [header, value] of Object.entries(lines)) {
    const hoisted = by === 'query' && header.startsWith('x-amz-');
    const bytes = hoisted ? Buffer.from(value).toString('latin1') : value;
    if (hoisted && (/[^\t\x20-\x7e\x80-\xff]/.test(bytes) || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))) {
      return undefined;
    }
    wanted.push([header.toLowerCase(), answered(header, blanksOff(bytes))]);
  }
  return asRecord(wanted);
}
