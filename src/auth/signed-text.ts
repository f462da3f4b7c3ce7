/** Most characters of a signed text that an error shows. For the rest clients can look at their own copy. */
const MAX_SHOWN = 4096;

/** @param latin1 one character for each byte @returns its beginning, when it is long */
export function shownText(latin1: string): string {
  return latin1.length <= MAX_SHOWN ? latin1 : latin1.slice(0, MAX_SHOWN);
}

const BLANK = ' ';

/**
 * The bytes of what `shownText` gives: two hex digits each, parted by blanks. Written by a loop: `replace` with
 * thousands of matches would take half a megabyte for each wrong signature.
 */
export function shownBytes(latin1: string): string {
  const hex = Buffer.from(shownText(latin1), 'latin1').toString('hex');
  const parted = Buffer.alloc(Math.max(0, (hex.length / 2) * 3 - 1), BLANK);
  for (let at = 0; at < hex.length; at += 1) parted[at + (at >> 1)] = hex.charCodeAt(at);
  return parted.toString('latin1');
}
