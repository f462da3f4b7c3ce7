import { S3Error } from '../../errors/s3-error.ts';
import { formatRetainUntil } from '../../protocol/object-lock.ts';
import { xml } from '../../protocol/xml/document.ts';
import { RETENTION } from '../../protocol/xml/lock-shapes.ts';
import type { Operation } from '../operation.ts';
import { readLock } from './object-lock.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectRetention.html */
export const getObjectRetention: Operation = async (request, context) => {
  const { retention } = await readLock(request, context);
  if (retention === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  return { status: 200, body: xml(RETENTION, { Mode: retention.mode, RetainUntilDate: formatRetainUntil(retention) }) };
};
