import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { type WriteConditions, hasWriteConditions, judgeWrite } from '../../protocol/conditions.ts';
import { ABSENT, type Condition, at } from '../../store/blob-store.ts';
import { StoreError, isStoreError, mayHaveHappened } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import { type HeadRecord } from '../records/record.ts';
import type { KeyTurn } from '../records/key-turns.ts';
import { timeOf } from '../records/time.ts';
import { clientOf, outcomeUnknown } from './commit-life.ts';
import { type HeadMemory, headToChange } from './head-memory.ts';
import type { Head, KnownHead, SeenHead } from './head.ts';
import { asNoSuchBucket, liveView, readHead } from './object-read.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/** Nonces of earlier head writes that a head carries on: how far back a lost answer can be proved. */
export const RING_LENGTH = 8;
/** Turns after which writers that collide wait, and longest wait in milliseconds: it takes them apart. */
const PATIENT_TURNS = 3;
const MAX_WAIT_MS = 40;
/** Times the same conditional call is sent again while the head provably has not moved. */
const MAX_RESENDS = 3;

/** The key that is being changed and what its change depends on. */
export interface HeadTarget extends KeyRef {
  readonly conditions: WriteConditions;
}

/** Proof of the write that made a version; of a blob that native tools wrote, its revision. */
export function versionNonce(head: Head): string {
  return head.record?.nonce ?? head.properties.revision;
}

/**
 * Entry of a ring that stands for "there was no head". A ring that ends in it names every head back to the first one,
 * each written on condition of the one before: so a head whose nonce is not in such a ring was never overwritten by
 * them. No nonce and no revision looks like this entry.
 */
export const NOTHING = '0';

/** Nonces a new head carries on from the head it replaces, on condition of which it is written. */
export function ringAfter(head: Head | undefined): { ring: readonly string[] } {
  if (head === undefined) return { ring: [NOTHING] };
  return { ring: [versionNonce(head), ...(head.record?.ring ?? [])].slice(0, RING_LENGTH) };
}

/**
 * Nonces of a head whose version stays and whose record changes. The version's own one never moves into the ring, so
 * that a search for the write that made it finds it however often that happens.
 */
export function noncesAmended(head: Head, nonce: string): { nonce: string; ring: readonly string[] } {
  return { nonce: versionNonce(head), ring: [nonce, ...(head.record?.ring ?? [])].slice(0, RING_LENGTH) };
}

/** An answer that was found rather than made. */
export interface Found<T> {
  readonly result: T;
}

/**
 * What a head that is read back says of a write whose answer was lost: that it happened; that it did not, and cannot
 * any more; or neither.
 */
export type Verdict<T> = Found<T> | 'undone' | 'unknown';

/**
 * What a change writes to the head. That says when it waits for others of its key, and if it can be sent again:
 * * `record`: a change of what the head says. It waits before it reads the head.
 * * `held`: a new head, with bytes that are in memory, or none. It waits before it reads the head.
 * * `stored`: the same, but its preparations take as long as a client or a copy does. It waits when they are done
 *   for the first time.
 * * `copied`: a new head whose one write is a copy, which takes as long. It never waits: no other
 *   change shall wait behind it.
 * * `streamed`: a new head with a body that can be sent only once. It never waits, and is not sent again.
 */
type HeadWriting = 'record' | 'held' | 'stored' | 'copied' | 'streamed';

/** A read-judge-write turn. */
export interface HeadChange<T> extends HeadTarget {
  readonly writes: HeadWriting;
  /**
   * Does what must be done before such a head may be replaced, and returns the one conditional call that replaces it.
   * AGAIN, or a failure with `conditionFailed`: the head has moved.
   */
  readonly plan: (known: KnownHead, condition: Condition) => Promise<(() => Promise<T>) | typeof AGAIN>;
  /** Asked about the head that is read back when an answer was lost. */
  readonly recognise: (head: Head | undefined) => Promise<Verdict<T>>;
  /**
   * Called when a send may have happened although no answer says so. From then on the caller must remove nothing that
   * this send names or would have let go of, whatever later sends bring: only the sweeper can tell.
   */
  readonly onDoubt?: () => void;
  /** Asked right before each send: whether what the head would name is so old that it may be swept. */
  readonly isTooLate?: () => boolean;
  /**
   * For changes that other requests may be making too (a repeated Complete): asked on each head read, before the
   * conditions are; an answer means that nothing is left to be written.
   */
  readonly happened?: ((head: Head | undefined) => Promise<Found<T> | undefined>) | undefined;
  /** Begins the first turn, unless others had to be waited for: the condition of the write holds it to the truth. */
  readonly known?: SeenHead | undefined;
  /** Asked in the first turn, when it is this change's turn among those of its key, if no head is `known`. */
  readonly memory?: HeadMemory | undefined;
}

