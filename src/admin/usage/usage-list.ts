import { type KnownUsage, NO_USAGE, type Quota, snapshotOf, totalOf } from '../../manifest/index.ts';
import type { AccountUsage, BucketUsage, QuotaUsage, UsageList } from './contract.ts';

/** A bucket of which something is known, and where it is. */
export interface FoundUsage extends KnownUsage {
  readonly backend: string;
}

/** What else is known of buckets and accounts. */
export interface UsageSurroundings {
  /** Name of an account by its canonical id. */
  readonly accountName: (ownerId: string) => string | undefined;
  readonly ofBucket: (name: string) => Quota | undefined;
  readonly ofAccount: (ownerId: string) => { readonly quota: Quota } | undefined;
  readonly maxAgeMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function usageList(found: readonly FoundUsage[], surroundings: UsageSurroundings): UsageList {
  const accounts = Map.groupBy(found, ({ ownerId }) => ownerId);
  return {
    askedAt: isoTime(surroundings.now),
    buckets: found.map((one) => bucketUsage(one, surroundings)).sort(byName),
    accounts: [...accounts].map(([ownerId, buckets]) => accountUsage(ownerId, buckets, surroundings)).sort(byName),
  };
}

function bucketUsage(found: FoundUsage, surroundings: UsageSurroundings): BucketUsage {
  const { bucket, backend, ownerId, counted } = found;
  const { classes, markers, uploads, parts, partBytes } = counted ?? NO_USAGE;
  const quota = surroundings.ofBucket(bucket);
  return {
    name: bucket,
    backend,
    account: surroundings.accountName(ownerId) ?? ownerId,
    ...(counted && { at: isoTime(counted.startedAt) }),
    classes,
    markers,
    uploads: { count: uploads, parts, bytes: partBytes },
    ...totalOf(counted ?? NO_USAGE),
    ...(quota && { quota: quotaUsage(quota, [found], surroundings) }),
  };
}

function accountUsage(ownerId: string, found: readonly FoundUsage[], surroundings: UsageSurroundings): AccountUsage {
  const counted = found.flatMap((one) => (one.counted === undefined ? [] : [one.counted]));
  const totals = counted.map(totalOf);
  const at = counted.length === 0 ? undefined : Math.min(...counted.map(({ startedAt }) => startedAt));
  const quota = surroundings.ofAccount(ownerId)?.quota;
  return {
    name: surroundings.accountName(ownerId) ?? ownerId,
    buckets: counted.length,
    objects: totals.reduce((sum, { objects }) => sum + objects, 0),
    bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(at !== undefined && { at: isoTime(at) }),
    ...(quota && { quota: quotaUsage(quota, found, surroundings) }),
  };
}

function quotaUsage(
  { bytes, objects }: Quota,
  found: readonly FoundUsage[],
  { now, maxAgeMs }: UsageSurroundings,
): QuotaUsage {
  const used = snapshotOf(found, { now, maxAgeMs, writer: '', ownSpans: () => [] });
  return {
    ...(bytes !== undefined && { bytes }),
    ...(objects !== undefined && { objects }),
    usedBytes: used.bytes,
    usedObjects: used.objects,
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

const COLUMNS = [
  'account',
  'bucket',
  'backend',
  'countedAt',
  'storageClass',
  'currentObjects',
  'currentBytes',
  'noncurrentObjects',
  'noncurrentBytes',
  'deleteMarkers',
  'uploads',
  'uploadParts',
  'uploadBytes',
] as const;

type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number | undefined>>>;

/**
 * The same for a spreadsheet: a row for each class of each bucket, and one without a class for what has none: delete
 * markers and open uploads.
 */
export function usageCsv({ buckets }: UsageList): string {
  const rows = buckets.flatMap(({ name, account, backend, at, classes, markers, uploads }): Row[] => {
    const of = { account, bucket: name, backend, countedAt: at };
    const others = {
      deleteMarkers: markers,
      uploads: uploads.count,
      uploadParts: uploads.parts,
      uploadBytes: uploads.bytes,
    };
    return [...classes.map((one) => ({ ...of, ...one })), { ...of, ...others }];
  });
  const lines = rows.map((row) => COLUMNS.map((column) => field(row[column] ?? '')).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

/** A text that a spreadsheet would take for a formula gets an apostrophe: names are chosen by tenants. */
function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
