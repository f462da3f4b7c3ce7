import type { Call } from '../../observe/call.ts';
import type { RemoveItem } from '../../store/blob-store.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { isStoreError } from '../../store/store-error.ts';
import { announce } from '../heads/announce.ts';
import { readHead } from '../heads/object-read.ts';
import { newNonce } from '../records/clock.ts';
import { namedVersion } from '../records/record.ts';
import { versionOfUpload } from '../records/upload-id.ts';
import { seqOfHead } from '../versions/displace.ts';
import type { FreshAssembled } from '../versions/settle.ts';
import { readClaim } from '../versions/upload-claim.ts';
import { type Completion, writeTombstone } from '../versions/upload-tombstone.ts';
import type { UploadsContext } from './upload-context.ts';
import { type UploadTarget, removeUploadRecord } from './upload-find.ts';
import { recordsOf, removePartRecords, removeStaging } from './upload-parts.ts';

export interface Ending {
  readonly completion: Completion;
  /** No head names the blob that the parts were assembled to. */
  readonly leavesStaging?: boolean;
  /**
   * The claim tells as much as the note once the upload's record is gone: its blob has bytes, so that it proves the
   * publication, and names the place. Where the version was moved, the answer to that may have been lost.
   */
  readonly isClaimed?: boolean;
  /** The attempt by which this request held the claim, if nobody else can have published under it. */
  readonly publishedBy?: string | undefined;
  /** Of all parts, if they are known: what is uploaded again keeps its number. */
  readonly numbers?: Iterable<number>;
  /** The head may be an assembled head, to be settled when the end is noted: `fresh` counts only then. */
  readonly unsettled?: { readonly fresh?: FreshAssembled | undefined };
}

/**
 * Ends the upload behind a published object. Its record is removed before the answer. The note of how it ended is
 * written after the answer, because the claim says the same until its blob is removed, which happens later (`endOf`).
 * The note is written first where the claim may not stand in for it, where the record cannot be removed, or where
 * somebody else has removed the record, who may have noted more. What fails here is done later by the settler, or by a
 * repeated Complete.
 */
export async function conclude(
  context: UploadsContext,
  target: UploadTarget,
  ending: Ending,
  call: Call,
): Promise<void> {
  const steps = new LastSteps(target, ending);
  try {
    await steps.beforeAnswer(call);
  } catch (error) {
    nothingOfStore(error);
  }
  const { unsettled } = ending;
  context.settler.later(`completed ${target.uploadId}`, async (own) => {
    const left = partsLeft(target, ending);
    try {
      await steps.removeRecord(own);
    } catch (error) {
      if (unsettled !== undefined) context.settler.schedule(target, steps.isNoted ? unsettled.fresh : undefined);
      throw error;
    }
    if (unsettled !== undefined) {
      context.settler.schedule(target, unsettled.fresh && { ...unsettled.fresh, along: left.last });
    }
    await tidy(target, { ...ending, left: left.first }, own);
  });
}

/** The note and the removal of the record, in this order. A step that has succeeded is not taken again. */
class LastSteps {
  readonly #target: UploadTarget;
  readonly #ending: Ending;
  #isNoted = false;
  #hasRecord = true;

  constructor(target: UploadTarget, ending: Ending) {
    this.#target = target;
    this.#ending = ending;
  }

  get isNoted(): boolean {
    return this.#isNoted;
  }

  /** Removes the record first where the claim stands in for the note, and takes both steps where that fails. */
  async beforeAnswer(call: Call): Promise<void> {
    const { isClaimed = false } = this.#ending;
    if (isClaimed) this.#hasRecord = !(await removeUploadRecord(this.#target, call).catch(nothingOfStore));
    if (this.#hasRecord) await this.removeRecord(call);
  }

  async note(call: Call): Promise<void> {
    if (this.#isNoted) return;
    const { bucket, uploadId } = this.#target;
    const isNew = await writeTombstone(bucket.home, uploadId, this.#ending.completion, call);
    if (!isNew) await withdrawIfDeleted(this.#target, this.#ending.publishedBy, call);
    this.#isNoted = true;
  }

  /** Removes the record, once the note is there. */
  async removeRecord(call: Call): Promise<void> {
    await this.note(call);
    if (this.#hasRecord) await removeUploadRecord(this.#target, call);
    this.#hasRecord = false;
  }
}

/** The work waits for another time after any error of the service. @throws every other error */
function nothingOfStore(error: unknown): false {
  if (!isStoreError(error)) throw error;
  return false;
}

interface PartsLeft {
  /** Undefined: they have to be listed. */
  readonly first?: readonly RemoveItem[];
  /** What goes along with the blob of the object once that has settled. */
  readonly last: readonly RemoveItem[];
}

/**
 * The records of the parts, in two heaps: the last batch, if it is not full, has room for the blob that is removed when
 * the object has settled. The others need not wait until its bytes are copied.
 */
function partsLeft({ bucket, uploadId }: UploadTarget, { numbers, unsettled }: Ending): PartsLeft {
  if (numbers === undefined) return { last: [] };
  const records = recordsOf(uploadId, numbers);
  if (unsettled?.fresh === undefined) return { first: records, last: [] };
  const inLast = records.length % bucket.home.store.capabilities.maxBatch;
  return { first: records.slice(0, records.length - inLast), last: records.slice(records.length - inLast) };
}

/** The parts' records go after the upload's: as long as the upload can be found, its parts can. */
async function tidy(
  target: UploadTarget,
  { left, leavesStaging = false }: Pick<Ending, 'leavesStaging'> & { readonly left: PartsLeft['first'] },
  call: Call,
): Promise<void> {
  const { bucket, uploadId } = target;
  if (left === undefined) await removePartRecords(bucket.home, uploadId, call);
  else await removeForGood(bucket.home, left, call);
  if (leavesStaging) await removeStaging(target, call);
}

/**
 * Takes the head back if this Complete published an object that another Complete had published before and a client had
 * deleted since. The condition "absent" cannot see that. In that case a tombstone was there already, and the claim says
 * `gone` or is removed.
 *
 * A claim that says so under this request's own attempt is that of a DELETE under way, of what this request has
 * published. That DELETE removes the head itself and tells so, or it fails, and the object stays.
 */
async function withdrawIfDeleted(target: UploadTarget, publishedBy: string | undefined, call: Call): Promise<void> {
  const { bucket, key, uploadId } = target;
  const stored = await readClaim(target, call);
  if (stored !== undefined && (stored.claim.kind !== 'gone' || stored.claim.attempt === publishedBy)) return;
  const head = await readHead({ bucket, key }, call);
  if (head === undefined || namedVersion(head.record) !== versionOfUpload(uploadId)) return;
  // No event: for clients the object was gone before. But with the head would go the proof of what made it.
  const { occasion: _nobody, ...silent } = call;
  const removal = { kind: 'removed', nonce: newNonce(), head, leavesNothing: true, seq: seqOfHead(head) } as const;
  await announce({ bucket, key }, removal, silent);
  try {
    await bucket.home.store.remove(head.ref, head.properties.revision, call);
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed', 'notFound')) throw error;
  }
}
