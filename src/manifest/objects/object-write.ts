import type { Call } from '../../observe/call.ts';
import type { Condition, WriteResult } from '../../store/blob-store.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import { byNonce, ringAfter } from '../heads/head-commit.ts';
import { writeHead } from '../heads/head-write.ts';
import { type Head, NULL_VERSION } from '../heads/head.ts';
import { type ObjectParts, partsOf } from '../heads/new-record.ts';
import type { Committed, PutTarget } from '../heads/object-requests.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import type { InlineHead } from '../records/record.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { type Written, recognisedWrite, storedSums } from './stored-sums.ts';

/** Stores an object inline at its key: one write of the head, bytes and record together. */
export async function putInline(context: ObjectsContext, target: PutTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const parts = partsOf(target, request);
  const nonce = newNonce();
  const draft: InlineHead = {
    kind: 'inline',
    seq: context.clock.next(),
    nonce,
    ...(request.etag !== undefined && { etag: request.etag }),
    ...parts.fields,
  };
  const written = await writeHead<Written>(
    {
      bucket,
      key,
      conditions: request.conditions,
      writes: request.body instanceof Uint8Array ? 'held' : 'streamed',
      send: (on) => writeInline(target, { draft, parts, ...on }, call),
      recognise: byNonce(nonce, (head) => recognisedWrite(head, nonce)),
    },
    call,
  );
  const sums = await storedSums(target, { nonce, parts, ...written }, call);
  return { ...sums, mtime: mtimeOfSeq(draft.seq), versionId: NULL_VERSION };
}

interface InlineWrite {
  readonly draft: InlineHead;
  readonly parts: ObjectParts;
  readonly head: Head | undefined;
  readonly condition: Condition | undefined;
}

async function writeInline(
  { bucket, request }: PutTarget,
  { draft, parts, head, condition }: InlineWrite,
  call: Call,
): Promise<Written> {
  const { ref, native, headers } = parts;
  const record = { ...draft, ...(condition !== undefined && ringAfter(head)) };
  const wire = {
    headers,
    metadata: await blobMetadata(bucket.home, record, native, call),
    ...(condition !== undefined && { condition }),
    ...(request.md5 !== undefined && { md5: request.md5 }),
  };
  const write = (own: Call): Promise<WriteResult> => bucket.home.store.write(ref, request.body, wire, own);
  const { md5, revision } = await (request.body instanceof Uint8Array ? write(call) : whileStreaming(call, write));
  return { ...(md5 !== undefined && { md5 }), stored: { revision, record } };
}
