/**
 * RFC 2047, as far as S3 uses it for user metadata: encoded words that clients send, and text that no header line can
 * say otherwise. Source: answers recorded on S3; "User-defined object metadata", S3 User Guide.
 */
const WORD = /^=\?([^?]+)\?([bq])\?([^?]*)\?=$/i;
/** Charsets whose ASCII is ASCII, with the language that RFC 2231 may add. */
const CHARSET = /^(?:utf-8|us-ascii|iso-8859-\d{1,2}|windows-125\d)(?:\*[a-z-]+)?$/i;
/** What a header line says as it is. */
const PLAIN = /^[\t\x20-\x7e]*$/;
const SPECIAL = /[^\x20-\x7e]|[=?_]/g;

/** True for text that S3 says without encoding it: blanks and printable ASCII. */
export function isPrintableAscii(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * The text that encoded words stand for, if all of it is plain: so S3 keeps it. Otherwise the value itself, which then
 * says the same when it is told again.
 */
export function withoutEncodedWords(value: string): string {
  if (!value.includes('=?')) return value;
  let text = '';
  let gap = '';
  let isAfterWord = false;
  for (const token of value.split(/([ \t]+)/)) {
    if (/^[ \t]/.test(token)) {
      gap = token;
      continue;
    }
    const word = decodedWord(token);
    // RFC 2047 6.2: blanks between two words only separate them.
    text += (isAfterWord && word !== undefined ? '' : gap) + (word ?? token);
    gap = '';
    isAfterWord = word !== undefined;
  }
  return isPrintableAscii(text) ? text + gap : value;
}

/** @returns bytes (latin-1 view); undefined for what is no encoded word */
function decodedWord(token: string): string | undefined {
  const [, charset = '', encoding = '', text = ''] = WORD.exec(token) ?? [];
  if (!CHARSET.test(charset)) return undefined;
  if (encoding.toLowerCase() === 'b') {
    const bytes = Buffer.from(text, 'base64');
    return bytes.toString('base64') === text ? bytes.toString('latin1') : undefined;
  }
  if (/=(?![0-9a-f]{2})/i.test(text)) return undefined;
  return text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Text that is not plain, as one encoded word: of the two forms S3 takes Q where most characters are ASCII. */
export function encodedWord(bytes: Buffer): string {
  const text = bytes.toString();
  let plain = 0;
  for (let at = 0; at < text.length; at++) if (isPrintableAscii(text.charAt(at))) plain += 1;
  if (plain <= text.length - plain) return `=?UTF-8?B?${bytes.toString('base64')}?=`;
  const escaped = bytes.toString('latin1').replaceAll(SPECIAL, escapeByte).replaceAll(' ', '_');
  return `=?UTF-8?Q?${escaped}?=`;
}

function escapeByte(byte: string): string {
  return `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