/**
 * In a bucket with versions every writer of a new head keeps nonces and writes on condition of a revision. So a write
 * cannot land once its revision is gone: it is judged and made again, whether the client set conditions or not.
 */
function isVersioned({ bucket, writes }: HeadChange<unknown>): boolean {
  return bucket.versioning !== 'never' && writes !== 'record';
}

/**
 * Comes to the front of the key's queue, where it stays, if the change is one that waits then. @returns whether it had
 * to wait. @throws StoreError throttled, aborted
 */
type ReachFront = (...waits: readonly HeadWriting[]) => Promise<boolean>;

/**
 * Changes a head by compare-and-swap: it reads the head, judges the client's conditions on it, and writes on its
 * revision. If another request was faster, an unconditional change goes round again; a conditional one is judged again
 * and ends as 412, 404 or 409 (ConditionalRequestConflict).
 *
 * Changes that this process makes to one key wait for each other (`KeyQueue`). That is advice only: the condition of
 * the write alone guarantees that no change is lost and none is made twice.
 * @throws S3Error; StoreError throttled when contention does not end, unavailable when the outcome is unknown
 */
export async function changeHead<T>(change: HeadChange<T>, call: Call): Promise<T> {
  const { bucket, key, writes } = change;
  let place: KeyTurn | undefined;
  const reachFront: ReachFront = async (...waits) => {
    if (place !== undefined || !waits.includes(writes)) return false;
    place = await bucket.home.queue?.enter(`${bucket.uid}/${key}`, clientOf(call));
    return place?.waited === true;
  };
  try {
    return await takeTurns(change, reachFront, call);
  } finally {
    if (place !== undefined) bucket.home.queue?.leave(place);
  }
}

async function takeTurns<T>(change: HeadChange<T>, reachFront: ReachFront, call: Call): Promise<T> {
  return inTurns(TURNS.head, async (turn) => {
    requireClient(call);
    if (turn > PATIENT_TURNS) await pause(change.bucket, call);
    const waited = await reachFront('record', 'held');
    const known = await headOfTurn(change, { turn, waited }, call);
    const { head } = known;
    requireUnversioned(change.bucket, head);
    const done = await change.happened?.(head);
    if (done !== undefined) return done.result;
    if (hasWriteConditions(change.conditions)) judgeWrite(change.conditions, liveView(change, head), change.key);
    const condition = head === undefined ? ABSENT : at(head.properties.revision);
    try {
      const send = await change.plan(known, condition);
      if (send === AGAIN || (await reachFront('stored')) || change.isTooLate?.() === true) return AGAIN;
      return await writeOnce(change, { send, condition, head }, call);
    } catch (error) {
      if (!isStoreError(error, 'conditionFailed')) throw asNoSuchBucket(error, change.bucket);
      if (change.happened !== undefined || isVersioned(change)) return AGAIN;
      if (hasWriteConditions(change.conditions)) throw await refusal(change, error, call);
      if (change.writes === 'streamed') throw new StoreError('throttled', { call: 'write', cause: error });
      return AGAIN;
    }
  });
}

function headOfTurn<T>(
  { bucket, key, conditions, known, memory }: HeadChange<T>,
  { turn, waited }: { readonly turn: number; readonly waited: boolean },
  call: Call,
): Promise<KnownHead> {
  const target = { bucket, key, conditions };
  if (turn > 0) return headToChange(target, call);
  const recall = memory && (() => memory.recent(target));
  return headToChange({ ...target, recall, known: waited ? undefined : known }, call);
}

async function pause({ home }: Bucket, call: Call): Promise<void> {
  try {
    await timeOf(home).sleep(Math.random() * MAX_WAIT_MS, call.signal);
  } catch (cause) {
    throw new StoreError('aborted', { call: 'write', cause });
  }
}

/**
 * To be called between two turns, when nothing is under way and nothing is in doubt: ends the change if its client has
 * left. @throws StoreError aborted
 */
export function requireClient(call: Call): void {
  const { signal } = clientOf(call);
  if (signal.aborted) throw new StoreError('aborted', { call: 'write', cause: signal.reason });
}

/**
 * Refuses a head that only a bucket with versions can have, when the request knows of no versions: its record of the
 * bucket is out of date. @throws StoreError unavailable
 */
export function requireUnversioned({ versioning }: Bucket, head: Head | undefined): void {
  const kind = head?.record?.kind ?? 'inline';
  if (versioning === 'never' && kind !== 'inline' && kind !== 'assembled') {
    throw new StoreError('unavailable', { call: 'head', code: 'BucketHasVersions' });
  }
}

