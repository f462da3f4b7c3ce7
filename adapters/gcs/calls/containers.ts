import type { ContainerEntry, ContainerRequest } from '../../../src/store/blob-store.ts';
import { CONTAINER_OF_OTHERS, StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { ClockReading } from '../../../src/store/survey.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { GcsClient } from '../client.ts';
import { checkKind } from './list.ts';
import { BUCKETS_PATH, bucketPath } from '../paths.ts';
import { jsonBody } from '../request.ts';
import type { QueryPairs } from '../revision.ts';

interface BucketResource {
  readonly name: string;
  /** RFC 3339. */
  readonly timeCreated: string;
  /** Decimal. */
  readonly projectNumber: string | number;
  readonly hierarchicalNamespace: { readonly enabled?: boolean };
  readonly labels: Readonly<Record<string, string>>;
}

interface BucketPage {
  readonly kind: string;
  readonly items: readonly Partial<BucketResource>[];
  readonly nextPageToken: string;
}

const FIELDS = 'name,timeCreated,projectNumber,hierarchicalNamespace,labels';
/**
 * Whose a bucket is (https://cloud.google.com/storage/docs/tags-and-labels#bucket-labels: lower case, 63 characters).
 */
const OWNER_LABEL = 's3gw-bucket';

/**
 * https://cloud.google.com/storage/docs/json_api/v1/buckets/insert. Soft delete is off, or everything staged and
 * removed would be paid for for a week more (https://cloud.google.com/storage/docs/soft-delete); access is by IAM
 * alone, never public.
 */
export async function createContainer(
  client: GcsClient,
  container: string,
  { owner }: ContainerRequest,
  call: Call,
): Promise<ContainerEntry> {
  const name = client.names.bucketOf(container);
  const bucket = {
    name,
    ...client.buckets,
    ...(owner !== undefined && { labels: { [OWNER_LABEL]: owner } }),
    softDeletePolicy: { retentionDurationSeconds: '0' },
    iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'enforced' },
  };
  const query: QueryPairs = [
    ['project', await client.credentials.projectId()],
    ['fields', FIELDS],
  ];
  const request = {
    call: 'createContainer',
    method: 'POST',
    path: BUCKETS_PATH,
    query,
    ...jsonBody(bucket),
    effect: 'change',
    changes: name,
    missing: 'bucket',
    conflict: 'containerExists',
  } as const;
  try {
    const made = await client.rest.sendForJson<BucketResource>(request, call);
    client.projectNumber = projectOf(made);
    return entryOf(container, made);
  } catch (error) {
    if (!isStoreError(error, 'containerExists')) throw error;
    throw await existsError(client, container, error, call);
  }
}

