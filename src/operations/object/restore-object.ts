import { S3Error } from '../../errors/s3-error.ts';
import {
  isRestored,
  isRestoring,
  type ObjectView,
  RETRIEVAL_TIERS,
  type RetrievalTier,
  storageClassOf,
} from '../../manifest/index.ts';
import type { ResponseHeaders } from '../../protocol/headers/object-headers.ts';
import { httpDate } from '../../protocol/headers/object-headers.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import type { XmlValue } from '../../protocol/xml/document.ts';
import { RESTORE_REQUEST } from '../../protocol/xml/object-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';

const MAX_BODY = 64 * 1024;
/** Elements of queries on what is restored, which S3 itself no longer offers to new customers. */
const QUERIES = /<(?:[\w.-]+:)?(?:SelectParameters|OutputLocation)[\s/>]/;
/** Its bytes take hours on S3: none can be had within minutes. */
const SLOWEST = 'DEEP_ARCHIVE';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_RestoreObject.html */
export const restoreObject: Operation = async (request, context) => {
  const { bucket, manifest, call } = context;
  const target = versionTarget(request, context);
  const wanted = restoreRequest(await request.body.readAll(MAX_BODY));
  if (bucket.home.classes === undefined) throw notImplemented('storage classes are labels here (storageClasses)');
  const guard = (view: ObjectView): void => requireRestorable(view, wanted.tier);
  const restored = await refusingMarkers(() => manifest.objects.restore(target, { ...wanted, guard }, call), 'POST');
  return { status: restored === 'renewed' ? 200 : 202, headers: versionHeaders(bucket, target.versionId) };
};

/** @throws S3Error MissingRequestBodyError, MalformedXML, NotImplemented */
function restoreRequest(body: Buffer): { days: number; tier: RetrievalTier } {
  if (body.length === 0) throw new S3Error('MissingRequestBodyError');
  if (QUERIES.test(body.toString('latin1'))) throw notImplemented('queries of archived objects are not offered');
  const { Days: days, GlacierJobParameters: job, Tier, Type } = decodeXml(RESTORE_REQUEST, body);
  if (Type !== undefined) throw notImplemented('queries of archived objects are not offered');
  const named = job?.Tier ?? Tier ?? 'Standard';
  const tier = RETRIEVAL_TIERS.find((known) => known === named);
  if (tier === undefined || days === undefined || days < 1 || days > MAX_DAYS) throw new S3Error('MalformedXML');
  return { days, tier };
}

/** Beyond it, dates have no four digits for their year. */
const MAX_DAYS = 365_000;

/** @throws S3Error InvalidObjectState, InvalidArgument, NotImplemented */
function requireRestorable(view: ObjectView, tier: RetrievalTier): void {
  const storageClass = storageClassOf(view);
  if (view.encryption?.by.kind !== 'archive') {
    if (view.archived) throw notImplemented('a tool of the cloud archived this object, and has to bring it back');
    throw new S3Error('InvalidObjectState', {
      message: "Restore is not allowed for the object's current storage class",
      extra: { StorageClass: storageClass },
    });
  }
  if (tier === 'Expedited' && storageClass === SLOWEST) {
    throw new S3Error('InvalidArgument', { message: 'Retrieval option is not supported by this storage class' });
  }
}

function notImplemented(why: string): S3Error {
  return new S3Error('NotImplemented', { extra: { additionalMessage: why } });
}

/** `x-amz-restore` of an object that is being restored, or is restored now. */
export function restoreHeaders({ restore }: Pick<ObjectView, 'restore'>, now: number): ResponseHeaders {
  if (restore === undefined) return {};
  if (isRestoring(restore, now)) return { 'x-amz-restore': 'ongoing-request="true"' };
  if (!isRestored(restore, now)) return {};
  return { 'x-amz-restore': `ongoing-request="false", expiry-date="${httpDate(restore.until ?? now)}"` };
}

/** `RestoreStatus` in listings; undefined for what was never restored, or is so no more. */
export function restoreStatus({ restore }: Pick<ObjectView, 'restore'>, now: number): XmlValue | undefined {
  if (restore === undefined) return undefined;
  if (isRestoring(restore, now)) return { IsRestoreInProgress: true };
  if (!isRestored(restore, now)) return undefined;
  return { IsRestoreInProgress: false, RestoreExpiryDate: xmlDate(restore.until ?? now) };
}
