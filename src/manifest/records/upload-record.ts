import type { Acl } from '../../protocol/acl/acl.ts';
import type { ChecksumAlgorithm, ChecksumType } from '../../protocol/checksums/algorithms.ts';
import type { BlobMetadata } from '../../store/blob-store.ts';
import type { ObjectAttributes } from './object-view.ts';
import { type AclCode, decodeAcl, encodeAcl } from './acl-code.ts';
import { type EncryptedBy, type EncryptedByCode, decodeEncryptedBy, encodeEncryptedBy } from './encryption.ts';
import { FLAG, type FieldTable, TEXT, coded, codecOfFields, toAsciiJson } from './fields.ts';
import { RECORD_NAME } from './record.ts';

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
  /** What all parts have to be encrypted with. */
  readonly encryption?: EncryptedBy;
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
  /** Headers of the request that created it, by name, which conditions on its parts ask for. */
  readonly said?: Readonly<Record<string, string>>;
}

const FORMAT = 1;
/** Of an upload whose parts are encrypted: a release that knows no encryption would take plain ones for it. */
const ENCRYPTED_FORMAT = 2;

/** The field table of an open upload, in the order in which it is written. Nothing rewrites it. */
export const UPLOAD_FIELDS = {
  ownerId: { code: 'o', form: TEXT, meaning: 'canonical id of the owner of what the upload becomes', absent: '-' },
  initiator: {
    code: 'i',
    meaning: 'who started it: ARN of a user or canonical id, display name',
    absent: 'the owner',
    form: coded<Initiator, readonly [string, string]>(
      ({ id, displayName }) => [id, displayName],
      ([id, displayName]) => ({ id, displayName }),
    ),
  },
  storageClass: { code: 'c', form: TEXT, meaning: 'storage class', absent: 'STANDARD' },
  checksum: {
    code: 'h',
    meaning: 'checksum that was asked for: algorithm, type',
    absent: 'none',
    form: coded<UploadChecksum, readonly [ChecksumAlgorithm, ChecksumType]>(
      ({ algorithm, type }) => [algorithm, type],
      ([algorithm, type]) => ({ algorithm, type }),
    ),
  },
  encryption: {
    code: 'en',
    form: coded<EncryptedBy, EncryptedByCode>(encodeEncryptedBy, decodeEncryptedBy),
    meaning:
      "what all parts are encrypted with: `c`, salt and check of a customer's key, or `k` and the name of a KMS key; or `a`, they are archived",
    absent: 'as the service encrypts all blobs',
  },
  key: {
    code: 'k',
    form: TEXT,
    meaning: "the true key, when the blob's name had to be cut",
    absent: 'the name says it',
  },
  placed: { code: 'p', form: FLAG, meaning: 'its seq was taken above the head of its key', absent: 'it was not' },
} as const satisfies FieldTable;

const CODEC = codecOfFields(UPLOAD_FIELDS, ['v']);

interface ContentJson {
  format: number;
  attributes: ObjectAttributes;
  acl?: AclCode | undefined;
  said?: Readonly<Record<string, string>> | undefined;
}

export function encodeUpload(record: UploadRecord): { body: Buffer; metadata: BlobMetadata } {
  const summary: Record<string, unknown> = { v: record.encryption === undefined ? FORMAT : ENCRYPTED_FORMAT };
  CODEC.encode(record, summary);
  const { attributes, said } = record;
  const content: ContentJson = { format: FORMAT, attributes, acl: encodeAcl(record.acl), said };
  return {
    body: Buffer.from(JSON.stringify(content)),
    metadata: { [RECORD_NAME]: toAsciiJson(summary) },
  };
}

/** @throws Error when the metadata is none of ours, or of a later release */
export function decodeSummary(metadata: BlobMetadata): UploadSummary {
  const json = JSON.parse(metadata[RECORD_NAME] ?? '{}') as { readonly v?: number };
  const summary = CODEC.decode(json).fields as Partial<UploadSummary>;
  const format = summary.encryption === undefined ? FORMAT : ENCRYPTED_FORMAT;
  if (json.v !== format || summary.ownerId === undefined) {
    throw new Error(`upload record of format ${json.v ?? 'none'} cannot be read by this release`);
  }
  return { ...summary, ownerId: summary.ownerId };
}

/** @throws Error as `decodeSummary` */
export function decodeContent(body: Buffer): UploadContent {
  const json = JSON.parse(body.toString()) as Partial<ContentJson>;
  if (json.format !== FORMAT || json.attributes === undefined) throw new Error('upload record is damaged');
  const { attributes, acl, said } = json;
  return { attributes, ...(acl !== undefined && { acl: decodeAcl(acl) }), ...(said !== undefined && { said }) };
}
