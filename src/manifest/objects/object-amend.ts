import type { Call } from '../../observe/call.ts';
import { amendHead } from '../heads/head-amend.ts';
import { type Head, NULL_VERSION, recordIsHere } from '../heads/head.ts';
import { StoreError } from '../../store/store-error.ts';
import { type AmendedFields, type ObjectAmendment, amended, toldOf } from '../versions/object-amendment.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { liveView } from '../heads/object-read.ts';
import type { ObjectTarget } from '../heads/object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { Bucket } from '../records/bucket.ts';
import { amendVersion } from '../versions/amend-version.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';
import { VERSIONING_JUST_ENABLED, isDraining, placedRecord } from '../versions/drain-window.ts';

/**
 * Changes what the record says of a version (tags, ACL, lock). It reads the head, then writes the metadata of the head
 * on its revision, or the metadata of the version's own blob. @returns the version as it was before
 */
export async function amendObject(
  context: ObjectsContext,
  target: ObjectTarget,
  amendment: ObjectAmendment,
  call: Call,
): Promise<ObjectView> {
  let named = target;
  return inTurns(TURNS.amend, async () => {
    const { versionId = NULL_VERSION } = named;
    const { before, head } = versionId === NULL_VERSION ? await amendInHead(context, named, amendment, call) : {};
    if (before !== undefined) return before;
    const outcome = await amendVersion(
      context,
      { ...named, ...(versionId === NULL_VERSION && { seen: { head } }) },
      amendment,
      call,
    );
    if (outcome.view !== undefined) return outcome.view;
    named = { ...named, versionId: outcome.versionId };
    return AGAIN;
  });
}

/**
 * Refuses a lock on the null version while a plain PUT from before versioning may still replace that version. @throws
 * StoreError unavailable
 */
function requireLockable(context: ObjectsContext, bucket: Bucket): void {
  if (isDraining(context, bucket)) {
    throw new StoreError('unavailable', { call: 'setMetadata', code: VERSIONING_JUST_ENABLED });
  }
}

interface AmendedHead {
  /** Undefined when the version has a blob of its own, or does not exist: then nothing was changed. */
  readonly before: ObjectView | undefined;
  readonly head: Head | undefined;
}

async function amendInHead(
  context: ObjectsContext,
  { bucket, key }: ObjectTarget,
  amendment: ObjectAmendment,
  call: Call,
): Promise<AmendedHead> {
  let before: ObjectView | undefined;
  let fields: AmendedFields | undefined;
  const head = await amendHead(
    {
      bucket,
      key,
      change: async (current) => {
        before = recordIsHere(current) ? liveView({ bucket, key }, current) : undefined;
        if (current === undefined || before === undefined) return undefined;
        fields = amendment(before);
        if (fields?.lock !== undefined) requireLockable(context, bucket);
        return fields && amended(await placedRecord(context, { bucket, key }, current, call), fields);
      },
      told: () => (before && fields ? toldOf(before, fields) : { kind: 'amended' }),
    },
    call,
  );
  // Settling that was under way may have given up because of this change.
  if (before !== undefined && head?.record?.kind === 'assembled') context.settler.schedule({ bucket, key });
  return { before, head };
}
