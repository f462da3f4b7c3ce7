import { isBucketName } from '../../protocol/bucket-name.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobProperties } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { blobsOf, containersOf } from '../../store/pages.ts';
import { readAll } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import { type BucketRecord, decodeBucketRecord } from '../records/bucket-record.ts';
import { nativeBucketRecord, nativeUid } from '../buckets/bucket-records.ts';
import { isPlacedUid } from '../buckets/container-names.ts';
import { toBucket } from '../buckets/bucket-store.ts';
import { RECORDS, claimedBy } from '../buckets/record-names.ts';
import type { UnsettledBucket } from './sweep-buckets.ts';
import type { SweepRun } from './sweep-run.ts';

/** Regions of the system container in which each bucket has a folder of its own. */
export const BUCKET_REGIONS = ['v/', 'x/', 'u/', 'e/', 'l/', 'n/', 'q/'] as const;

/** The buckets of a backend, and what is left of deleted ones. */
export interface Census {
  /** The buckets that the configuration looks for in this backend. */
  readonly buckets: readonly Bucket[];
  /** Records of buckets that are being made or deleted, or were. */
  readonly unsettled: readonly UnsettledBucket[];
  /** Uids that own something in the system container although no bucket has them. */
  readonly deletedUids: readonly string[];
  /** The uids of all buckets, including those that the configuration looks for elsewhere. */
  readonly liveUids: ReadonlySet<string>;
}

/**
 * Counts buckets and leftovers. Leftovers are listed before buckets: if a uid is seen and no bucket has it afterwards,
 * its bucket was deleted, because no uid is given twice. A record that cannot be read ends the sweep of the backend,
 * since its uid cannot be known.
 */
export async function takeCensus(run: SweepRun, isHere: (bucket: string) => boolean, call: Call): Promise<Census> {
  const found = await uidsWithBlobs(run, call);
  const live = new Set<string>();
  const containers = new Set([run.system]);
  const buckets: Bucket[] = [];
  const unsettled: UnsettledBucket[] = [];
  const add = (name: string | undefined, record: BucketRecord, properties?: BlobProperties): void => {
    // Leftovers of a deleted bucket are removed after the grace period, when no request for it is under way any more.
    if (record.state?.kind !== 'deleted' || properties === undefined || !run.isPastGrace(properties)) {
      live.add(record.uid);
    }
    if (name === undefined || !isHere(name)) return;
    const { state } = record;
    if (state === undefined) {
      buckets.push(toBucket(run.backend, name, { record }));
    } else if (properties !== undefined) {
      const { revision, lastModified } = properties;
      unsettled.push({ name, record: { ...record, state }, revision, lastModified });
    }
  };
  for await (const page of run.pages(run.system, { prefix: RECORDS }, call)) {
    await run.each(blobsOf(page), async ({ name }) => {
      const read = await readRecord(run, name, call);
      if (read === undefined) return;
      const { record, properties } = read;
      const claimed = claimedBy(run.backend, name, record.container);
      if (claimed !== undefined) containers.add(claimed.container);
      add(claimed?.bucket, { ...record, ...(claimed && { container: claimed.container }) }, properties);
    });
  }
  for await (const container of containersOf(run.store, call)) {
    live.add(nativeUid(container));
    const isNative = container.owner === undefined && !containers.has(container.name) && isBucketName(container.name);
    if (isNative) add(container.name, nativeBucketRecord(run.backend, container));
  }
  // The configuration may name the part of a container again later, and its heads are still there.
  for (const uid of found.filter(isPlacedUid)) live.add(uid);
  buckets.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { buckets, unsettled, deletedUids: found.filter((uid) => !live.has(uid)), liveUids: live };
}

interface ReadRecord {
  readonly record: BucketRecord;
  readonly properties: BlobProperties;
}

/** @returns undefined for one that was removed meanwhile; its leftovers are for the next sweep */
async function readRecord(run: SweepRun, name: string, call: Call): Promise<ReadRecord | undefined> {
  try {
    const { properties, body } = await run.store.read({ container: run.system, name }, {}, call);
    return { record: decodeBucketRecord(await readAll(body)), properties };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

async function uidsWithBlobs(run: SweepRun, call: Call): Promise<string[]> {
  const uids = new Set<string>();
  for (const prefix of BUCKET_REGIONS) {
    for await (const page of run.pages(run.system, { prefix, delimiter: '/' }, call)) {
      for (const entry of page) {
        if (entry.kind === 'prefix') uids.add(entry.name.slice(prefix.length, -1));
      }
    }
  }
  return [...uids];
}
