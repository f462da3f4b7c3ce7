import type { BlobMetadata, ContentHeaders } from '../../store/blob-store.ts';
import { type LooseRecord, RECORD_NAME, decodeRecord } from './record.ts';
import { NamedValues } from '../../observe/named-values.ts';

/**
 * Metadata name of an upload's claim, on the private blob that its parts were assembled to
 * (`versions/upload-claim.ts`).
 */
export const CLAIM_NAME = 's3up';

/** What the gateway says of a blob. @throws RecordFormatError */
export function recordIn(metadata: BlobMetadata): LooseRecord | undefined {
  const text = metadata[RECORD_NAME];
  return text === undefined ? undefined : decodeRecord(text);
}

/** What native tools and S3 clients call user metadata. */
export function nativeIn(metadata: BlobMetadata): Readonly<Record<string, string>> {
  const native = new NamedValues();
  for (const name in metadata) {
    const value = metadata[name];
    if (value !== undefined && name !== RECORD_NAME && name !== CLAIM_NAME) native[name] = value;
  }
  return native;
}

/** The upload's claim as it stands, to go with metadata that takes the place of this. */
export function claimIn(metadata: BlobMetadata): BlobMetadata {
  const claim = metadata[CLAIM_NAME];
  return claim === undefined ? {} : { [CLAIM_NAME]: claim };
}

/**
 * Ours; and a name that programs in JavaScript take for a member of every object (Azurite answers a function's text
 * with it).
 */
const RESERVED: ReadonlySet<string> = new Set([RECORD_NAME, CLAIM_NAME, 'constructor']);
const NATIVE_NAME = /^[a-z][a-z0-9_]*$/;
const NATIVE_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * User metadata that the cloud can hold goes where native tools see it; the rest goes into the record.
 * (Azure: names are C# identifiers, compared without case; values are header text.)
 */
export function partitionUserMetadata(userMetadata: Readonly<Record<string, string>>): {
  native: Record<string, string>;
  rest: Record<string, string> | undefined;
} {
  const native = new NamedValues();
  let rest: Record<string, string> | undefined;
  for (const [name, value] of Object.entries(userMetadata)) {
    if (!RESERVED.has(name) && NATIVE_NAME.test(name) && NATIVE_VALUE.test(value)) native[name] = value;
    else (rest ??= new NamedValues())[name] = value;
  }
  return { native, rest };
}

/** The same for content headers: a value that is no plain header text would break the service's signatures. */
export function partitionHeaders(headers: ContentHeaders): {
  native: ContentHeaders;
  rest: ContentHeaders | undefined;
} {
  const native: Record<string, string> = {};
  let rest: Record<string, string> | undefined;
  for (const [name, value] of Object.entries<string>({ ...headers })) {
    if (NATIVE_VALUE.test(value)) native[name] = value;
    else (rest ??= {})[name] = value;
  }
  return { native, rest };
}
