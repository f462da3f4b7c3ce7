import type { Backend } from './realm.ts';
import type { Call } from '../../observe/call.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { decodeBucketSummary } from '../records/bucket-record.ts';

/** What the names of all bucket records begin with. */
export const RECORDS = 'b/';
/** Begins what stands for the name of a bucket in the records of places. No bucket's name has this character. */
const PLACE = '~';

/** The blob in the system container with the record of a bucket that has a container. */
export function namedRecord(bucket: string): string {
  return RECORDS + bucket;
}

/**
 * The blob with the record of a part of a container. It is named by the place, which stays when the configuration gives
 * the place another name (docs/decisions/0031-parts-of-containers.md).
 * @param place the place's id
 */
export function placeRecord(place: string): string {
  return namedRecord(placeContainer(place));
}

/** What stands for the container in the record of a place, whose own name is the bucket's and may change. */
export function placeContainer(place: string): string {
  return PLACE + place;
}

/** Whether a record is that of a place. @param name of the blob */
function isPlaceRecord(name: string): boolean {
  return name.startsWith(namedRecord(PLACE));
}

/** What a record claims. */
interface Claimed {
  /** Absent: the configuration gives the name to a place, which hides the bucket. */
  readonly bucket?: string;
  /** As the store knows it. */
  readonly container: string;
}

/**
 * What a record claims, from what a listing says of it. Undefined: nothing now. It is that of a place which the
 * configuration does not name, or of a bucket whose own container a place hides.
 * @param container what the record says
 */
export function claimedBy(
  { places = new Map() }: Pick<Backend, 'places'>,
  name: string,
  container: string,
): Claimed | undefined {
  if (isPlaceRecord(name)) {
    const bucket = [...places].find(([, place]) => placeRecord(place) === name)?.[0];
    return bucket === undefined ? undefined : { bucket, container: bucket };
  }
  const bucket = name.slice(RECORDS.length);
  if (!places.has(bucket)) return { bucket, container };
  return bucket === container ? undefined : { container };
}

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
