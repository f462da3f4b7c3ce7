import type { BlobRef, Revision } from '../../../src/store/blob-store.ts';
import type { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { type EmbeddedAnswer, type EmbeddedCall, batchBody, readBatchAnswer } from '../../shared/batch/multipart.ts';
import { inOrder, removeManyBy } from '../../shared/remove-many.ts';
import { joinTarget } from '../../shared/wire/transport.ts';
import { type GcsClient, MAX_BATCH } from '../client.ts';
import { readErrorDocument, refusalError } from '../errors.ts';
import { objectPath } from '../paths.ts';
import { matchQuery } from '../revision.ts';
import { remove } from './write.ts';

const BATCHES = '/batch/storage/v1';

/** The JSON API's batches, of deletions in one bucket. */
export const removeMany = removeManyBy<GcsClient, EmbeddedCall>({ one: remove, most: MAX_BATCH, embed, send });

/** The same for what may be gone already; nobody asks what became of it. */
export async function removeNames(
  client: GcsClient,
  container: string,
  names: readonly string[],
  call: Call,
): Promise<void> {
  const outcomes = await removeMany(
    client,
    container,
    names.map((name) => ({ name })),
    call,
  );
  for (const outcome of outcomes) if (outcome instanceof Error) throw outcome;
}

function embed(client: GcsClient, ref: BlobRef, revision: Revision | undefined): EmbeddedCall {
  const query = revision === undefined ? [] : matchQuery(revision);
  return { target: joinTarget(objectPath(client, ref), query), headers: '' };
}

/** The authorisation of the batch is that of its calls. */
async function send(
  client: GcsClient,
  { calls }: { readonly calls: readonly EmbeddedCall[] },
  call: Call,
): Promise<readonly (StoreError | undefined)[]> {
  // The line end before a boundary belongs to the boundary, and not to the call.
  const { contentType, body } = batchBody(calls, { idOf: (index) => `<${index}>`, end: '\r\n' });
  const text = await client.rest.sendForText(
    {
      call: 'removeMany',
      method: 'POST',
      path: BATCHES,
      headers: ['content-type', contentType],
      body,
      effect: 'change',
      missing: 'object',
      pace: 'assemble',
    },
    call,
  );
  return inOrder(calls.length, readBatchAnswer(text), refusalOf);
}

function refusalOf({ status, headers, body }: EmbeddedAnswer): StoreError {
  return refusalError(
    { call: 'removeMany', effect: 'change', missing: 'object' },
    {
      status,
      ...readErrorDocument(body.trim()),
      requestId: headers['x-guploader-uploadid'],
      retryAfter: Number(headers['retry-after']) || undefined,
    },
  );
}
