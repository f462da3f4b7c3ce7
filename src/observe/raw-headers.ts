/**
 * The first value of a header among names and values in turn, as Node's `rawHeaders` has them.
 * @param name lower case
 */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) return rawHeaders[at + 1];
  }
  return undefined;
}
