import { S3Error } from '../../errors/s3-error.ts';
import { xml } from '../../protocol/xml/document.ts';
import { LEGAL_HOLD } from '../../protocol/xml/lock-shapes.ts';
import type { Operation } from '../operation.ts';
import { readLock } from './object-lock.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectLegalHold.html */
export const getObjectLegalHold: Operation = async (request, context) => {
  const { legalHold } = await readLock(request, context);
  if (legalHold === undefined) throw new S3Error('NoSuchObjectLockConfiguration');
  return { status: 200, body: xml(LEGAL_HOLD, { Status: legalHold ? 'ON' : 'OFF' }) };
};
