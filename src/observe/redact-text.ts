import { fingerprint, unescapeFully } from './fingerprint.ts';
import { redactAuthorization } from './redact-authorization.ts';
import { SECRET_NAME_PATTERN } from './secret-names.ts';

/** Cheap looks before the patterns: no secret is known without one of these signs, and hardly any text holds one of these words, too. */
const SIGN = /[=:@%'"]|-----|eyj|ya29|bearer|basic|negotiate|digest/i;
const SUSPECT = /sig|token|secret|passw|key|authoriz|cookie|assertion|connectionstring|bearer|basic|shared|eyj|ya29|aws |@|%/i;

/** `=` and `&` may be escaped, once or several times, in a URL that stands within another. */
const ESCAPED = '%(?:25){0,3}';
const START = `(?:(?<![\\w-])|(?<=${ESCAPED}(?:26|3f|3b|20|22|27|2c|0a)))`;
const MARK = '<\\d+ chars, sha256 [0-9a-f]{8}>';
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|\\\\+"(?:[^"\\\\]|\\\\(?!"))*';
const BARE = '[^\\s"\'<>&,;(){}\\[\\]\\\\]+';

/** PEM, however its line breaks are written. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** A header at the start of a line, and those that are written anywhere: the value goes on to the end of the line. */
const HEADER_LINE = new RegExp(
  `((?:^[ \\t<>*]*(?:${SECRET_NAME_PATTERN})|${START}(?:(?:proxy-)?authorization|(?:set-)?cookie))[ \\t]*[:=][ \\t]*)(?!["'\\\\])([^\\r\\n]+)`, 'gim');
/** `name=value`, `"name": "value"`, `name: 'value'`, `'name', 'value'`. */
const NAMED = new RegExp(
  `(${START}(?:${SECRET_NAME_PATTERN})(?:${ESCAPED}3d|\\\\*["']?\\s*(?:=>|=|:|(?<=["']\\s*),)\\s*))(${MARK}|${QUOTED}|${BARE})`, 'gi');
const QUOTES = /^(\\*["'])(.*?)(\\*["'])?$/s;
/** `Bearer xyz`; also account and signature of the shared key schemes. */
const SCHEME = /\b((?:Bearer|Basic|Negotiate|Digest|(?:SharedKey(?:Lite)?|GOOG1|AWS)\s+[\w.-]{1,128}:)\s*)([\w.~+/=%-]+)/gi;
/** What Azure says of a signature of ours that it refuses: `The MAC signature found in the HTTP request 'xyz' is not the same`. */
const QUOTED_SIGNATURE = /(signature\b[^'"\n]{0,60}['"])([\w+/=%-]{20,})(?=['"])/gi;
/** A token by its looks: JSON web tokens, Google's access tokens. */
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]{4,}\.?[\w-]*|\bya29\.[\w.-]{8,}/g;
/** `https://name:password@host` */
const USER_INFO = /(:\/\/[^/\s:@"']*:)([^/\s@"']+)(?=@)/g;
/** What people write after the name of a scheme. */
const PLAIN_WORD = /^(?:tokens?|auth(?:entication|orization)?|scheme|realm|credentials?|access|challenge|error|is|was|in|for|and|or)$/i;

/**
 * Free text (a message of an error, a value that may be a URL) with all credentials replaced that can be known by
 * their name, their scheme or their looks. Rather takes too much than too little.
 */
export function redactText(text: string): string {
  if (!SIGN.test(text) || !SUSPECT.test(text)) return text;
  const plain = redactPlain(text);
  return plain.includes('%') ? plain.replaceAll(/[^\s<>"']+/g, (word) => (hidesSecret(word) ? fingerprint(word) : word)) : plain;
}

function redactPlain(text: string): string {
  return text
    .replaceAll(PRIVATE_KEY, (key) => fingerprint(key))
    .replaceAll(HEADER_LINE, (_, name: string, value: string) => `${name}${redactValue(name, value)}`)
    .replaceAll(NAMED, (_, name: string, value: string) => `${name}${redactQuoted(name, value)}`)
    .replaceAll(SCHEME, (whole, scheme: string, value: string) => (PLAIN_WORD.test(value) ? whole : `${scheme}${fingerprint(value)}`))
    .replaceAll(QUOTED_SIGNATURE, (_, before: string, signature: string) => `${before}${fingerprint(signature)}`)
    .replaceAll(TOKEN, (token) => fingerprint(token))
    .replaceAll(USER_INFO, (_, before: string, password: string) => `${before}${fingerprint(password)}`);
}

function redactQuoted(name: string, value: string): string {
  const [, open, inner, close] = QUOTES.exec(value) ?? [];
  return open === undefined || inner === undefined ? redactValue(name, value) : `${open}${redactValue(name, inner)}${close ?? ''}`;
}

function redactValue(name: string, value: string): string {
  return /(?<!proxy-)authorization/i.test(name) ? redactAuthorization(value) : fingerprint(value);
}

/** Whether a word shows a secret once its escapes are undone. */
function hidesSecret(word: string): boolean {
  if (!word.includes('%')) return false;
  const plain = unescapeFully(word);
  return plain !== word && redactPlain(plain) !== plain;
}
