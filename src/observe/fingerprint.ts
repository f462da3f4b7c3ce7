import { hash } from 'node:crypto';

/** Hex digits of a digest that a mark shows. */
const DIGEST_CHARS = 8;
const ESCAPE = /%[0-9a-f]{2}/i;
const MARK = /^<\d+ chars, sha256 [0-9a-f]{8}>$/;
/** How deep escapes are undone: a URL within a URL within a URL. */
const MAX_DEPTH = 4;
/** Longer than any credential. */
const MAX_UNESCAPED = 16 * 1024;

/**
 * What stands in place of a secret: its length and the first 8 hex digits of its SHA-256, enough to tell whether two
 * are the same. The mark of a mark is itself. Escapes are undone first, so that one secret has one mark wherever it
 * stood.
 */
export function fingerprint(secret: string): string {
  if (secret === '' || MARK.test(secret)) return secret;
  const plain = secret.length > MAX_UNESCAPED ? secret : unescapeFully(secret);
  return `<${plain.length} chars, sha256 ${hash('sha256', plain, 'hex').slice(0, DIGEST_CHARS)}>`;
}

/** Percent escapes undone until there are none; text whose escapes are no UTF-8 is taken byte by byte. */
export function unescapeFully(text: string): string {
  let plain = text;
  for (let depth = 0; depth < MAX_DEPTH && plain.includes('%'); depth += 1) {
    const next = unescapeOnce(plain);
    if (next === plain) break;
    plain = next;
  }
  return plain;
}

function unescapeOnce(text: string): string {
  // Text that holds none is not worth the exception, which costs more than all else here.
  if (!ESCAPE.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}
