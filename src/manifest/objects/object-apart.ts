import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { judgeWrite, hasWriteConditions } from '../../protocol/conditions.ts';
import { isS3Error } from '../../errors/s3-error.ts';
import { bodySize } from '../../streams/bytes.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import { encryptedBy, keepingOf, opaqueMd5 } from '../heads/keep-apart.ts';
import { liveView, readHead } from '../heads/object-read.ts';
import type { AnyBody, KeepApart, PutRequest, PutTarget } from '../heads/object-requests.ts';
import { opaqueEtag } from '../heads/head.ts';
import { removePieces, writePieces } from '../heads/pieces.ts';
import type { Piece } from '../records/encryption.ts';
import { newNonce } from '../records/clock.ts';
import { newToken } from '../records/version-token.ts';
import type { ObjectsContext } from '../versions/object-context.ts';

const EMPTY = new Uint8Array(0);
const MD5_OF_NOTHING = createHash('md5').digest('hex');

interface ApartPut extends PutTarget<AnyBody> {
  readonly request: PutRequest<AnyBody> & { readonly keepApart: KeepApart };
}

/**
 * Stores an object whose bytes are encrypted with a key of their own (docs/decisions/0029-keys-of-customers.md), or
 * archived (docs/decisions/0044-tiers-and-restore.md): the bytes first, as pieces that nothing names;
 * then `put` commits an object without bytes whose record names them.
 */
export async function putApart<T>(
  context: ObjectsContext,
  target: ApartPut,
  put: (named: PutTarget) => Promise<T>,
  call: Call,
): Promise<T> {
  const { bucket, key } = target;
  const { keepApart, body, md5, facts, etag, ...request } = target.request;
  await judgeFirst(target, call);
  const token = newToken(context.clock.next());
  const keeping = keepingOf(bucket.home, keepApart, request.attributes.storageClass);
  const named = { token, body, keeping, md5 };
  try {
    const { pieces, md5: stored } = await whileStreaming(call, (client) => writePieces(target, named, client));
    const found = await facts;
    const checksum = request.checksum ?? (found?.checksum && { ...found.checksum, type: 'FULL_OBJECT' as const });
    const size = sizeOf(pieces);
    const encryption = { by: encryptedBy(keepApart), size, token };
    const object = { ...request, ...(checksum && { checksum }), encryption, pieces };
    const shown = keepApart.kind === 'archive' ? (etag ?? md5 ?? stored ?? found?.md5) : opaqueMd5();
    const known = shown ?? (size === 0 ? MD5_OF_NOTHING : opaqueEtag(newNonce()));
    return await put({ bucket, key, request: { ...object, body: EMPTY, etag: known } });
  } catch (error) {
    // After a refusal no head names the pieces. After any other error that is unknown, and the sweeper removes them
    // once they are old.
    if (isS3Error(error) && error.status < 500) {
      context.settler.later(`pieces ${token}`, (own) => removePieces(target, token, own));
    }
    throw error;
  }
}

/**
 * Judges the conditions before the bytes are read; the commit judges them again. @throws S3Error PreconditionFailed,
 * NoSuchKey (If-Match)
 */
async function judgeFirst({ bucket, key, request: { conditions, body } }: ApartPut, call: Call): Promise<void> {
  const isStreamed = 'rest' in body || !(body instanceof Uint8Array) || bodySize(body) > 0;
  if (!isStreamed || !hasWriteConditions(conditions)) return;
  judgeWrite(conditions, liveView({ bucket, key }, await readHead({ bucket, key }, call)), key);
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { size }) => sum + size, 0);
}
