import { S3Error } from '../../errors/s3-error.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import { xml } from '../../protocol/xml/document.ts';
import { LEGAL_HOLD } from '../../protocol/xml/lock-shapes.ts';
import { refusingMarkers, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { requireBodyDigest } from '../required-digest.ts';
import { MAX_LOCK_BODY, readLock, requireLocking } from './object-lock.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectLegalHold.html */
export const getObjectLegalHold: Operation = async (request, context) => {
  const { legalHold } = await readLock(request, context);
  if (legalHold === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  return { status: 200, body: xml(LEGAL_HOLD, { Status: legalHold ? 'ON' : 'OFF' }) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLegalHold.html */
export const putObjectLegalHold: Operation = async (request, context) => {
  const target = versionTarget(request, context);
  requireBodyDigest(request.headers);
  const legalHold = requestedHold(await request.body.readAll(MAX_LOCK_BODY));
  requireLocking({ legalHold }, context);
  await refusingMarkers(
    () => context.manifest.objects.amend(target, ({ lock }) => ({ lock: { ...lock, legalHold } }), context.call),
    'PUT',
  );
  return { status: 200 };
};

/** @throws S3Error MalformedXML */
function requestedHold(body: Buffer): boolean {
  const { Status: status } = decodeXml(LEGAL_HOLD, body);
  if (status !== 'ON' && status !== 'OFF') throw new S3Error('MalformedXML');
  return status === 'ON';
}
