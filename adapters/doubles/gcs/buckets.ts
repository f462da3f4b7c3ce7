import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { checkBeforeBucketChange } from './preconditions.ts';
import { Refusal, invalid } from './refusal.ts';
import { isObject } from './resource.ts';
import type { Json } from './resource.ts';
import { checkBucketName } from './rules.ts';
import { OWN_PROJECT, StoredBucket } from './state.ts';

/**
 * New buckets keep what is deleted for a week (https://cloud.google.com/storage/docs/soft-delete#retention-duration).
 */
const WEEK = String(7 * 24 * 60 * 60);
/** Buckets on a page at most. */
const MAX_ROWS = 1000;

/** https://cloud.google.com/storage/docs/json_api/v1/buckets/insert */
export async function insertBucket({ state, query, json }: Exchange): Promise<Answer> {
  if (query.get('project') === null) throw invalid('Required parameter: project');
  const resource = await json();
  const { name, versioning } = resource;
  if (typeof name !== 'string') throw invalid('Required');
  checkBucketName(name);
  state.countBucketChange();
  if (isObject(versioning) && versioning['enabled'] === true) {
    throw new Refusal(501, 'notImplemented', 'The double keeps no versions.');
  }
  // The namespace is everybody's (https://cloud.google.com/storage/docs/buckets#considerations).
  const taken = state.buckets.get(name);
  if (taken !== undefined) {
    throw new Refusal(
      409,
      'conflict',
      isOwn(taken)
        ? 'Your previous request to create the named bucket succeeded and you already own it.'
        : 'The requested bucket name is not available.',
    );
  }
  const bucket = new StoredBucket(name, bucketFields(resource), Date.now());
  state.buckets.set(name, bucket);
  return ok(bucketResource(bucket));
}

/** What a resource says of its bucket; the service's own defaults for the rest. */
function bucketFields(resource: Json): StoredBucket['fields'] {
  const { location, storageClass, softDeletePolicy, hierarchicalNamespace, lifecycle, retentionPolicy, autoclass } =
    resource;
  const retention = isObject(softDeletePolicy) ? softDeletePolicy['retentionDurationSeconds'] : undefined;
  return {
    location: typeof location === 'string' ? location : 'US',
    storageClass: typeof storageClass === 'string' ? storageClass : 'STANDARD',
    softDeleteSeconds: typeof retention === 'string' || typeof retention === 'number' ? String(retention) : WEEK,
    hierarchicalNamespace: isObject(hierarchicalNamespace) && hierarchicalNamespace['enabled'] === true,
    hasAutoclass: isObject(autoclass) && autoclass['enabled'] === true,
    labels: labelsOf(resource['labels']),
    ...(isObject(lifecycle) && { lifecycle }),
    ...(isObject(retentionPolicy) && { retentionPolicy }),
  };
}

/** https://cloud.google.com/storage/docs/json_api/v1/buckets/get */
export function getBucket({ state, bucket }: Exchange): Answer {
  return ok(bucketResource(state.bucket(bucket)));
}

/** https://cloud.google.com/storage/docs/json_api/v1/buckets/patch, labels and retention policy only. */
export async function patchBucket({ state, bucket: name, query, json }: Exchange): Promise<Answer> {
  const patch = await json();
  const bucket = state.bucket(name);
  checkBeforeBucketChange(bucket, query);
  const { labels, retentionPolicy } = patch;
  bucket.fields = {
    ...bucket.fields,
    labels: { ...bucket.fields.labels, ...labelsOf(labels) },
    ...(isObject(retentionPolicy) && { retentionPolicy }),
  };
  bucket.metageneration += 1;
  return ok(bucketResource(bucket));
}

/** https://cloud.google.com/storage/docs/json_api/v1/buckets/delete */
export function deleteBucket({ state, bucket: name, query }: Exchange): Answer {
  state.countBucketChange();
  const bucket = state.bucket(name);
  checkBeforeBucketChange(bucket, query);
  if (bucket.objects.size > 0) throw new Refusal(409, 'conflict', 'The bucket you tried to delete is not empty.');
  state.buckets.delete(name);
  return { status: 204 };
}

/** https://cloud.google.com/storage/docs/json_api/v1/buckets/list */
export function listBuckets({ state, query }: Exchange): Answer {
  if (query.get('project') === null) throw invalid('Required parameter: project');
  const [prefix, after] = [query.get('prefix') ?? '', query.get('pageToken') ?? ''];
  const own = [...state.buckets.values()].filter(isOwn).map(({ name }) => name);
  const names = own.filter((name) => name.startsWith(prefix) && name > after).sort();
  const most = Math.min(Number(query.get('maxResults') ?? MAX_ROWS), state.options.maxBucketRows ?? MAX_ROWS);
  const page = names.slice(0, most);
  const items = page.map((name) => bucketResource(state.bucket(name)));
  const last = page.at(-1);
  return ok({
    kind: 'storage#buckets',
    ...(items.length > 0 && { items }),
    ...(page.length < names.length && last !== undefined && { nextPageToken: last }),
  });
}

function isOwn({ fields }: StoredBucket): boolean {
  return fields.projectNumber === undefined;
}

function bucketResource({ name, fields, metageneration, timeCreated }: StoredBucket): Json {
  return {
    kind: 'storage#bucket',
    id: name,
    name,
    projectNumber: fields.projectNumber ?? OWN_PROJECT,
    location: fields.location,
    locationType: /^(?:US|EU|ASIA)$/.test(fields.location) ? 'multi-region' : 'region',
    storageClass: fields.storageClass,
    ...(fields.lifecycle !== undefined && { lifecycle: fields.lifecycle }),
    ...(fields.retentionPolicy !== undefined && { retentionPolicy: fields.retentionPolicy }),
    metageneration: String(metageneration),
    etag: Buffer.from(String(metageneration)).toString('base64'),
    timeCreated: new Date(timeCreated).toISOString(),
    updated: new Date(timeCreated).toISOString(),
    softDeletePolicy: { retentionDurationSeconds: fields.softDeleteSeconds },
    ...(fields.hasAutoclass && { autoclass: { enabled: true } }),
    ...(fields.hierarchicalNamespace && { hierarchicalNamespace: { enabled: true } }),
    ...(Object.keys(fields.labels).length > 0 && { labels: fields.labels }),
  };
}

function labelsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
