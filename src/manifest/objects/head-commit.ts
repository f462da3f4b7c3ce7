import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { type WriteConditions, hasWriteConditions, judgeWrite } from '../../protocol/conditions.ts';
import { ABSENT, type Condition, at } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../buckets/bucket.ts';
import type { Head } from './head.ts';
import { asNoSuchBucket, liveView, readHead } from './object-read.ts';
import type { ObjectRecord } from '../records/record.ts';

/** Nonces of earlier head writes that a head carries on: how far back a lost answer can be proved. */
const RING_LENGTH = 8;
/** Turns of an unconditional change against other writers before the client is asked to slow down. */
const MAX_TURNS = 8;
/** Times the same conditional call is sent again while the head provably has not moved. */
const MAX_RESENDS = 3;

/** The key that is being changed and what its change depends on. */
export interface HeadTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly conditions: WriteConditions;
}

/** Proof of the write that made a version; of a blob that native tools wrote, its revision. */
export function versionNonce(head: Head): string {
  return head.record?.nonce ?? head.properties.revision;
}

/** Nonces a new head carries on from the head it replaces. */
export function ringAfter(head: Head | undefined): { ring?: readonly string[] } {
  if (head === undefined) return {};
  return { ring: [versionNonce(head), ...(head.record?.ring ?? [])].slice(0, RING_LENGTH) };
}

/**
 * Nonces of a head whose version stays and whose record changes. The version's own one never moves
 * into the ring, so that whoever looks for the write that made it finds it however often that happens.
 */
export function noncesAmended(head: Head, nonce: string): { nonce: string; ring: readonly string[] } {
  return { nonce: versionNonce(head), ring: [nonce, ...(head.record?.ring ?? [])].slice(0, RING_LENGTH) };
}

/** A read-judge-write turn: `write` sends one conditional write of the head and answers what it committed. */
export interface HeadChange<T> extends HeadTarget {
  /** Same for every attempt: proof of authorship. */
  readonly nonce: string;
  readonly write: (head: Head | undefined, condition: Condition) => Promise<T>;
  /** What to answer when the write is found committed although its answer was lost. */
  readonly recognise: (head: Head) => T;
  /** The write can be sent again (its body is in memory, or it moves no bytes). */
  readonly repeatable: boolean;
  /**
   * For changes that other requests may be making too (a repeated Complete): asked on each head read,
   * before the conditions are; an answer means that nothing is left to be written.
   */
  readonly already?: (head: Head | undefined) => Promise<{ readonly result: T } | undefined>;
}

/**
 * Changes a head by compare-and-swap: read it, judge the client's conditions on it, write on its
 * revision. Unconditional changes go round again when somebody else was faster; conditional ones
 * are judged again and end as 412, 404 or 409 (ConditionalRequestConflict).
 * @throws S3Error; StoreError throttled when contention does not end, unavailable when the outcome is unknown
 */
export async function changeHead<T>(change: HeadChange<T>, call: Call): Promise<T> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const head = await readHead(change.bucket, change.key, call);
    const done = await change.already?.(head);
    if (done !== undefined) return done.result;
    judgeWrite(change.conditions, liveView(change.bucket, change.key, head), change.key);
    const condition = head === undefined ? ABSENT : at(head.properties.revision);
    try {
      return await writeOnce(change, head, condition, call);
    } catch (error) {
      if (!isStoreError(error, 'conditionFailed')) throw asNoSuchBucket(error, change.bucket);
      if (change.already !== undefined) continue;
      if (hasWriteConditions(change.conditions)) throw await refusal(change, error, call);
      if (!change.repeatable) throw new StoreError('throttled', { call: 'write', cause: error });
    }
  }
  throw new StoreError('throttled', { call: 'write', code: 'Contention' });
}

/** One conditional write; a lost answer is settled by looking for our own nonce. */
export async function writeOnce<T>(
  change: HeadChange<T>,
  head: Head | undefined,
  condition: Condition,
  call: Call,
): Promise<T> {
  for (let sends = 0; ; sends++) {
    try {
      return await change.write(head, condition);
    } catch (error) {
      if (!isStoreError(error) || !(error.lost || (sends > 0 && error.kind === 'conditionFailed'))) throw error;
      const now = await readHead(change.bucket, change.key, call);
      if (now !== undefined && carriesNonce(now.record, change.nonce)) return change.recognise(now);
      const unmoved = condition.kind === 'match' && now?.properties.revision === condition.revision;
      // "Absent" is no revision: somebody may have created and deleted in between, so nothing can be proved.
      if (!unmoved || !change.repeatable || sends >= MAX_RESENDS) throw outcomeUnknown(error);
    }
  }
}

/** Why a conditional write was refused, judged on the state that refused it. */
export async function refusal(target: HeadTarget, cause: unknown, call: Call): Promise<S3Error> {
  const head = await readHead(target.bucket, target.key, call);
  judgeWrite(target.conditions, liveView(target.bucket, target.key, head), target.key);
  const condition = target.conditions.ifMatch === undefined ? 'If-None-Match' : 'If-Match';
  return new S3Error('ConditionalRequestConflict', { extra: { Condition: condition, Key: target.key }, cause });
}

/** Never 412 without proof: the write may have happened. SDKs repeat a 503. */
function outcomeUnknown(cause: StoreError): StoreError {
  return new StoreError('unavailable', { call: 'write', code: 'OutcomeUnknown', lost: true, cause });
}

/** True when the head was written with this nonce, or descends from such a head within the length of the ring. */
export function carriesNonce(record: ObjectRecord | undefined, nonce: string): boolean {
  return record?.nonce === nonce || (record?.ring?.includes(nonce) ?? false);
}
