/** Most characters of a signed text that an error shows: beyond it a client has its own copy to look at. */
const MAX_SHOWN = 4096;

/** @param latin1 one character for each byte @returns its beginning, when it is long */
export function shownText(latin1: string): string {
  return latin1.length <= MAX_SHOWN ? latin1 : latin1.slice(0, MAX_SHOWN);
}

/** The bytes of what `shownText` gives: two hex digits each, parted by blanks. */
export function shownBytes(latin1: string): string {
  return Buffer.from(shownText(latin1), 'latin1')
    .toString('hex')
    .replaceAll(/..(?=.)/g, '$& ');
}
