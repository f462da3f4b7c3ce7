const PERCENT = 0x25;
const PLUS = 0x2b;
const SLASH = 0x2f;
const HEX_UPPER = '0123456789ABCDEF';

/** `A-Z a-z 0-9 - . _ ~`: what SigV4 leaves unencoded everywhere. */
const UNRESERVED = new Uint8Array(256);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
  UNRESERVED[char.charCodeAt(0)] = 1;
}

/**
 * Encodes text as SigV4 wants it: decodes it, then encodes each byte that is not unreserved once, in upper case. In a
 * path `/` stays as it is, and an empty path becomes `/`. In names and values of a query `/` is encoded, and a raw `+`
 * counts as a space.
 *
 * It works on bytes (the raw target is latin1 text), so text that is not UTF-8 survives. A `%` that starts no escape
 * counts as itself; the address parser refuses such targets.
 */
export function canonicalEncoding(raw: string, part: 'path' | 'query'): string {
  if (raw === '' && part === 'path') return '/';
  let out = '';
  let copied = 0;
  let i = 0;
  while (i < raw.length) {
    const code = raw.charCodeAt(i);
    if (UNRESERVED[code] === 1 || (code === SLASH && part === 'path')) {
      i += 1;
      continue;
    }
    const escaped = code === PERCENT ? escapedByte(raw, i) : -1;
    const width = escaped < 0 ? 1 : 3;
    const byte = escaped >= 0 ? escaped : code === PLUS && part === 'query' ? 0x20 : code;
    out += raw.slice(copied, i);
    out += UNRESERVED[byte] === 1 || (byte === SLASH && part === 'path') ? String.fromCharCode(byte) : percent(byte);
    i += width;
    copied = i;
  }
  return copied === 0 ? raw : out + raw.slice(copied);
}

function percent(byte: number): string {
  return `%${HEX_UPPER.charAt((byte >> 4) & 15)}${HEX_UPPER.charAt(byte & 15)}`;
}

/** The byte of the escape that starts at `at`, or -1. */
function escapedByte(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at + 1));
  const low = hexDigit(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}
