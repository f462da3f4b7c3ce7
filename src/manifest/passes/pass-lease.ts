import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobRef, type Condition, type Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';

/** How far a pass over a bucket has come. Each kind of pass adds what it needs to go on from there. */
export interface PassProgress {
  /** When the pass began, by the service's clock; milliseconds. */
  readonly startedAt: number;
  /** `over`: all of it is done. */
  readonly phase: string;
}

/** A kind of pass: how its progress is kept. */
export interface PassKind<P extends PassProgress> {
  /** The progress lies in the blob `l/<uid>/<name>` of the system container. */
  readonly name: string;
  /** Whether JSON could be a progress that this kind has written. Other tools can write the blob, too. */
  readonly isProgress: (json: unknown) => json is P;
}

interface Note<P> {
  /** Who works on the bucket; empty: nobody. */
  readonly holder: string;
  readonly progress: P;
}

/** A run that has written nothing for so long has died, or is not heard any more. Milliseconds. */
export const LEASE_MS = 120_000;
/** Some names of keys as JSON, and what is beside them. Bytes. */
const MAX_NOTE = 64 * 1024;
/** A holder writes down how far it has come when so much time has passed; services want a second between two writes. */
const SAVE_MS = 10_000;

/**
 * The right to make a pass of one kind over one bucket, so that several runs share the buckets instead of listing all
 * of them each. It is claimed by compare-and-swap, and it is over by the service's clock. It guards nothing: two runs
 * that have it at once must do what one of them could have done alone.
 */
export class PassLease<P extends PassProgress> {
  readonly #place: Place<P>;
  readonly #holder: string;
  #revision: Revision;
  #progress: P;
  #savedAt: number;
  readonly #monotonic: () => number;

  private constructor(place: Place<P>, claimed: Claimed<P>, monotonic: () => number) {
    this.#place = place;
    this.#holder = claimed.holder;
    this.#revision = claimed.revision;
    this.#progress = claimed.progress;
    this.#monotonic = monotonic;
    this.#savedAt = monotonic();
  }

  /**
   * @param wanted given what the last pass left, how this one begins; undefined: there is nothing to be done now
   * @returns undefined: another run has it, or nothing is wanted
   */
  static async claim<P extends PassProgress>(
    place: Place<P>,
    { now, monotonic, wanted }: ClaimRequest<P>,
    call: Call,
  ): Promise<PassLease<P> | undefined> {
    const found = await readNote(place, call);
    const isHeld = found?.note !== undefined && found.note.holder !== '';
    if (isHeld && found.lastModified + LEASE_MS > now) return undefined;
    const progress = wanted(found?.note?.progress);
    if (progress === undefined) return undefined;
    const holder = randomUUID();
    try {
      const condition = found === undefined ? ABSENT : at(found.revision);
      const revision = await writeNote(place, { holder, progress }, condition, call);
      return new PassLease(place, { holder, progress, revision }, monotonic);
    } catch (error) {
      if (isStoreError(error, 'conditionFailed')) return undefined;
      throw error;
    }
  }

  get progress(): P {
    return this.#progress;
  }

  /** Goes on to there; writes it down now and then. @throws StoreError conditionFailed: another run has taken over */
  async advance(progress: P, call: Call): Promise<void> {
    this.#progress = progress;
    if (this.#monotonic() - this.#savedAt < SAVE_MS) return;
    await this.#write(this.#holder, call);
    this.#savedAt = this.#monotonic();
  }

  /** Lets others work on the bucket. @throws as `advance` */
  async release(call: Call): Promise<void> {
    await this.#write('', call);
  }

  async #write(holder: string, call: Call): Promise<void> {
    const note = { holder, progress: this.#progress };
    this.#revision = await writeNote(this.#place, note, at(this.#revision), call);
  }
}

/** Which pass over which bucket it is. */
interface Place<P extends PassProgress> {
  readonly bucket: Bucket;
  readonly kind: PassKind<P>;
}

interface Claimed<P> extends Note<P> {
  readonly revision: Revision;
}

interface ClaimRequest<P> {
  /** By the service's clock, milliseconds. */
  readonly now: number;
  readonly monotonic: () => number;
  readonly wanted: (before: P | undefined) => P | undefined;
}

function noteRef({
  bucket: { uid, home },
  kind,
}: {
  readonly bucket: Bucket;
  readonly kind: { name: string };
}): BlobRef {
  return { container: home.system, name: `l/${uid}/${kind.name}` };
}

interface FoundNote<P> {
  /** Undefined: what lies there is no note. The pass begins anew, and writes one over it. */
  readonly note: Note<P> | undefined;
  readonly revision: Revision;
  /** By the service's clock, milliseconds. */
  readonly lastModified: number;
}

async function readNote<P extends PassProgress>(place: Place<P>, call: Call): Promise<FoundNote<P> | undefined> {
  try {
    const { properties, body } = await place.bucket.home.store.read(noteRef(place), {}, call);
    const isTooLong = body.size > MAX_NOTE;
    if (isTooLong) body.discard();
    const note = isTooLong ? undefined : noteIn((await readAll(body)).toString(), place.kind);
    return { note, revision: properties.revision, lastModified: properties.lastModified };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** What could not be ours is not believed. */
function noteIn<P extends PassProgress>(text: string, { isProgress }: PassKind<P>): Note<P> | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { holder, progress } = (json ?? {}) as Partial<Record<keyof Note<P>, unknown>>;
  return typeof holder === 'string' && isProgress(progress) ? { holder, progress } : undefined;
}

async function writeNote<P extends PassProgress>(
  place: Place<P>,
  note: Note<P>,
  condition: Condition,
  call: Call,
): Promise<Revision> {
  const body = Buffer.from(JSON.stringify(note));
  const written = await place.bucket.home.store.write(noteRef(place), body, { metadata: {}, condition }, call);
  return written.revision;
}
