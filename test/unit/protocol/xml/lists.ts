import type { S3Error } from '../../../../src/errors/s3-error.ts';
import { decodeXmlList } from '../../../../src/protocol/xml/decode.ts';
import { DELETE } from '../../../../src/protocol/xml/object-shapes.ts';

const MIB = 1024 * 1024;
/** Of a DeleteObjects. */
export const LIMITS = { bytes: 8 * MIB, elements: 7000 };
/** Of a CompleteMultipartUpload. */
export const PARTS = { bytes: 8 * MIB, elements: 100_000 };

/** The body of a DeleteObjects, read in pieces. */
export function list(text: string, signal = new AbortController().signal): Promise<unknown> {
  return decodeXmlList(DELETE, Buffer.from(text), { limits: LIMITS, signal });
}

/** What it gives, or the code with which it refuses. */
export async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return (error as S3Error).code;
  }
}
