import { ByteBoundedMap } from '../../observe/bounded-map.ts';
import type { Call } from '../../observe/call.ts';
import { type WriteConditions, hasWriteConditions } from '../../protocol/conditions.ts';
import { type KeyRef, keyName } from '../records/key-ref.ts';
import { type Head, type KnownHead, type RememberedHead, type SeenHead, isWholeObject, residentBytes } from './head.ts';
import { KeyWalk } from './key-walk.ts';
import { readHead } from './object-read.ts';

/** About what the heads that were read or written may take, bytes. */
const MAX_BYTES = 12 * 1024 * 1024;
/** A head that was seen, or asked for, longer ago has too often changed to be worth a try. Milliseconds. */
const YOUNG_MS = 30_000;
/** Walks that are followed at a time: of each bucket one of removals and one of copies. */
const MOST_WALKS = 8;

/** What one who goes from key to key does with each of them. */
type WalkKind = 'removals' | 'copies';

/** Does work behind the answer, under a call of its own; of tasks with one name one runs, and the last waits. */
type Later = (name: string, task: (call: Call) => Promise<void>) => void;

interface Entry {
  readonly head: Head;
  readonly bytes: number;
  /** When it was seen, or asked for last. Milliseconds since the epoch. */
  at: number;
}

/**
 * The heads that this process saw: those that it read or wrote last, and those that it listed ahead for clients that
 * remove or copy one key after the other. A head from here saves a round trip, and nothing relies on its being right:
 * it is what the key was at one revision, and whatever is done with it is on condition of that revision
 * (`headToChange`, docs/decisions/0033-remembered-heads.md).
 *
 * Two kinds are worth remembering: a head that names a version's own blob, and one that is the whole object.
 */
export class HeadMemory {
  readonly #heads: ByteBoundedMap<Entry>;
  /** Those used last stand last. */
  readonly #walks = new Map<string, KeyWalk>();
  readonly #now: () => number;
  readonly #later: Later;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number, later: Later, maxBytes = MAX_BYTES) {
    this.#now = now;
    this.#later = later;
    this.#heads = new ByteBoundedMap(maxBytes);
  }

  /** About what is held of heads that were read or written. */
  get bytes(): number {
    return this.#heads.bytes;
  }

  /** What was just read, or written. Undefined: nothing is there. */
  note(place: KeyRef, head: Head | undefined): void {
    const name = keyName(place);
    if (head !== undefined && (namesVersion(place, head) || canBeCopied(place, head))) {
      this.#heads.set(name, { head, bytes: residentBytes(name, head), at: this.#now() });
    } else if (this.#heads.bytes > 0) {
      this.#heads.delete(name);
    }
  }

  /** The key is being changed. A head that names a version stays, as the change begins with it. */
  forget(place: KeyRef): void {
    if (this.#heads.bytes === 0) return;
    const name = keyName(place);
    if (isWholeObject(this.#heads.get(name)?.head.record)) this.#heads.delete(name);
  }

  /**
   * The head as this process saw it last. Undefined: not known, or not since long.
   * @param maxAge since it was seen, or asked for last; milliseconds
   */
  recent(place: KeyRef, maxAge = YOUNG_MS): RememberedHead | undefined {
    const entry = this.#heads.get(keyName(place));
    const now = this.#now();
    if (entry === undefined || Math.abs(now - entry.at) > maxAge) return undefined;
    entry.at = now;
    return { head: entry.head, trust: 'remembered' };
  }

  /**
   * The head of a key of a bucket without versions whose turn it is, if a listing has shown it ahead; each is given
   * once. Where keys are asked for one after the other, the heads of the next ones are listed before their turn. No
   * request waits for such a listing: until it has come, heads are read.
   *
   * docs/decisions/0036-removals-in-a-row.md, docs/decisions/0038-copies-in-one-call.md
   */
  ahead(place: KeyRef, kind: WalkKind): RememberedHead | undefined {
    const name = `${kind} of ${place.bucket.uid}`;
    const walk = this.#walkOf(name);
    const head = walk.take(place.key, YOUNG_MS);
    if (head !== undefined) return { head, trust: 'guessed' };
    if (walk.miss(place)) this.#later(`heads ahead: ${name}`, (call) => walk.list(place, call));
    return undefined;
  }

  #walkOf(name: string): KeyWalk {
    const walk = this.#walks.get(name) ?? new KeyWalk(this.#now);
    this.#walks.delete(name);
    this.#walks.set(name, walk);
    const [oldest] = this.#walks.keys();
    if (this.#walks.size > MOST_WALKS && oldest !== undefined) this.#walks.delete(oldest);
    return walk;
  }
}

function namesVersion({ bucket }: KeyRef, { record }: Head): boolean {
  return bucket.versioning !== 'never' && record?.kind === 'link';
}

/**
 * Whether a copy on condition of this revision proves that it was still the object. It would not for an empty object,
 * since a part made of one asks nothing of the source; nor for an archived one, since a blob changes to an offline tier
 * and back without a new revision.
 */
export function canBeCopied({ bucket }: KeyRef, { record, properties }: Head): boolean {
  const { size, archived = false } = properties;
  return isWholeObject(record) && size > 0 && !archived && bucket.home.store.capabilities.pinsSources;
}

/** Where a change of a key may take its first look at the head from. */
interface FirstLook extends KeyRef {
  readonly conditions: WriteConditions;
  /** This request has looked already. */
  readonly known?: SeenHead | undefined;
  /** Asked if this request has not: a head from before it. */
  readonly recall?: (() => RememberedHead | undefined) | undefined;
}

/**
 * The head that a change of a key begins with: one that the request has seen, or one from before it; else it is read.
 *
 * Here stands the rule for heads from before the request: **they decide no condition**. A request with conditions is
 * refused, or let through, by a head that it has seen itself, because the answer must be true of the time of the
 * request. Without conditions nothing is decided: the change is made on the head's revision, or fails and begins again
 * with the head as it is.
 * @throws as `readHead`
 */
export async function headToChange(
  { bucket, key, conditions, known, recall }: FirstLook,
  call: Call,
): Promise<KnownHead> {
  if (known !== undefined) return known;
  const remembered = hasWriteConditions(conditions) ? undefined : recall?.();
  return remembered ?? { head: await readHead({ bucket, key }, call), trust: 'read' };
}