/** The name is taken, by us or by somebody else; one of ours must be of a kind that holds any name. */
async function existsError(client: GcsClient, container: string, cause: StoreError, call: Call): Promise<unknown> {
  try {
    await headContainer(client, container, call);
  } catch (error) {
    // Gone again: taken is all that can be said.
    if (!isStoreError(error, 'containerNotFound')) return error;
  }
  return new StoreError('containerExists', { ...cause.detail, cause });
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/buckets/get. Only what lies in our project counts: who was first to
 * take a name that we would take can let everybody write there, and would be given what is meant for us.
 * @throws StoreError containerBusy for a bucket of another project; unexpected for one with folders of its own
 */
export async function headContainer(client: GcsClient, container: string, call: Call): Promise<ContainerEntry> {
  const bucket = await readableBucket(client, container, call);
  if (bucket === undefined || projectOf(bucket) !== client.projectNumber) {
    const own = await ownBucket(client, container, call);
    if (own === undefined) throw foreign(client.names.bucketOf(container));
    client.projectNumber = projectOf(own);
    if (bucket === undefined) throw new StoreError('denied', { call: 'headContainer', status: 403 });
  }
  if (bucket.hierarchicalNamespace?.enabled === true) throw hierarchical(client.names.bucketOf(container));
  return entryOf(container, bucket);
}

function entryOf(name: string, { timeCreated = '', labels = {} }: Partial<BucketResource>): ContainerEntry {
  const owner = labels[OWNER_LABEL];
  return { name, lastModified: Date.parse(timeCreated), ...(owner !== undefined && { owner }) };
}

/** @returns undefined when it is there and we may not see it. @throws StoreError containerNotFound */
async function readableBucket(
  client: GcsClient,
  container: string,
  call: Call,
): Promise<Partial<BucketResource> | undefined> {
  const path = bucketPath(client, container);
  try {
    return await client.rest.sendForJson<BucketResource>(
      { call: 'headContainer', method: 'GET', path, query: [['fields', FIELDS]], effect: 'read', missing: 'bucket' },
      call,
    );
  } catch (error) {
    if (!isStoreError(error, 'denied')) throw error;
    return undefined;
  }
}

/**
 * The bucket, if our project has it. The list is in the order of the names
 * (https://cloud.google.com/storage/docs/json_api/v1/buckets/list), so the first that begins with this name is the one;
 * a page may be empty and yet not be the last.
 */
async function ownBucket(
  client: GcsClient,
  container: string,
  call: Call,
): Promise<Partial<BucketResource> | undefined> {
  const prefix = client.names.bucketOf(container);
  let token: string | undefined;
  do {
    const { items: [first] = [], nextPageToken } = await bucketPage(
      client,
      { call: 'listContainers', prefix, token, limit: 1 },
      call,
    );
    if (first !== undefined) return first.name === prefix ? first : undefined;
    token = nextPageToken;
  } while (token !== undefined && token !== '');
  return undefined;
}

/** Emulators that know of no projects have one. */
function projectOf({ projectNumber = '' }: Partial<BucketResource>): string {
  return String(projectNumber);
}

/**
 * The names of buckets are one namespace for everybody (https://cloud.google.com/storage/docs/buckets#considerations).
 */
function foreign(bucket: string): StoreError {
  const cause = new Error(
    `bucket ${bucket} belongs to another project: choose names, or a bucketPrefix, that nobody else uses`,
  );
  return new StoreError('containerBusy', { call: 'headContainer', code: CONTAINER_OF_OTHERS, cause });
}

/**
 * There, folders are objects of another kind, and listings and limits differ
 * (https://cloud.google.com/storage/docs/hns-overview).
 */
function hierarchical(bucket: string): StoreError {
  const cause = new Error(
    `bucket ${bucket} has a hierarchical namespace, which cannot hold every S3 key: use a bucket without one`,
  );
  return new StoreError('unexpected', { call: 'headContainer', code: 'HierarchicalNamespace', cause });
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/buckets/list. Buckets with folders of their own are left out, as
 * are other prefixes.
 */
export async function listContainers(
  client: GcsClient,
  token: string | undefined,
  call: Call,
): Promise<{ containers: ContainerEntry[]; nextToken?: string }> {
  const { prefix } = client.names;
  const { items = [], nextPageToken } = await bucketPage(
    client,
    { call: 'listContainers', prefix, token, limit: 1000 },
    call,
  );
  const containers = items.flatMap((bucket) => {
    const container = client.names.containerOf(bucket.name ?? '');
    return container === undefined || bucket.hierarchicalNamespace?.enabled === true
      ? []
      : [entryOf(container, bucket)];
  });
  return { containers, ...(nextPageToken !== undefined && nextPageToken !== '' && { nextToken: nextPageToken }) };
}

/** The cheapest call that needs the credential: one bucket of the list. */
export async function ping(client: GcsClient, call: Call): Promise<void> {
  await bucketPage(client, { call: 'ping', prefix: client.names.prefix, token: undefined, limit: 1 }, call);
}

/** Asked without a credential, so that a clock that is wrong cannot keep it from being told. */
export function readClock(client: GcsClient, call: Call): Promise<ClockReading> {
  return client.rest.readClock(BUCKETS_PATH, call);
}

interface PageRequest {
  readonly call: string;
  readonly prefix: string;
  readonly token: string | undefined;
  readonly limit: number;
}

async function bucketPage(client: GcsClient, page: PageRequest, call: Call): Promise<Partial<BucketPage>> {
  const query: QueryPairs = [
    ['project', await client.credentials.projectId()],
    ['maxResults', String(page.limit)],
    ['fields', `kind,items(${FIELDS}),nextPageToken`],
  ];
  if (page.prefix !== '') query.push(['prefix', page.prefix]);
  if (page.token !== undefined) query.push(['pageToken', page.token]);
  const answer = await client.rest.sendForJson<BucketPage>(
    { call: page.call, method: 'GET', path: BUCKETS_PATH, query, effect: 'read', missing: 'bucket' },
    call,
  );
  checkKind(answer, 'storage#buckets', page.call);
  return answer;
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/buckets/delete takes empty buckets only, and so does this: what
 * came at the last moment stays.
 */
export async function removeContainer(client: GcsClient, container: string, call: Call): Promise<void> {
  const path = bucketPath(client, container);
  const changes = client.names.bucketOf(container);
  const request = {
    call: 'removeContainer',
    method: 'DELETE',
    path,
    effect: 'change',
    changes,
    missing: 'bucket',
    conflict: 'containerNotEmpty',
  } as const;
  try {
    await client.rest.sendForHeaders(request, call);
  } catch (error) {
    // Not empty: 409 as documented, 412 of an emulator.
    throw isStoreError(error, 'conditionFailed')
      ? new StoreError('containerNotEmpty', { ...error.detail, cause: error })
      : error;
  }
}
