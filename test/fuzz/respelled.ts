const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Bits of the last character that no byte is made of: decoding takes no notice of them. */
export const slackOf = (token: string): number => ({ 2: 4, 3: 2 })[token.length % 4] ?? 0;

/** The same bytes, spelled otherwise; the token itself where it has no slack. */
export function respelled(token: string, by: number): string {
  const last = BASE64URL.indexOf(token.at(-1) ?? '');
  return token.slice(0, -1) + (BASE64URL[last ^ (by & ((1 << slackOf(token)) - 1))] ?? '');
}
