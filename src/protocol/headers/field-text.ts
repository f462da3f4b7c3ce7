/** RFC 9110 5.6.2: a field name is a token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * RFC 9110 5.5, and what Node lets through in either direction: blanks, printable ASCII, bytes above it (latin-1 view).
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True for text that can be the name of a header line. */
export function isFieldName(text: string): boolean {
  return NAME.test(text);
}

/** True for text that can stand in a header line as it is, one character per byte. */
export function isFieldValue(text: string): boolean {
  return VALUE.test(text);
}

/**
 * Text that came otherwise than in a header line, as a header's value: its bytes in UTF-8 (latin-1 view), without the
 * blanks around it that a header would have lost.
 * @returns undefined for what no header line can carry
 */
export function asFieldValue(text: string): string | undefined {
  const value = Buffer.from(text).toString('latin1');
  return isFieldValue(value) ? withoutOuterBlanks(value) : undefined;
}

/**
 * As a header line would have lost them. Not by a pattern, which would try from each of thousands of blanks within the
 * text.
 */
export function withoutOuterBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value, start)) start += 1;
  while (end > start && isBlank(value, end - 1)) end -= 1;
  return value.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}
