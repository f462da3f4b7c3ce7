import type { Call } from '../../observe/call.ts';
import { blobsOf, containersOf, pagesOf } from '../../store/pages.ts';
import { SHARED_MARK } from '../../store/placed-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { readAll } from '../../streams/bytes.ts';
import { type BucketRecord, decodeBucketRecord } from '../records/bucket-record.ts';
import { SYSTEM_MARK, ownerMark } from './container-names.ts';
import type { Backend } from './realm.ts';

const CONCURRENCY = 8;

/** A bucket and a container that do not belong together as they should. */
interface ContainerDispute {
  readonly container: string;
  /** Buckets whose records name it. */
  readonly buckets: readonly string[];
  readonly detail: string;
  /** What the operator can do. */
  readonly advice: string;
}

interface Claimant {
  readonly bucket: string;
  readonly record: BucketRecord;
}

type Named = ReadonlyMap<string, readonly Claimant[]>;

/**
 * Finds containers that two buckets share, that carry the mark of another bucket than the one whose record names them,
 * that have lost their mark, or whose mark names a bucket that no longer exists. Costs the lists and one read for each
 * bucket.
 */
export async function auditContainers(backend: Backend, call: Call): Promise<ContainerDispute[]> {
  const named = await recordsByContainer(backend, call);
  const marks = new Map<string, string | undefined>();
  for await (const { name, owner } of containersOf(backend.store, call)) marks.set(name, owner);
  const disputes = [...named].flatMap(([container, claimants]) => judge(container, claimants, marks));
  const uids = new Set([...named.values()].flat().map(({ record }) => ownerMark(record.uid)));
  for (const [container, mark] of marks) {
    if (mark === undefined || mark === SYSTEM_MARK || mark === SHARED_MARK || named.has(container)) continue;
    disputes.push({
      container,
      buckets: [],
      detail: uids.has(mark)
        ? `container ${container} was made for a bucket that has another one by now`
        : `container ${container} was made for a bucket that this gateway does not have`,
      advice:
        'if it is of no other gateway, and empty or of no use, remove it; if its blobs are to be kept, remove its mark, and it is a bucket of its own name',
    });
  }
  return disputes;
}

function judge(
  container: string,
  claimants: readonly Claimant[],
  marks: ReadonlyMap<string, string | undefined>,
): ContainerDispute[] {
  const buckets = claimants.map(({ bucket }) => bucket);
  const living = claimants.filter(({ record }) => record.state === undefined);
  const found = (detail: string, advice: string): ContainerDispute[] => [{ container, buckets, detail, advice }];
  if (claimants.length > 1) {
    return found(
      `buckets ${buckets.join(', ')} share container ${container}: none of those is served whose mark it does not carry`,
      'find out whose its blobs are, copy them elsewhere with tools of the cloud, remove the record b/<bucket> of the other in the system container, and create that bucket anew',
    );
  }
  const [only] = living;
  if (only === undefined || !marks.has(container)) return [];
  const mark = marks.get(container);
  if (mark === undefined && only.record.owned !== true) return [];
  if (mark === ownerMark(only.record.uid)) return [];
  if (mark === SHARED_MARK) {
    return found(
      `container ${container} of bucket ${only.bucket} has parts that buckets.prefixes gives to others; the bucket is not served`,
      `remove these prefixes from the configuration, or the record b/${only.bucket} in the system container`,
    );
  }
  const whose =
    mark === undefined ? 'has lost its mark: somebody has made it anew' : 'carries the mark of another bucket';
  return found(
    `container ${container} of bucket ${only.bucket} ${whose}; the bucket is not served`,
    `if its blobs are the bucket's, set its mark to ${ownerMark(only.record.uid)}; else remove the record b/${only.bucket} in the system container, and create the bucket anew`,
  );
}

async function recordsByContainer({ store, systemContainer }: Backend, call: Call): Promise<Named> {
  const named = new Map<string, Claimant[]>();
  try {
    for await (const page of pagesOf(store, systemContainer, { prefix: 'b/' }, call)) {
      await mapConcurrent(blobsOf(page), CONCURRENCY, async ({ name }) => {
        const record = await readRecord({ store, systemContainer }, name, call);
        if (record === undefined) return;
        const claimants = named.get(record.container) ?? [];
        named.set(record.container, claimants);
        claimants.push({ bucket: name.slice('b/'.length), record });
      });
    }
  } catch (error) {
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  for (const claimants of named.values()) claimants.sort((a, b) => (a.bucket < b.bucket ? -1 : 1));
  return named;
}

/** @returns undefined for one that was removed meanwhile */
async function readRecord(
  { store, systemContainer }: Pick<Backend, 'store' | 'systemContainer'>,
  name: string,
  call: Call,
): Promise<BucketRecord | undefined> {
  try {
    const { body } = await store.read({ container: systemContainer, name }, {}, call);
    return decodeBucketRecord(await readAll(body));
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}
