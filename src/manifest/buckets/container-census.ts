import type { Call } from '../../observe/call.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { decodeBucketSummary } from '../records/bucket-record.ts';
import type { Backend } from './realm.ts';
import { RECORDS, isPlaceRecord } from './record-names.ts';

/** The records that name each container, by bucket. */
export type NamedContainers = ReadonlyMap<string, readonly string[]>;

/** Reads which containers the bucket records of a backend name: one list call for each thousand records. */
export async function namedContainers(backend: Backend, call: Call): Promise<NamedContainers> {
  const named = new Map<string, string[]>();
  try {
    for await (const page of pagesOf(backend.store, backend.systemContainer, { prefix: RECORDS }, call)) {
      for (const { name, metadata } of blobsOf(page)) {
        const container = decodeBucketSummary(metadata)?.container;
        if (container === undefined || isPlaceRecord(name)) continue;
        const bucket = name.slice(RECORDS.length);
        const others = named.get(container);
        if (others === undefined) named.set(container, [bucket]);
        else others.push(bucket);
      }
    }
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  return named;
}
