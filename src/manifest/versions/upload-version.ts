import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { ABSENT, type BlobRef, type BlobStore, type Revision, type StagedPart, at } from '../../store/blob-store.ts';
import { bodySize } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import { newNonce } from '../records/clock.ts';
import { type ObjectParts, partsOf } from '../heads/new-record.ts';
import { blobMetadata } from '../heads/overflow.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { OwnObject } from '../records/record.ts';
import { ownKey, versionRef } from '../records/version-names.ts';
import { type VersionToken, seqOfToken } from '../records/version-token.ts';
import { type AnyBody, type PutRequest, type PutTarget, hasKnownSize } from '../heads/object-requests.ts';
import { opaqueEtag } from '../heads/head.ts';
import { type StoredEtag, etagWithoutAnswer } from './unanswered-md5.ts';
import { type WrittenObject, writeOwn } from './version-blob.ts';

/** Which version the bytes are for. */
export interface OwnPlace {
  readonly token: VersionToken;
  readonly isNull: boolean;
}

/** What a new object's own blob says of it. */
export function ownRecord({ bucket, key }: KeyRef, { fields }: ObjectParts, { token, isNull }: OwnPlace): OwnObject {
  return { kind: 'inline', seq: seqOfToken(token), ...(isNull && { isNull }), ...fields, ...ownKey({ bucket, key }) };
}

interface Upload {
  readonly bucket: Bucket;
  readonly ref: BlobRef;
  /** As far as it is known before the bytes have gone. */
  readonly draft: OwnObject;
  readonly parts: ObjectParts;
}

interface BodySums extends StoredEtag {
  readonly checksum: Checksum | undefined;
}

interface Uploaded {
  /** As it stands on the blob. */
  readonly record: OwnObject;
  readonly etag: string;
  readonly size: number;
  readonly revision: Revision;
}

/** Stores a body on a version's own blob, which stays unseen until a head names it. */
export async function uploadVersion(target: PutTarget<AnyBody>, own: OwnPlace, call: Call): Promise<WrittenObject> {
  const { bucket, key, request } = target;
  const parts = partsOf(target, request);
  const upload: Upload = {
    bucket,
    ref: versionRef({ bucket, key }, own.token),
    draft: { ...ownRecord(target, parts, own), ...(request.etag !== undefined && { etag: request.etag }) },
    parts,
  };
  const fitsOneWrite = hasKnownSize(target) && bodySize(target.request.body) <= bucket.home.store.capabilities.maxWrite;
  const { record, etag, size, revision } = await (fitsOneWrite
    ? uploadWhole(upload, target.request, call)
    : uploadStaged(upload, request, call));
  const { native, headers } = parts;
  return { native, headers, record: { ...record, etag }, size, revision };
}

/** One call; a second one when a checksum came behind the bytes. */
async function uploadWhole({ bucket, ref, draft, parts }: Upload, request: PutRequest, call: Call): Promise<Uploaded> {
  const { native, headers } = parts;
  const metadata = await blobMetadata(bucket.home, draft, native, call);
  const wire = { headers, metadata, ...(request.md5 !== undefined && { md5: request.md5 }) };
  const { md5, revision } = await writeOwn(bucket, ref, { body: request.body, request: wire }, call);
  const { etag, checksum, kept } = await bodySums(request, md5, async (known) => {
    // The name is used once: what stands there is ours.
    return etagWithoutAnswer(bucket.home.store, { ref, body: request.body, md5: known, isOurs: () => true }, call);
  });
  const size = bodySize(request.body);
  if (checksum === request.checksum && kept) return { record: draft, etag, size, revision };
  const record = { ...draft, ...(!kept && { etag }), ...(checksum && { checksum }) };
  const amended = await bucket.home.store.setMetadata(
    ref,
    await blobMetadata(bucket.home, record, native, call),
    at(revision),
    call,
  );
  return { record, etag, size, revision: amended.revision };
}

/**
 * Parts of a private blob, for bytes that are too many for one write, or whose number is unknown. The service computes
 * no MD5 of them: it is told.
 */
async function uploadStaged(
  { bucket, ref, draft, parts }: Upload,
  request: PutRequest<AnyBody>,
  call: Call,
): Promise<Uploaded> {
  const { store } = bucket.home;
  const { tokens, size } = await stageBody({ store, ref }, request.body, call);
  const { etag, checksum } = await bodySums(request, undefined, async (known) => ({
    etag: known ?? opaqueEtag(newNonce()),
    kept: false,
  }));
  const record = { ...draft, etag, ...(checksum && { checksum }) };
  const metadata = await blobMetadata(bucket.home, record, parts.native, call);
  const md5 = etag.includes('-') ? {} : { md5: etag };
  const { revision } = await store.assemble(
    ref,
    { tokens, headers: parts.headers, metadata, ...md5, condition: ABSENT },
    call,
  );
  return { record, etag, size, revision };
}

async function stageBody(
  { store, ref }: { store: BlobStore; ref: BlobRef },
  body: AnyBody,
  call: Call,
): Promise<StagedPart & { readonly size: number }> {
  if (!('rest' in body)) return { ...(await store.stagePart(ref, body, {}, call)), size: bodySize(body) };
  const { tokens } = await store.stagePart(ref, body.start, {}, call);
  try {
    const rest = await body.rest;
    const end = rest.byteLength > 0 ? (await store.stagePart(ref, rest, {}, call)).tokens : [];
    return { tokens: [...tokens, ...end], size: body.start.size + rest.byteLength };
  } catch (error) {
    // Where parts are blobs of their own they would lie there until the sweeper comes; it does when this fails, too.
    if (!call.signal.aborted) await store.discardParts(ref, call).catch(() => undefined);
    throw error;
  }
}

/**
 * ETag and checksum, which may be known only when the bytes have gone by.
 * @param md5 of the service's answer
 * @param find the ETag where that said none, given the MD5 known from elsewhere
 */
async function bodySums(
  request: PutRequest<AnyBody>,
  md5: string | undefined,
  find: (known: string | undefined) => Promise<StoredEtag>,
): Promise<BodySums> {
  const facts: BodyFacts = request.facts === undefined ? {} : await request.facts;
  const known = request.etag ?? md5;
  const found = known === undefined ? await find(request.md5 ?? facts.md5) : { etag: known, kept: true };
  return { ...found, checksum: request.checksum ?? (facts.checksum && { ...facts.checksum, type: 'FULL_OBJECT' }) };
}
