import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import { together } from '../../streams/together.ts';
import { readHead } from '../heads/object-read.ts';
import { namedVersion } from '../records/record.ts';
import { versionOfUpload } from '../records/upload-id.ts';
import { readClaim } from '../versions/upload-claim.ts';
import { type Completion, writeTombstone } from '../versions/upload-tombstone.ts';
import type { UploadsContext } from './upload-context.ts';
import { type UploadTarget, removeUploadRecord } from './upload-find.ts';
import { removePartRecords, removeRecordsOf, removeStaging } from './upload-parts.ts';

export interface Ending {
  readonly completion: Completion;
  /** No head names the blob that the parts were assembled to. */
  readonly leavesStaging?: boolean;
  /** The blob has bytes, so its claim proves that the upload was published once the upload's record is gone. */
  readonly isAssembled?: boolean;
  /** Of all parts, if they are known: what is uploaded again keeps its number. */
  readonly numbers?: Iterable<number>;
}

/**
 * Ends the upload behind a published object. What fails here is done later by the settler, or by a repeated Complete.
 * @returns whether all was done
 */
export async function conclude(
  context: UploadsContext,
  target: UploadTarget,
  ending: Ending,
  call: Call,
): Promise<boolean> {
  const { home } = target.bucket;
  const { completion, leavesStaging = false, isAssembled = false, numbers } = ending;
  const note = async (own: Call): Promise<void> => {
    const isNew = await writeTombstone(home, target.uploadId, completion, own);
    if (!isNew) await withdrawIfDeleted(target, own);
  };
  const end = async (own: Call): Promise<void> => {
    const remove = (): Promise<void> => removeUploadRecord(target, own);
    if (isAssembled) {
      await together(() => note(own), remove);
      return;
    }
    await note(own);
    await remove();
  };
  let ended = false;
  try {
    await end(call);
    ended = true;
  } catch (error) {
    if (!isStoreError(error)) throw error;
  }
  context.settler.later(`completed ${target.uploadId}`, async (own) => {
    // The parts' records go after the upload's: as long as the upload can be found, its parts can.
    if (!ended) await end(own);
    if (numbers === undefined) await removePartRecords(home, target.uploadId, own);
    else await removeRecordsOf(home, { uploadId: target.uploadId, numbers }, own);
    if (leavesStaging) await removeStaging(target, own);
  });
  return ended;
}

/**
 * Takes the head back if this Complete published an object that another Complete had published before and a client had
 * deleted since. The condition "absent" cannot see that. In that case a tombstone was there already, and the claim says
 * `gone` or is removed.
 */
async function withdrawIfDeleted(target: UploadTarget, call: Call): Promise<void> {
  const { bucket, key, uploadId } = target;
  const { home } = bucket;
  const stored = await readClaim(target, call);
  if (stored !== undefined && stored.claim.kind !== 'gone') return;
  const head = await readHead({ bucket, key }, call);
  if (head === undefined || namedVersion(head.record) !== versionOfUpload(uploadId)) return;
  try {
    await home.store.remove(head.ref, head.properties.revision, call);
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed', 'notFound')) throw error;
  }
}
