import { fingerprint } from './fingerprint.ts';

/** As all SDKs write it: nearly every request has one. */
const USUAL = /^AWS4-HMAC-SHA256 Credential=[\w./@-]+, ?SignedHeaders=[\w;.-]+, ?Signature=[0-9a-f]{64}$/;
const SIGNATURE_CHARS = 64;
/** Of `AWS4-HMAC-SHA256` and its kin: what is no secret, and only in its proper form. */
const OPEN_COMPONENT = /^(?:Credential=[\w./@-]+|SignedHeaders=[\w;.-]+|Signature=)$/i;
const SIGNATURE_COMPONENT = /^(Signature=)(.+)$/i;
/** What is redacted already is one component, though it holds a comma. */
const SEPARATORS = /(<\d+ chars, sha256 [0-9a-f]{8}>|[,\s]+)/;
/**
 * Components and what stands between them; three and two in any proper header. What comes after these is one secret.
 */
const MAX_PARTS = 32;
const AWS4 = /^\s*(?:AWS4-[\w-]+|GOOG4-[\w-]+)\s+/i;
/** `AWS key:signature`, `SharedKey account:signature`. */
const SHARED_KEY = /^(\s*(?:AWS|GOOG1|SharedKey|SharedKeyLite)\s+[\w.-]+:)(.*)$/is;
const OPAQUE = /^(\s*(?:Bearer|Basic|Digest|Negotiate)\s+)(.*)$/is;

/** The value of an `Authorization` header: scheme, access key, scope and signed headers stay, all else goes. */
export function redactAuthorization(value: string): string {
  if (USUAL.test(value)) {
    return value.slice(0, -SIGNATURE_CHARS) + fingerprint(value.slice(-SIGNATURE_CHARS));
  }
  const aws4 = AWS4.exec(value)?.[0];
  if (aws4 !== undefined) return `${aws4}${redactComponents(value.slice(aws4.length))}`;
  const [, open, secret] = SHARED_KEY.exec(value) ?? OPAQUE.exec(value) ?? [];
  return open === undefined || secret === undefined ? fingerprint(value) : `${open}${fingerprint(secret)}`;
}

function redactComponents(text: string): string {
  const parts = text.split(SEPARATORS);
  const rest = parts.slice(MAX_PARTS).join('');
  return parts.slice(0, MAX_PARTS).map(redactComponent).join('') + fingerprint(rest);
}

function redactComponent(component: string): string {
  if (/^[,\s]*$/.test(component) || OPEN_COMPONENT.test(component)) return component;
  const [, name, signature] = SIGNATURE_COMPONENT.exec(component) ?? [];
  return name === undefined || signature === undefined ? fingerprint(component) : `${name}${fingerprint(signature)}`;
}
