import { OWNERSHIPS } from '../../protocol/acl/ownership.ts';
import type { BlobMetadata } from '../../store/blob-store.ts';
import type { BucketSettings, Versioning } from './bucket.ts';
import { type AclCode, decodeAcl, encodeAcl } from './acl-code.ts';
import { type UnknownFields, addUnknown, toAsciiJson } from './fields.ts';
import { RECORD_NAME } from './record.ts';

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
  /**
   * The container was made for this bucket alone and carries its uid; a container without it belongs to another bucket.
   * Absent in the record of a container that other tools made.
   */
  readonly owned?: boolean;
  /** Absent: the bucket lives. */
  readonly state?: BucketState;
  /** Fields that this release does not know; code that changes the record writes them back. */
  readonly unknown?: UnknownFields;
}

/**
 * What is under way with a bucket, or over (docs/decisions/0015-containers-and-fences.md). `claimed`: CreateBucket has
 * the name, and not yet a container that is proven to be the bucket's own. `deleting`: the DeleteBucket of this id
 * makes sure that it is empty; a request that takes the mark away keeps the bucket. `deleted`: it is no more, and will
 * not be again; what is left of it is its container, until `isGone`.
 */
export type BucketState =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'deleting'; readonly id: string }
  | { readonly kind: 'deleted'; readonly id: string; readonly isGone?: boolean };

const FORMAT = 1;
/**
 * Format of buckets whose settings name a KMS key for new objects. A release that does not know this setting would
 * silently encrypt them with the service's own keys; this number makes it refuse the record instead.
 */
const ENCRYPTING_FORMAT = 2;
/**
 * Format of buckets that ask for events. A release that does not know of them would change objects without announcing
 * that, and destroy what proves the changes that others have announced (docs/decisions/0047-events.md).
 */
const ANNOUNCING_FORMAT = 3;
const STATES: ReadonlySet<string> = new Set<BucketState['kind']>(['claimed', 'deleting', 'deleted']);

/** Written beside every state, and never read: the last millisecond of a Date. */
const FOR_EVER = 8_640_000_000_000_000;

type SettingsJson = Omit<BucketSettings, 'acl'> & { readonly acl?: AclCode | undefined };
type BucketRecordJson = Omit<BucketRecord, 'settings' | 'unknown'> & {
  readonly format: number;
  readonly settings: SettingsJson;
  readonly deletingSince?: number;
};

export function encodeBucketRecord({ unknown, ...record }: BucketRecord): { body: Buffer; metadata: BlobMetadata } {
  const format = formatOf(record.settings);
  const summary = { v: format, s: record.createdAt, o: isListed(record) ? record.owner : '', c: record.container };
  const json: BucketRecordJson = {
    format,
    ...record,
    settings: { ...record.settings, acl: encodeAcl(record.settings.acl) },
    ...(record.state !== undefined && { deletingSince: FOR_EVER }),
  };
  const known: Record<string, unknown> = { ...json };
  addUnknown(known, unknown);
  return { body: Buffer.from(JSON.stringify(known)), metadata: { [RECORD_NAME]: toAsciiJson(summary) } };
}

function formatOf({ encryption, notifications }: Pick<BucketSettings, 'encryption' | 'notifications'>): number {
  if (notifications !== undefined) return ANNOUNCING_FORMAT;
  return encryption?.kms === undefined ? FORMAT : ENCRYPTING_FORMAT;
}

function isListed({ state }: BucketRecord): boolean {
  return state === undefined || state.kind === 'deleting';
}

/** @throws Error when the blob is no bucket record, or one of a later release */
export function decodeBucketRecord(bytes: Buffer): BucketRecord {
  const json = JSON.parse(bytes.toString()) as Partial<BucketRecordJson>;
  const isKnown = json.format === FORMAT || json.format === formatOf(json.settings ?? {});
  if (!isKnown || json.uid === undefined || json.owner === undefined || json.container === undefined) {
    throw new Error(`bucket record of format ${String(json.format)} cannot be read by this release`);
  }
  const unknown = unknownIn(json);
  return {
    uid: json.uid,
    owner: json.owner,
    createdAt: json.createdAt ?? 0,
    container: json.container,
    versioning: json.versioning ?? 'never',
    settings: decodeSettings(json.settings ?? {}),
    ...(json.versionedSince !== undefined && { versionedSince: json.versionedSince }),
    ...(json.owned === true && { owned: true }),
    ...decodeState(json.state),
    ...(unknown && { unknown }),
  };
}

const KNOWN: ReadonlySet<string> = new Set<keyof BucketRecordJson>([
  'format',
  'uid',
  'owner',
  'createdAt',
  'container',
  'versioning',
  'versionedSince',
  'settings',
  'owned',
  'state',
  'deletingSince',
]);

function unknownIn(json: object): UnknownFields | undefined {
  const unknown = Object.entries(json).filter(([name]) => !KNOWN.has(name));
  return unknown.length === 0 ? undefined : Object.fromEntries(unknown);
}

/** @throws Error for a state this release does not know */
function decodeState(state: BucketState | undefined): { state?: BucketState } {
  if (state === undefined) return {};
  if (!STATES.has(state.kind)) throw new Error(`a bucket that is ${state.kind} cannot be read by this release`);
  return { state };
}

/** @throws Error for an ownership this release does not know: to guess would open or close a door */
function decodeSettings({ acl, ...settings }: SettingsJson): BucketSettings {
  const { ownership } = settings;
  if (ownership !== undefined && !OWNERSHIPS.includes(ownership)) {
    throw new Error(`ownership ${ownership} cannot be read by this release`);
  }
  return { ...settings, ...(acl !== undefined && { acl: decodeAcl(acl) }) };
}

interface BucketSummary {
  /** Empty: ListBuckets does not show the bucket, but its container does not count as native either. */
  readonly owner: string;
  readonly createdAt: number;
  readonly container: string;
}

export function decodeBucketSummary(metadata: BlobMetadata): BucketSummary | undefined {
  const text = metadata[RECORD_NAME];
  if (text === undefined) return undefined;
  const json = JSON.parse(text) as { s?: number; o?: string; c?: string };
  return json.o === undefined || json.c === undefined
    ? undefined
    : { owner: json.o, createdAt: json.s ?? 0, container: json.c };
}
