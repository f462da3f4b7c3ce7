import type { Call } from '../../observe/call.ts';
import { amendHead } from './head-amend.ts';
import { type Head, NULL_VERSION, nativeRecord } from './head.ts';
import { type ObjectAmendment, amended } from './object-amendment.ts';
import type { ObjectsContext } from './object-context.ts';
import { liveView } from './object-read.ts';
import type { ObjectTarget } from './object-requests.ts';
import type { ObjectView } from './object-view.ts';
import { amendVersion } from './versions/amend-version.ts';

/**
 * Changes what is said of a version. Head; then its metadata on its revision, or that of the version's own blob.
 * @returns the version as it was before
 */
export async function amendObject(context: ObjectsContext, target: ObjectTarget, amendment: ObjectAmendment, call: Call): Promise<ObjectView> {
  const { versionId = NULL_VERSION } = target;
  if (versionId !== NULL_VERSION) return amendVersion(context, target, amendment, call);
  const { before, head } = await amendInHead(context, target, amendment, call);
  return before ?? amendVersion(context, { ...target, seen: { head } }, amendment, call);
}

interface AmendedHead {
  /** Undefined when the version has a blob of its own, or is none: then nothing was changed. */
  readonly before: ObjectView | undefined;
  readonly head: Head | undefined;
}

async function amendInHead(context: ObjectsContext, { bucket, key }: ObjectTarget, amendment: ObjectAmendment, call: Call): Promise<AmendedHead> {
  let before: ObjectView | undefined;
  const head = await amendHead(
    {
      bucket,
      key,
      change: (record, current) => {
        before = recordIsHere(current) ? liveView(bucket, key, current) : undefined;
        if (current === undefined || before === undefined) return undefined;
        const fields = amendment(before);
        return fields && amended(record ?? nativeRecord(current), fields);
      },
    },
    call,
  );
  // A settling that was under way may have given up because of us.
  if (before !== undefined && head?.record?.kind === 'mlink') context.settler.schedule(bucket, key);
  return { before, head };
}

function recordIsHere(head: Head | undefined): boolean {
  const kind = head?.record?.kind ?? 'inline';
  return head !== undefined && (kind === 'inline' || kind === 'mlink');
}
