import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import type { BucketUsage } from '../admin/usage/contract.ts';
import { type FoundUsage, usageList, type UsageSurroundings } from '../admin/usage/usage-list.ts';
import { ALL_USAGE, readUsage } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';
import type { Readings } from '../observe/metrics/process-metrics.ts';
import type { OpenBackend } from './backends.ts';
import { type CurrentQuotas, quotaRules } from './quotas.ts';

interface UsageSourceOptions {
  readonly config: Pick<Config, 'quotas'>;
  readonly currentQuotas: CurrentQuotas;
  readonly accounts: AccountDirectory;
  readonly backends: readonly Pick<OpenBackend, 'name' | 'store' | 'systemContainer'>[];
}

interface UsageSource extends Omit<UsageSurroundings, 'now'> {
  readonly read: (call: Call) => Promise<readonly FoundUsage[]>;
}

/** What passes have counted in all backends, and whose it is. */
export function usageSource({ config, currentQuotas, accounts, backends }: UsageSourceOptions): UsageSource {
  return {
    ...quotaRules(currentQuotas, accounts),
    maxAgeMs: config.quotas.maxAgeMs,
    accountName: (ownerId) => accounts.byCanonicalId(ownerId)?.name,
    read: async (call) => {
      const found = await Promise.all(
        backends.map(async ({ name, store, systemContainer: system }) => {
          const known = await readUsage({ store, system }, ALL_USAGE, call);
          return known.map((one): FoundUsage => ({ ...one, backend: name }));
        }),
      );
      return found.flat();
    },
  };
}

interface UsageReadingsOptions extends UsageSourceOptions {
  readonly config: Pick<Config, 'quotas' | 'admin'>;
  readonly newCall: () => Call;
  readonly log: Log;
}

/** How old what metrics say may be: the backends are asked no more often, and only while somebody asks for metrics. */
const REFRESH_MS = 60_000;
/** Series of one metric; the SDK keeps 2,000. */
const MAX_SERIES = 1900;

type Value = readonly [number, Readonly<Record<string, string>>];

/** What lies in buckets, as metrics; none unless the configuration says of how many. */
export function usageReadings({ config, newCall, log, ...options }: UsageReadingsOptions): Readings {
  const most = config.admin.usageMetrics;
  if (most === 0) return {};
  const { read, ...surroundings } = usageSource({ config, ...options });
  let buckets: readonly BucketUsage[] = [];
  let askedAt = -Infinity;
  const latest = (): readonly BucketUsage[] => {
    if (performance.now() - askedAt >= REFRESH_MS) {
      askedAt = performance.now();
      read(newCall()).then(
        (found) => (buckets = usageList(found, { ...surroundings, now: Date.now() }).buckets),
        (error: unknown) => log.warn({ err: error }, 'what was counted in buckets cannot be read; metrics are old'),
      );
    }
    return buckets;
  };
  const largest = (): readonly BucketUsage[] =>
    latest()
      .toSorted((a, b) => b.bytes - a.bytes)
      .slice(0, most);
  const series = (of: (bucket: BucketUsage) => readonly Value[]) => () => largest().flatMap(of).slice(0, MAX_SERIES);
  return {
    s3gw_usage_bytes: series(bytesOf),
    s3gw_usage_objects: series(objectsOf),
    s3gw_usage_counted_timestamp_seconds: series((bucket) =>
      bucket.at === undefined ? [] : [[Date.parse(bucket.at) / 1000, labelsOf(bucket)]],
    ),
    s3gw_usage_buckets_left_out: () => [[Math.max(0, latest().length - most)]],
  };
}

function labelsOf({ backend, account, name }: BucketUsage): Readonly<Record<string, string>> {
  return { backend, account, bucket: name };
}

function bytesOf(bucket: BucketUsage): Value[] {
  const labels = labelsOf(bucket);
  return [
    ...bucket.classes.flatMap(({ storageClass, currentBytes, noncurrentBytes }): Value[] => [
      [currentBytes, { ...labels, storage_class: storageClass, state: 'current' }],
      [noncurrentBytes, { ...labels, storage_class: storageClass, state: 'noncurrent' }],
    ]),
    [bucket.uploads.bytes, { ...labels, storage_class: '', state: 'upload' }],
  ];
}

function objectsOf(bucket: BucketUsage): Value[] {
  const labels = labelsOf(bucket);
  return [
    ...bucket.classes.flatMap(({ storageClass, currentObjects, noncurrentObjects }): Value[] => [
      [currentObjects, { ...labels, storage_class: storageClass, state: 'current' }],
      [noncurrentObjects, { ...labels, storage_class: storageClass, state: 'noncurrent' }],
    ]),
    [bucket.markers, { ...labels, storage_class: '', state: 'marker' }],
    [bucket.uploads.count, { ...labels, storage_class: '', state: 'upload' }],
    [bucket.uploads.parts, { ...labels, storage_class: '', state: 'part' }],
  ];
}
