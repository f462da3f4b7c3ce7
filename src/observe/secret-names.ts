/**
 * Names under which credentials travel, lower case: headers, query parameters, form fields, parts of connection
 * strings, members of JSON. Their whole value is secret. `authorization` is not among them: parts of it are worth
 * showing.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  // S3
  'signatureprovided',
  'awssecretkey',
  'x-amz-mfa',
  // Azure: shared access signatures and connection strings
  'connectionstring',
  // The web at large
  'secret',
  'client_secret',
  'clientsecret',
  'session-id',
  'session_id',
]);

/**
 * Words that say secret whatever stands around them: `x-vault-token`, `db_password`, `X-Amz-Signature`, `cookie2`,
 * `authorization-x`, `token[0]`.
 */
const SECRET_WORD =
  /(?:token|secret|password|passwd|passphrase|passcode|signature|cookie|assertion|credentials|sessionid|sessid|authorization)\d*(?![a-z0-9])/;
/** Whatever stands before: `AccountKey`, `x-api-key`. What follows may name a key that is none: `access-key-id`. */
const SECRET_ENDING = /(?:api|access|account|master|private|secret|shared|storage|subscription)[-_]?key\d*$/;
/** Keys that clients encrypt with, and digests of them, in the spelling of all three clouds. */
const CUSTOMER_KEY = /(?:customer|encryption)-key(?:-(?:md5|sha256))?$/;
/** Last words of names, which are secret by themselves, too. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'pass',
  'pwd',
  'pw',
  'sig',
  'sas',
  'jwt',
  'otp',
  'mfa',
  'csrf',
  'xsrf',
  'psk',
  'sid',
  'secret',
]);
/**
 * Those that mean something else in prose and in fields of our own (the key of an object), and a credential in headers
 * and queries.
 */
const LIKELY_WORDS: ReadonlySet<string> = new Set(['key', 'auth', 'session', 'bearer']);
/** What S3 itself calls so, and is none. */
const NOT_SECRET: ReadonlySet<string> = new Set([
  'continuation-token',
  'continuationtoken',
  'next-continuation-token',
  'nextcontinuationtoken',
  'x-amz-signedheaders',
]);

/** Whether what goes by this name is a credential wherever it stands. @param name lower case */
export function isSecretName(name: string): boolean {
  return spellings(name).some(saysSecret);
}

/**
 * The same of headers and query parameters: whoever calls one `key`, `auth` or `session` hardly means an object.
 * @param name lower case
 */
export function isSecretParameter(name: string): boolean {
  return spellings(name).some((spelling) => saysSecret(spelling) || LIKELY_WORDS.has(lastWord(spelling)));
}

function saysSecret(name: string): boolean {
  if (name === 'authorization' || NOT_SECRET.has(name)) return false;
  return (
    SECRET_NAMES.has(name) ||
    SECRET_WORDS.has(lastWord(name)) ||
    SECRET_WORD.test(name) ||
    SECRET_ENDING.test(name) ||
    CUSTOMER_KEY.test(name)
  );
}

/**
 * The name, and the words of it where a list or an object is spelled out in it: `sig[]` and `sig[0]` say `sig`,
 * `login[pwd]` says `pwd`, too. What is no letter and no digit counts for nothing at the end of a name.
 */
function spellings(name: string): readonly string[] {
  if (name.includes('[')) return [name, ...name.split(/[[\]]/).map(trimmed)];
  return isPlain(name.charCodeAt(name.length - 1)) ? [name] : [name, trimmed(name)];
}

function trimmed(name: string): string {
  let end = name.length;
  while (end > 0 && !isPlain(name.charCodeAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** Digits and small letters. */
function isPlain(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x7a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Without the digits that count it: `pass2`. */
function lastWord(name: string): string {
  let end = name.length;
  while (end > 0 && isDigit(name.charCodeAt(end - 1))) end -= 1;
  let at = end;
  while (at > 0 && isPlain(name.charCodeAt(at - 1))) at -= 1;
  return at === 0 && end === name.length ? name : name.slice(at, end);
}
