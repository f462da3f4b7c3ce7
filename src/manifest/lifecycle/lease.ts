import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobRef, type Condition, type Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Check } from '../records/fields.ts';
import { isMoment, isText } from '../records/record-checks.ts';

const PHASES = ['objects', 'uploads', 'over'] as const;

/** How far a pass over a bucket has come. */
export interface Progress {
  /** When the pass began, by the service's clock; milliseconds. */
  readonly startedAt: number;
  readonly phase: (typeof PHASES)[number];
  /** The prefix that is being listed. Absent: the first one is next. */
  readonly prefix?: string;
  /** All of the prefix has been judged. */
  readonly isDone?: boolean;
  /** Everything beneath the prefix up to this key has been judged; empty: nothing. */
  readonly after: string;
  /** Of uploads of that key: up to this one. */
  readonly afterUpload?: string;
}

/** The blob `l/<uid>/pass` of the system container. */
interface Note {
  /** Who works on the bucket; empty: nobody. */
  readonly holder: string;
  readonly progress: Progress;
}

/** A sweeper that has written nothing for so long has died, or is not heard any more. Milliseconds. */
export const LEASE_MS = 120_000;
/** Two names of keys as JSON, and what is beside them. Bytes. */
const MAX_NOTE = 32 * 1024;
/** A holder writes down how far it has come when so much time has passed; services want a second between two writes. */
const SAVE_MS = 10_000;

/**
 * The right to work on the lifecycle of one bucket, so that several sweepers share the buckets instead of listing all
 * of them each. It is claimed by compare-and-swap, and it is over by the service's clock. It guards nothing: what two
 * sweepers do to one version, each of them could have done alone.
 */
export class Lease {
  readonly #bucket: Bucket;
  readonly #holder: string;
  #revision: Revision;
  #progress: Progress;
  #savedAt: number;
  readonly #monotonic: () => number;

  private constructor(bucket: Bucket, claimed: Claimed, monotonic: () => number) {
    this.#bucket = bucket;
    this.#holder = claimed.holder;
    this.#revision = claimed.revision;
    this.#progress = claimed.progress;
    this.#monotonic = monotonic;
    this.#savedAt = monotonic();
  }

  /**
   * @param wanted given what the last pass left, how this one begins; undefined: there is nothing to be done now
   * @returns undefined: another sweeper has it, or nothing is wanted
   */
  static async claim(bucket: Bucket, { now, monotonic, wanted }: ClaimRequest, call: Call): Promise<Lease | undefined> {
    const found = await readNote(bucket, call);
    const isHeld = found?.note !== undefined && found.note.holder !== '';
    if (isHeld && found.lastModified + LEASE_MS > now) return undefined;
    const progress = wanted(found?.note?.progress);
    if (progress === undefined) return undefined;
    const holder = randomUUID();
    try {
      const condition = found === undefined ? ABSENT : at(found.revision);
      const revision = await writeNote(bucket, { holder, progress }, condition, call);
      return new Lease(bucket, { holder, progress, revision }, monotonic);
    } catch (error) {
      if (isStoreError(error, 'conditionFailed')) return undefined;
      throw error;
    }
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Goes on to there; writes it down now and then. @throws StoreError conditionFailed: another run has taken over */
  async advance(progress: Progress, call: Call): Promise<void> {
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
    this.#revision = await writeNote(this.#bucket, note, at(this.#revision), call);
  }
}

interface Claimed extends Note {
  readonly revision: Revision;
}

interface ClaimRequest {
  /** By the service's clock, milliseconds. */
  readonly now: number;
  readonly monotonic: () => number;
  readonly wanted: (before: Progress | undefined) => Progress | undefined;
}

function noteRef({ uid, home }: Bucket): BlobRef {
  return { container: home.system, name: `l/${uid}/pass` };
}

interface FoundNote {
  /** Undefined: what lies there is no note. The pass begins anew, and writes one over it. */
  readonly note: Note | undefined;
  readonly revision: Revision;
  /** By the service's clock, milliseconds. */
  readonly lastModified: number;
}

async function readNote(bucket: Bucket, call: Call): Promise<FoundNote | undefined> {
  try {
    const { properties, body } = await bucket.home.store.read(noteRef(bucket), {}, call);
    const isTooLong = body.size > MAX_NOTE;
    if (isTooLong) body.discard();
    const note = isTooLong ? undefined : noteIn((await readAll(body)).toString());
    return { note, revision: properties.revision, lastModified: properties.lastModified };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Other tools can write the blob, too: what could not be ours is not believed. */
function noteIn(text: string): Note | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { holder, progress } = (json ?? {}) as Partial<Record<keyof Note, unknown>>;
  const said = (progress ?? {}) as Partial<Record<keyof Progress, unknown>>;
  const isOurs = isText(holder) && PROGRESS.every(([name, check]) => check(said[name]));
  return isOurs ? (json as Note) : undefined;
}

const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const PROGRESS: readonly (readonly [keyof Progress, Check])[] = [
  ['startedAt', isMoment],
  ['phase', (value) => PHASES.some((phase) => phase === value)],
  ['prefix', orAbsent(isText)],
  ['isDone', orAbsent((value) => typeof value === 'boolean')],
  ['after', isText],
  ['afterUpload', orAbsent(isText)],
];

async function writeNote(bucket: Bucket, note: Note, condition: Condition, call: Call): Promise<Revision> {
  const body = Buffer.from(JSON.stringify(note));
  const written = await bucket.home.store.write(noteRef(bucket), body, { metadata: {}, condition }, call);
  return written.revision;
}