/** The one call of a turn. */
interface ConditionalSend<T> {
  readonly send: () => Promise<T>;
  readonly condition: Condition;
  readonly head: Head | undefined;
}

/**
 * One conditional write. When its answer is lost, or a repetition of it fails, the head is read back for a proof: until
 * there is one, the write may have happened.
 * @throws StoreError conditionFailed: it did not happen, and cannot any more; unavailable (lost): unknown
 */
export async function writeOnce<T>(
  change: HeadChange<T>,
  { send, condition, head }: ConditionalSend<T>,
  call: Call,
): Promise<T> {
  for (let sends = 0; ; sends++) {
    let failure: unknown;
    try {
      return await send();
    } catch (error) {
      if (sends === 0 && !isInDoubt(change, error)) throw error;
      failure = error;
    }
    change.onDoubt?.();
    if (!isStoreError(failure)) throw failure;
    const { now, verdict } = await lookBack(change, failure, call);
    if (typeof verdict === 'object') return verdict.result;
    const unmoved = condition.kind === 'match' && now?.properties.revision === condition.revision;
    const mayResend = change.writes !== 'streamed' && sends < MAX_RESENDS && change.isTooLate?.() !== true;
    if (unmoved && mayResend) continue;
    throw canStartAgain(change, { before: head, now, verdict })
      ? new StoreError('conditionFailed', { call: 'write', cause: failure })
      : outcomeUnknown(failure);
  }
}

/**
 * Whether a failed send may have happened. A body that broke off, or that was refused at its end, has stored nothing.
 */
function isInDoubt({ writes }: HeadChange<unknown>, error: unknown): boolean {
  if (writes === 'streamed' && isStoreError(error, 'aborted') && !error.lost) return false;
  return mayHaveHappened(error);
}

/**
 * Reads the head back and looks for the proof that the write was ours. @throws StoreError unavailable (lost): it cannot
 * be read
 */
async function lookBack<T>(
  change: HeadChange<T>,
  failure: unknown,
  call: Call,
): Promise<{ now: Head | undefined; verdict: Verdict<T> }> {
  try {
    const now = await readHead(change, call);
    return { now, verdict: await change.recognise(now) };
  } catch (error) {
    throw outcomeUnknown(
      new AggregateError([failure, error], 'neither the write nor the look at what came of it was answered'),
    );
  }
}

/**
 * Whether nothing was done and the send cannot land any more: its revision is gone, and our nonce would be on the head.
 * "Absent" is no revision: another request may have created and deleted the key in between, so nothing can be proved.
 */
function canStartAgain(
  change: HeadChange<unknown>,
  { before, now, verdict }: { before: Head | undefined; now: Head | undefined; verdict: Verdict<unknown> },
): boolean {
  if (!isVersioned(change) || hasWriteConditions(change.conditions) || before === undefined || now === undefined) {
    return false;
  }
  if (now.properties.revision === before.properties.revision) return false;
  return wouldShow(now, before) || verdict === 'undone';
}

/**
 * Whether the nonce of any write on `before` would still be on `now`: it would stand above those that `before` carried.
 * The version's own nonce is no proof by itself: amendments leave it where it is, and push one another out of the ring.
 */
function wouldShow({ record }: Head, before: Head): boolean {
  if (!carriesNonce(record, versionNonce(before))) return false;
  const ring = record?.ring ?? [];
  const [last] = before.record?.ring ?? [];
  return last === undefined ? ring.length < RING_LENGTH : ring.includes(last);
}

/** Why a conditional write was refused, judged on the state that refused it. */
export async function refusal(target: HeadTarget, cause: unknown, call: Call): Promise<S3Error> {
  const head = await readHead(target, call);
  requireUnversioned(target.bucket, head);
  judgeWrite(target.conditions, liveView(target, head), target.key);
  return conflict(target, cause);
}

/** The condition held, and yet another request was faster. */
export function conflict({ conditions, key }: HeadTarget, cause?: unknown): S3Error {
  const condition = conditions.ifMatch === undefined ? 'If-None-Match' : 'If-Match';
  return new S3Error('ConditionalRequestConflict', {
    extra: { Condition: condition, Key: key },
    ...(cause !== undefined && { cause }),
  });
}

/** True when the head was written with this nonce, or descends from such a head within the length of the ring. */
export function carriesNonce(record: HeadRecord | undefined, nonce: string): boolean {
  return record?.nonce === nonce || (record?.ring?.includes(nonce) ?? false);
}

/** Recognises a write by its nonce. */
export function byNonce<T>(nonce: string, result: (head: Head) => T): (head: Head | undefined) => Promise<Verdict<T>> {
  return async (head) =>
    head !== undefined && carriesNonce(head.record, nonce) ? { result: result(head) } : 'unknown';
}
