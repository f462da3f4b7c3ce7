import { invalid } from './refusal.ts';

/** https://cloud.google.com/storage/docs/objects#naming */
const MAX_NAME_BYTES = 1024;
const ACME = '.well-known/acme-challenge/';
/** https://cloud.google.com/storage/quotas#objects: 8 KiB for keys and values of custom metadata together. */
const MAX_METADATA_BYTES = 8 * 1024;
/**
 * https://cloud.google.com/storage/docs/buckets#naming; names with dots need a proof of the domain, which nobody gives
 * here.
 */
const BUCKET_NAME = /^[a-z0-9][a-z0-9_-]{1,61}[a-z0-9]$/;

/** @throws Refusal 400 */
export function checkObjectName(name: string): void {
  if (name === '') throw invalid('Required parameter: name');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw invalid(
      `The maximum object length is ${MAX_NAME_BYTES} characters, but got a name with ${Buffer.byteLength(name)} characters`,
    );
  }
  if (/[\r\n]/.test(name)) throw invalid('Disallowed unicode characters present in object name');
  if (name === '.' || name === '..') throw invalid(`Invalid object name: ${name}`);
  if (name.startsWith(ACME)) throw invalid(`Object names must not start with ${ACME}`);
  if (!name.isWellFormed()) throw invalid('Object name is not valid UTF-8');
}

/** @throws Refusal 400 */
export function checkBucketName(name: string): void {
  const reserved = name.startsWith('goog') || /google|g00gle/.test(name);
  if (!BUCKET_NAME.test(name) || reserved) throw invalid(`Invalid bucket name: '${name}'`);
}

/** @throws Refusal 400 */
export function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  let size = 0;
  for (const [name, value] of Object.entries(metadata)) size += Buffer.byteLength(name) + Buffer.byteLength(value);
  if (size > MAX_METADATA_BYTES) {
    throw invalid(`User-specified metadata is too large: ${size} bytes of ${MAX_METADATA_BYTES}`);
  }
}
