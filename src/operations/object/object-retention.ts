import { S3Error } from '../../errors/s3-error.ts';
import { requireFuture } from '../../protocol/headers/object-lock-headers.ts';
import {
  LOCK_MODES,
  type Retention,
  formatRetainUntil,
  mayBecome,
  parseRetainUntil,
} from '../../protocol/object-lock.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import { xml } from '../../protocol/xml/document.ts';
import { RETENTION } from '../../protocol/xml/lock-shapes.ts';
import { refusingMarkers, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { requireBodyDigest } from '../required-digest.ts';
import { MAX_LOCK_BODY, bypassesGovernance, readLock, refusedByLock, requireLocking } from './object-lock.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectRetention.html */
export const getObjectRetention: Operation = async (request, context) => {
  const { retention } = await readLock(request, context);
  if (retention === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  return { status: 200, body: xml(RETENTION, { Mode: retention.mode, RetainUntilDate: formatRetainUntil(retention) }) };
};

/**
 * A retention in force may be made longer. To shorten it, take it off or change its mode, the mode must be GOVERNANCE
 * and the caller needs a permission. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectRetention.html
 */
export const putObjectRetention: Operation = async (request, context) => {
  const target = versionTarget(request, context);
  requireBodyDigest(request.headers);
  const bypass = bypassesGovernance(request.headers, undefined, context);
  const retention = requestedRetention(await request.body.readAll(MAX_LOCK_BODY), Date.now());
  requireLocking({ ...(retention !== undefined && { retention }) }, context);
  const amend = (): Promise<unknown> =>
    context.manifest.objects.amend(
      target,
      ({ lock = {} }) => {
        if (!mayBecome(lock.retention, retention, { now: Date.now(), bypass })) throw refusedByLock();
        const { retention: _before, ...kept } = lock;
        return { lock: { ...kept, ...(retention !== undefined && { retention }) } };
      },
      context.call,
    );
  await refusingMarkers(amend, 'PUT');
  return { status: 200 };
};

/** An empty document takes retention off. @throws S3Error MalformedXML, InvalidArgument */
function requestedRetention(body: Buffer, now: number): Retention | undefined {
  const { Mode, RetainUntilDate: date } = decodeXml(RETENTION, body);
  if (Mode === undefined && date === undefined) return undefined;
  const mode = LOCK_MODES.find((known) => known === Mode);
  const until = date === undefined ? undefined : parseRetainUntil(date);
  if (mode === undefined || date === undefined || until === undefined) throw new S3Error('MalformedXML');
  requireFuture(until, now, { name: 'RetainUntilDate', value: date });
  return { mode, until };
}
