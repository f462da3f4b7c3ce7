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

/** Whatever stands before: `x-vault-token`, `db_password`, `X-Amz-Signature`, `AccountKey`. */
const SECRET_ENDING = new RegExp(
  '(?:token|secret|password|passwd|passphrase|passcode|signature|cookie|assertion|credentials|sessionid|sessid|' +
    '(?:api|access|account|master|private|secret|shared|storage|subscription)[-_]?key|(?<=.)authorization)$',
);
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
  if (SECRET_NAMES.has(name) || SECRET_WORDS.has(lastWord(name))) return true;
  return (SECRET_ENDING.test(name) || CUSTOMER_KEY.test(name)) && !NOT_SECRET.has(name);
}

/**
 * The same of headers and query parameters: whoever calls one `key`, `auth` or `session` hardly means an object.
 * @param name lower case
 */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || LIKELY_WORDS.has(lastWord(name));
}

/** `-`, `.`, `_` */
const PARTED_BY: ReadonlySet<number> = new Set([0x2d, 0x2e, 0x5f]);

function lastWord(name: string): string {
  let at = name.length;
  while (at > 0 && !PARTED_BY.has(name.charCodeAt(at - 1))) at -= 1;
  return at === 0 ? name : name.slice(at);
}
