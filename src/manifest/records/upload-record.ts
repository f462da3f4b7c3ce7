import type { Acl } from '../../protocol/acl/acl.ts';
import type { ChecksumAlgorithm, ChecksumType } from '../../protocol/checksums/algorithms.ts';
import type { BlobMetadata } from '../../store/blob-store.ts';
import type { ObjectAttributes } from './object-view.ts';
import { type AclCode, decodeAcl, encodeAcl } from './acl-code.ts';
import { RECORD_NAME, toAsciiJson } from './record.ts';

/** Who started an upload, when it was not the account that will own the object: a user of it, or another account. */
export interface Initiator {
  /** ARN of a user, canonical id of an account. */
  readonly id: string;
  readonly displayName: string;
}

/** Decided when the upload is created. */
export interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: ChecksumType;
}

/** What listings and parts need to know of an upload: rides on its blob as metadata. */
export interface UploadSummary {
  readonly ownerId: string;
  /** Absent: the owner. */
  readonly initiator?: Initiator;
  /** Absent: STANDARD. */
  readonly storageClass?: string;
  readonly checksum?: UploadChecksum;
  /** The true key, when the blob's name had to be cut. */
  readonly key?: string;
  /** The upload's seq was taken above the head of its key: its version may be committed below those that came since. */
  readonly placed?: boolean;
}

/** All that the object will have from its initiation: body of the blob. */
export interface UploadRecord extends UploadSummary, UploadContent {}

/** What is needed only when the object is made. */
export interface UploadContent {
  readonly attributes: ObjectAttributes;
  /** Absent: private to the owner. */
  readonly acl?: Acl;
}

const FORMAT = 1;

interface SummaryJson {
  v: number;
  o: string;
  i?: readonly [id: string, displayName: string] | undefined;
  c?: string | undefined;
  h?: readonly [ChecksumAlgorithm, ChecksumType] | undefined;
  k?: string | undefined;
  p?: 1 | undefined;
}

interface ContentJson {
  format: number;
  attributes: ObjectAttributes;
  acl?: AclCode | undefined;
}

export function encodeUpload(record: UploadRecord): { body: Buffer; metadata: BlobMetadata } {
  const summary: SummaryJson = {
    v: FORMAT,
    o: record.ownerId,
    i: record.initiator && [record.initiator.id, record.initiator.displayName],
    c: record.storageClass,
    h: record.checksum && [record.checksum.algorithm, record.checksum.type],
    k: record.key,
    p: record.placed === true ? 1 : undefined,
  };
  const content: ContentJson = { format: FORMAT, attributes: record.attributes, acl: encodeAcl(record.acl) };
  return {
    body: Buffer.from(JSON.stringify(content)),
    metadata: { [RECORD_NAME]: toAsciiJson(summary) },
  };
}

/** @throws Error when the metadata is none of ours, or of a later release */
export function decodeSummary(metadata: BlobMetadata): UploadSummary {
  const json = JSON.parse(metadata[RECORD_NAME] ?? '{}') as Partial<SummaryJson>;
  if (json.v !== FORMAT || json.o === undefined) throw new Error(`upload record of format ${json.v ?? 'none'} cannot be read by this release`);
  return {
    ownerId: json.o,
    ...(json.i !== undefined && { initiator: { id: json.i[0], displayName: json.i[1] } }),
    ...(json.c !== undefined && { storageClass: json.c }),
    ...(json.h !== undefined && { checksum: { algorithm: json.h[0], type: json.h[1] } }),
    ...(json.k !== undefined && { key: json.k }),
    ...(json.p !== undefined && { placed: true }),
  };
}

/** @throws Error as `decodeSummary` */
export function decodeContent(body: Buffer): UploadContent {
  const json = JSON.parse(body.toString()) as Partial<ContentJson>;
  if (json.format !== FORMAT || json.attributes === undefined) throw new Error('upload record is damaged');
  return { attributes: json.attributes, ...(json.acl !== undefined && { acl: decodeAcl(json.acl) }) };
}
