import fc from 'fast-check';

/** Characters at every border of the codec's rules, so that random keys meet them often. */
const BORDERS = [
  '/',
  '.',
  '\\',
  '~',
  '!',
  '-',
  '[',
  ']',
  '}',
  '{',
  '0',
  '9',
  'a',
  'f',
  'Z',
  ' ',
  '%',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u009f',
  '\u00a0',
  'é',
  '\ud7ff',
  '\ue000',
  '\uf8ff',
  '\uf900',
  '\ufdcf',
  '\ufdd0',
  '\ufdef',
  '\ufdf0',
  '\ufffd',
  '\ufffe',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{1fffd}',
  '\u{1fffe}',
  '\u{10fffd}',
  '\u{10ffff}',
] as const;

const point = fc.oneof(
  fc.constantFrom(...BORDERS),
  fc.constantFrom('a', 'b', '/', '.'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);

/** Any well-formed text, also empty. */
export const anyText = fc.oneof(
  fc.array(point, { maxLength: 12 }).map((points) => points.join('')),
  fc
    .tuple(fc.constantFrom('~s3~/', '~s3~', '~'), fc.string({ unit: point, maxLength: 6 }))
    .map((parts) => parts.join('')),
);

/** Keys, many of them longer or deeper than small limits allow. */
export const anyKey = fc
  .oneof(
    anyText,
    fc
      .tuple(fc.constantFrom('a/b', 'x\u0001', 'dir/.', 'é\\'), fc.array(point, { maxLength: 60 }))
      .map(([start, more]) => start + more.join('')),
  )
  .filter((key) => key !== '');

/** Two texts that often share a beginning. */
export const twoTexts = fc.oneof(
  fc.tuple(anyKey, anyKey),
  fc.tuple(anyText, anyText, anyText).map(([start, a, b]): [string, string] => [start + a, start + b]),
);
