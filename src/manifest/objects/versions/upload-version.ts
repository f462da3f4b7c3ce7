import type { Call } from '../../../observe/call.ts';
import type { BodyFacts } from '../../../protocol/body/object-body.ts';
import type { Checksum } from '../../../protocol/checksums/algorithms.ts';
import { ABSENT, type ContentHeaders, type WriteResult, at } from '../../../store/blob-store.ts';
import { StoreError } from '../../../store/store-error.ts';
import { bodySize } from '../../../streams/bytes.ts';
import { recordOf } from '../../records/new-record.ts';
import { blobMetadata } from '../../records/overflow.ts';
import { type ObjectRecord, partitionHeaders, partitionUserMetadata } from '../../records/record.ts';
import { ownKey, versionRef } from '../../records/version-names.ts';
import { type VersionToken, seqOfToken } from '../../records/version-token.ts';
import type { NewObject, PutRequest, PutTarget } from '../object-requests.ts';
import { type KeyPlace } from './stamp.ts';
import { type WrittenVersion, writeOwn } from './version-blob.ts';

/** Bytes on a version's own blob, with what the answer will say. */
export interface UploadedVersion extends WrittenVersion {
  readonly etag: string;
  readonly size: number;
  readonly checksum?: Checksum;
}

/** Which version the bytes are for. */
export interface OwnPlace {
  readonly token: VersionToken;
  readonly isNull: boolean;
}

/** What a new object's own blob says of it. */
export function ownRecord({ bucket, key }: KeyPlace, object: NewObject, { token, isNull }: OwnPlace): ObjectRecord {
  return { kind: 'inline', seq: seqOfToken(token), ...(isNull && { isNull }), ...recordOf(bucket, key, object), ...ownKey(bucket, key) };
}

/** Records say an ETag only where it is not the MD5 that the service keeps. */
export function ownEtag({ etag }: PutRequest): { etag?: string } {
  return etag === undefined ? {} : { etag };
}

/** What is the same for every blob of a new object. */
export function nativeParts({ attributes }: NewObject): { native: Readonly<Record<string, string>>; headers: ContentHeaders } {
  return { native: partitionUserMetadata(attributes.userMetadata).native, headers: partitionHeaders(attributes.headers).native };
}

/**
 * Stores a body on a version's own blob, which nobody sees before a head names it. One call; a second one when a
 * checksum came behind the bytes, and parts of a private blob when they are too many for one write.
 */
export async function uploadVersion({ bucket, key, request }: PutTarget, own: OwnPlace, call: Call): Promise<UploadedVersion> {
  const ref = versionRef(bucket, key, own.token);
  const { store } = bucket.home;
  const { native, headers } = nativeParts(request);
  const record = { ...ownRecord({ bucket, key }, request, own), ...ownEtag(request) };
  const size = bodySize(request.body);
  const isHuge = size > store.capabilities.maxWrite;
  const first = isHuge ? undefined : await writeBody({ bucket, key, request }, { own, record }, call);
  const staged = isHuge ? await store.stagePart(ref, request.body, call) : undefined;

  const facts: BodyFacts = request.facts === undefined ? {} : await request.facts;
  const etag = request.etag ?? first?.md5 ?? request.md5 ?? facts.md5;
  if (etag === undefined) throw new StoreError('unexpected', { call: 'write', code: 'NoMd5InAnswer' });
  const checksum = request.checksum ?? (facts.checksum && ({ ...facts.checksum, type: 'FULL_OBJECT' } as const));
  const whole: ObjectRecord = { ...record, ...(isHuge && { etag }), ...(checksum !== undefined && { checksum }) };
  const isComplete = first !== undefined && checksum === request.checksum;
  const metadata = isComplete ? undefined : await blobMetadata(bucket.home, whole, native, call);
  let revision = first?.revision;
  if (staged !== undefined && metadata !== undefined) {
    ({ revision } = await store.assemble(ref, { tokens: staged.tokens, headers, metadata, condition: ABSENT }, call));
  } else if (first !== undefined && metadata !== undefined) {
    ({ revision } = await store.setMetadata(ref, metadata, at(first.revision), call));
  }
  return { record: { ...whole, etag, size }, native, headers, etag, size, ...(revision && { revision }), ...(checksum && { checksum }) };
}

async function writeBody({ bucket, key, request }: PutTarget, { own, record }: { own: OwnPlace; record: ObjectRecord }, call: Call): Promise<WriteResult> {
  const { native, headers } = nativeParts(request);
  const metadata = await blobMetadata(bucket.home, record, native, call);
  const write: PutRequest['body'] = request.body;
  const wire = { headers, metadata, ...(request.md5 !== undefined && { md5: request.md5 }) };
  return writeOwn(bucket, versionRef(bucket, key, own.token), { body: write, request: wire }, call);
}
