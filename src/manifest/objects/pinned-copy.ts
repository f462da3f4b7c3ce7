import type { Call } from '../../observe/call.ts';
import type { CopySource } from '../../store/blob-store.ts';
import { blobMetadata } from '../heads/overflow.ts';
import type { HeadRecord, OwnRecord } from '../records/record.ts';
import { sameContentHeaders } from '../heads/head.ts';
import { type ObjectParts, partsOf } from '../heads/new-record.ts';
import { pinSource } from '../heads/copy-source.ts';
import type { CopyObjectRequest } from '../heads/object-requests.ts';
import type { OwnCopy } from '../versions/own-copy.ts';
import type { KeyRef } from '../records/key-ref.ts';

export interface CopyTarget extends KeyRef {
  readonly request: CopyObjectRequest;
}

/** A server-side copy whose source was looked up and pinned to a revision. */
export interface PinnedCopy extends CopyTarget {
  readonly source: CopySource;
  readonly parts: ObjectParts;
  /** Content headers and MD5 of the copy are exactly the source's. */
  readonly sameHeaders: boolean;
  /** The MD5 of the source, where the service knows it. */
  readonly md5?: string;
}

/** @throws StoreError sourceNotFound */
export async function pinCopy(target: CopyTarget, call: Call): Promise<PinnedCopy> {
  const { source: from, sameAttributes } = target.request;
  const parts = partsOf(target, target.request);
  const { source, found } = await pinSource(from, call);
  const sameHeaders = found === undefined ? sameAttributes : sameContentHeaders(parts.headers, found);
  const { md5 } = found ?? from.view;
  return { ...target, parts, source, sameHeaders, ...(md5 !== undefined && { md5 }) };
}

/** What the service is asked to do, without the target of the copy. */
export async function wireOf(
  { bucket, request, parts, source, sameHeaders, md5 }: PinnedCopy,
  record: HeadRecord | OwnRecord,
  call: Call,
): Promise<Omit<OwnCopy, 'target'>> {
  const { native, headers } = parts;
  const metadata = await blobMetadata(bucket.home, record, native, call);
  return { source, size: request.source.view.size, headers, metadata, sameHeaders, ...(md5 !== undefined && { md5 }) };
}

/** The ETag for the record of a copy. The record needs one only if the service does not keep the copy's MD5. */
export function keptEtag({ request }: CopyTarget): { etag?: string } {
  const { view } = request.source;
  return view.md5 === undefined ? { etag: view.etag } : {};
}
