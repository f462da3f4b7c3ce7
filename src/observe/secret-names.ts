/**
 * Names under which credentials travel, lower case: headers, query parameters, form fields, parts of connection strings,
 * members of JSON. Their whole value is secret. `authorization` is not among them: parts of it are worth showing.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  // S3
  'x-amz-signature', 'signature', 'x-amz-security-token', 'x-amz-s3session-token', 'x-amz-session-token', 'awssecretkey', 'aws_secret_access_key',
  'secretaccesskey', 'sessiontoken', 'signatureprovided',
  // Azure: shared access signatures and connection strings
  'sig', 'accountkey', 'sharedaccesskey', 'sharedaccesssignature', 'x-ms-copy-source-authorization', 'connectionstring',
  // Google
  'x-goog-signature', 'x-goog-iam-authorization-token', 'private_key', 'privatekey',
  // OAuth and the web at large
  'access_token', 'accesstoken', 'id_token', 'refresh_token', 'client_secret', 'clientsecret', 'client_assertion', 'assertion', 'subject_token',
  'password', 'passwd', 'secret', 'token', 'api_key', 'apikey', 'x-api-key', 'x-auth-token', 'x-csrf-token', 'proxy-authorization', 'cookie', 'set-cookie',
]);

/** Keys that clients encrypt with, and digests of them, in the spelling of all three clouds. */
const CUSTOMER_KEY = /(?:customer|encryption)-key(?:-(?:md5|sha256))?$/;

/** @param name lower case */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name) || (name.includes('-key') && CUSTOMER_KEY.test(name));
}

/** Pattern of all of them and of `authorization`, for use within a regular expression; longer names first. */
export const SECRET_NAME_PATTERN = [
  '[a-z-]*(?:customer|encryption)-key(?:-(?:md5|sha256))?',
  ...['authorization', ...SECRET_NAMES].toSorted((a, b) => b.length - a.length),
].join('|');
