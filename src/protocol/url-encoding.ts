const PLAIN = /^[\w\-./~]*$/;

/**
 * `encoding-type=url` of listings: UTF-8 bytes percent-encoded, `/` kept. Space becomes `%20`,
 * which every client decodes (AWS writes `+`, which some take for a plus).
 *
 * @param text well-formed
 */
export function encodeForListing(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(text).replaceAll('%2F', '/');
}
