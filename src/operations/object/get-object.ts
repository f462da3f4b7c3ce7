import { isRestoring, type ObjectView, requireKey, timeOf } from '../../manifest/index.ts';
import type { ByteRange } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { type ByteSource, heldBytes } from '../../streams/bytes.ts';
import { authorizedObject, withoutTellingMissing } from '../authorized-object.ts';
import { versionHeaders } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireAccess } from '../permission.ts';
import { asRestored, requireReadable } from './storage-class.ts';
import { describeRead } from './describe-read.ts';
import { isVeeamKey, veeamDocument } from './veeam-document.ts';
import { type ReadTarget, notModified, readTarget, requireConditions } from './read-request.ts';
import { type ByteSelection, isOfAnother, selectBytes } from './select-bytes.ts';

const NOTHING = Buffer.alloc(0);

/** How often a read begins again when the object changes between the look at it and the read of the bytes. */
const MAX_TURNS = 4;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export const getObject: Operation = async (request, context) => {
  const { bucket } = context;
  const target = readTarget(request, context);
  const document = isVeeamKey(target.key) ? await veeamDocument(target, context) : undefined;
  if (document !== undefined) return document;
  const { view, body } = (await openAtOnce(target, context)) ?? (await lookThenOpen(target, context));
  if (body === undefined) return notModified(view, versionHeaders(bucket, view.versionId));
  const { status, headers } = describeRead(request, target, view, context);
  return { status, headers, body };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export const headObject: Operation = async (request, context) => {
  const { bucket } = context;
  const target = readTarget(request, context);
  const document = isVeeamKey(target.key) ? await veeamDocument(target, context) : undefined;
  if (document !== undefined) {
    const { status, headers } = document;
    return { status, ...(headers && { headers }) };
  }
  const view = await asRestored(target, await authorizedObject(target, context), context);
  requireKey(view.encryption?.by, target.shown);
  if (requireConditions(view, target.conditions) === 'notModified') {
    return notModified(view, versionHeaders(bucket, view.versionId));
  }
  const { status, headers, length } = describeRead(request, target, view, context);
  headers['content-length'] = String(length);
  return { status, headers };
};

/** `body` is missing when the conditions answer 304. */
interface Opened {
  readonly view: ObjectView;
  readonly body?: ByteSource;
}

/**
 * Reads properties and bytes in one backend call. This is done when the range can be named without knowing the object,
 * and when a 304 is not likely: otherwise the body of every unchanged object would be fetched in vain, so the head is
 * read first.
 */
async function openAtOnce(target: ReadTarget, context: OperationContext): Promise<Opened | undefined> {
  const { bucket, selection, conditions, shown } = target;
  if (conditions.ifNoneMatch !== undefined || conditions.ifModifiedSince !== undefined) return undefined;
  const range = knownRange(selection);
  if (range === undefined) return undefined;
  try {
    const opening = context.manifest.objects.open(target, range === 'all' ? {} : { range }, context.call);
    const opened = await withoutTellingMissing(target, context, opening);
    try {
      requireAccess({ bucket, object: opened.view }, context);
      if (isRestoring(opened.view.restore, timeOf(bucket.home).now())) {
        // It may be over by now, which takes a look.
        opened.body.discard();
        return undefined;
      }
      requireReadable(opened.view);
      requireKey(opened.view.encryption?.by, shown);
      requireConditions(opened.view, conditions);
    } catch (error) {
      opened.body.discard();
      throw error;
    }
    context.call.facts.note('s3gw.object.size', opened.view.size);
    if (opened.view.encryption !== undefined) return await openEncrypted(target, opened.view, context);
    if (!isOfAnother(selection, opened.view)) return opened;
    opened.body.discard();
    return undefined;
  } catch (error) {
    // The object and the conditions decide whether a range beyond the end is an error, and which.
    if (isStoreError(error, 'rangeNotSatisfiable', 'archived')) return undefined;
    throw error;
  }
}

/** @returns undefined when its bytes have gone since, because the object was replaced: look again */
async function openEncrypted(
  { bucket, selection, shown }: ReadTarget,
  view: ObjectView,
  context: OperationContext,
): Promise<Opened | undefined> {
  const { first, length } = selectBytes(selection, view);
  const request = { range: { first, last: first + length - 1 }, ...(shown && { key: shown }) };
  try {
    return { view, body: await context.manifest.objects.openView(bucket, view, request, context.call) };
  } catch (error) {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  }
}

function knownRange(selection: ByteSelection): ByteRange | 'all' | undefined {
  if (selection.kind === 'whole') return 'all';
  return selection.kind === 'range' && selection.range.kind === 'from' ? selection.range : undefined;
}

async function lookThenOpen(target: ReadTarget, context: OperationContext): Promise<Opened> {
  const { bucket, selection, conditions, shown } = target;
  const { objects } = context.manifest;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const view = await asRestored(target, await authorizedObject(target, context), context);
    // A part that does not exist is refused, whichever key the client sends.
    if (selection.kind === 'part' && view.encryption !== undefined) selectBytes(selection, view);
    requireKey(view.encryption?.by, shown);
    if (requireConditions(view, conditions) === 'notModified') return { view };
    requireReadable(view);
    const { first, length, partial } = selectBytes(selection, view);
    // A part may be empty. No range of a backend names nothing, and without one all bytes would come.
    if (length === 0 && view.size > 0) return { view, body: heldBytes(NOTHING) };
    const range = partial && length > 0 ? { range: { first, last: first + length - 1 } } : {};
    const wanted = { ...range, ...(shown && { key: shown }) };
    try {
      return { view, body: await objects.openView(bucket, view, wanted, context.call) };
    } catch (error) {
      if (!isStoreError(error, 'conditionFailed', 'notFound')) throw error;
    }
  }
  throw new StoreError('throttled', { call: 'read', code: 'ObjectKeepsChanging' });
}
