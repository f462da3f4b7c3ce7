import { OWNERSHIPS } from '../../protocol/acl/ownership.ts';
import type { BlobMetadata } from '../../store/blob-store.ts';
import type { BucketSettings, Versioning } from './bucket.ts';
import { type AclCode, decodeAcl, encodeAcl } from '../records/acl-code.ts';
import { RECORD_NAME, toAsciiJson } from '../records/record.ts';

/**
 * The record of a bucket: blob `b/<bucket>` in the system container, changed by compare-and-swap.
 * The body holds all of it; the metadata repeats what ListBuckets needs, so that one list call serves it.
 */
export interface BucketRecord {
  readonly uid: string;
  /** Canonical id. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Container that holds the heads. */
  readonly container: string;
  readonly versioning: Versioning;
  /** When versioning left `never`, unless that was at creation; milliseconds since the epoch. */
  readonly versionedSince?: number;
  readonly settings: BucketSettings;
  /** Set while DeleteBucket makes sure that the bucket is empty; milliseconds since the epoch. */
  readonly deletingSince?: number;
}

const FORMAT = 1;

type SettingsJson = Omit<BucketSettings, 'acl'> & { readonly acl?: AclCode | undefined };
type BucketRecordJson = Omit<BucketRecord, 'settings'> & { readonly format: number; readonly settings: SettingsJson };

export function encodeBucketRecord(record: BucketRecord): { body: Buffer; metadata: BlobMetadata } {
  const summary = { v: FORMAT, s: record.createdAt, o: record.owner, c: record.container };
  const json: BucketRecordJson = { format: FORMAT, ...record, settings: { ...record.settings, acl: encodeAcl(record.settings.acl) } };
  return { body: Buffer.from(JSON.stringify(json)), metadata: { [RECORD_NAME]: toAsciiJson(summary) } };
}

/** @throws Error when the blob is no bucket record, or one of a later release */
export function decodeBucketRecord(bytes: Buffer): BucketRecord {
  const json = JSON.parse(bytes.toString()) as Partial<BucketRecordJson>;
  if (json.format !== FORMAT || json.uid === undefined || json.owner === undefined || json.container === undefined) {
    throw new Error(`bucket record of format ${String(json.format)} cannot be read by this release`);
  }
  return {
    uid: json.uid,
    owner: json.owner,
    createdAt: json.createdAt ?? 0,
    container: json.container,
    versioning: json.versioning ?? 'never',
    settings: decodeSettings(json.settings ?? {}),
    ...(json.versionedSince !== undefined && { versionedSince: json.versionedSince }),
    ...(json.deletingSince !== undefined && { deletingSince: json.deletingSince }),
  };
}

/** @throws Error for an ownership this release does not know: to guess would open or close a door */
function decodeSettings({ acl, ...settings }: SettingsJson): BucketSettings {
  const { ownership } = settings;
  if (ownership !== undefined && !OWNERSHIPS.includes(ownership)) throw new Error(`ownership ${ownership} cannot be read by this release`);
  return { ...settings, ...(acl !== undefined && { acl: decodeAcl(acl) }) };
}

export interface BucketSummary {
  readonly owner: string;
  readonly createdAt: number;
  readonly container: string;
}

export function decodeBucketSummary(metadata: BlobMetadata): BucketSummary | undefined {
  const text = metadata[RECORD_NAME];
  if (text === undefined) return undefined;
  const json = JSON.parse(text) as { s?: number; o?: string; c?: string };
  return json.o === undefined || json.c === undefined ? undefined : { owner: json.o, createdAt: json.s ?? 0, container: json.c };
}
