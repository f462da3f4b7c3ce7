import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobRef, type BlobStore, type Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { RECORD_NAME } from '../records/record.ts';
import type { Time } from '../records/time.ts';

const EMPTY = new Uint8Array(0);
/** A holder that has written nothing for so long has died, or is not heard any more. Milliseconds. */
const LEASE_MS = 20_000;
/** A holder renews it after so long. */
const RENEW_MS = 5_000;
/** Nobody holds it. */
const FREE = '-';

/**
 * The right to send the events of a bucket: blob `l/<uid>/events` of the system container, claimed by compare-and-swap,
 * over by the service's clock. It keeps the events of a key in order, as one process sends them. If a holder stalls for
 * so long that another takes over, an event may be sent twice; none is lost.
 */
export class EventLease {
  readonly #place: LeasePlace;
  readonly #holder: string;
  #revision: Revision;
  #writtenAt: number;

  private constructor(place: LeasePlace, holder: string, revision: Revision) {
    this.#place = place;
    this.#holder = holder;
    this.#revision = revision;
    this.#writtenAt = place.time.monotonic();
  }

  /** @param now by the service's clock, milliseconds. @returns undefined: another process has it */
  static async claim(place: LeasePlace, now: number, call: Call): Promise<EventLease | undefined> {
    const { store, ref } = place;
    const holder = randomUUID();
    try {
      const found = await find(place, call);
      if (found !== undefined && found.holder !== FREE && found.lastModified + LEASE_MS > now) return undefined;
      const condition = found === undefined ? ABSENT : at(found.revision);
      const { revision } = await store.write(ref, EMPTY, { metadata: { [RECORD_NAME]: holder }, condition }, call);
      return new EventLease(place, holder, revision);
    } catch (error) {
      if (isStoreError(error, 'conditionFailed')) return undefined;
      throw error;
    }
  }

  /**
   * To be called before anything is sent or removed. @throws StoreError conditionFailed: another process has taken over
   */
  async hold(call: Call): Promise<void> {
    if (this.#place.time.monotonic() - this.#writtenAt >= RENEW_MS) await this.#write(this.#holder, call);
  }

  /** Lets others have it. */
  async release(call: Call): Promise<void> {
    await this.#write(FREE, call);
  }

  async #write(holder: string, call: Call): Promise<void> {
    const { store, ref, time } = this.#place;
    const request = { metadata: { [RECORD_NAME]: holder }, condition: at(this.#revision) };
    this.#revision = (await store.write(ref, EMPTY, request, call)).revision;
    this.#writtenAt = time.monotonic();
  }
}

interface LeasePlace {
  readonly store: Pick<BlobStore, 'head' | 'write'>;
  readonly ref: BlobRef;
  readonly time: Pick<Time, 'monotonic'>;
}

async function find(
  { store, ref }: LeasePlace,
  call: Call,
): Promise<{ holder: string; revision: Revision; lastModified: number } | undefined> {
  try {
    const { metadata, revision, lastModified } = await store.head(ref, call);
    return { holder: metadata[RECORD_NAME] ?? FREE, revision, lastModified };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}
