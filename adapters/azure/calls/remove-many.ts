import type { BlobRef, Revision } from '../../../src/store/blob-store.ts';
import type { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { type EmbeddedAnswer, type EmbeddedCall, batchBody, readBatchAnswer } from '../../shared/batch/multipart.ts';
import { inOrder, removeManyBy } from '../../shared/remove-many.ts';
import { unlessAborted } from '../../shared/unless-aborted.ts';
import { httpDate, withQuery } from '../api.ts';
import type { Authorizer } from '../authorize.ts';
import type { AzureClient } from '../client.ts';
import { blobPath, containerPath } from '../endpoint.ts';
import { refusalError } from '../errors.ts';
import type { AzureRequest } from '../request.ts';
import { remove } from './write.ts';

/** https://learn.microsoft.com/rest/api/storageservices/blob-batch */
const MOST = 256;
/** Milliseconds that a token may take. */
const PROOF_WITHIN = 30_000;

const CONDITION = 'If-Match';

/** Blob Batch, of deletions in one container. */
export const removeMany = removeManyBy<AzureClient>({ one: remove, most: MOST, embed, send });

/** Its version is the batch's, and stands there only. */
function embed({ endpoint }: AzureClient, ref: BlobRef, revision: Revision | undefined): EmbeddedCall {
  const headers = ['x-ms-date', httpDate(), 'x-ms-delete-snapshots', 'include', 'Content-Length', '0'];
  if (revision !== undefined) headers.push(CONDITION, revision);
  return { method: 'DELETE', target: blobPath(endpoint, ref), headers };
}

async function send(
  client: AzureClient,
  { container, calls }: { readonly container: string; readonly calls: readonly EmbeddedCall[] },
  call: Call,
): Promise<readonly (StoreError | undefined)[]> {
  const sent: EmbeddedCall[] = [];
  for (const embedded of calls) {
    const proof = proofOf(client, embedded);
    const told = proof instanceof Promise ? await unlessAborted(proof, call.signal, PROOF_WITHIN) : proof;
    sent.push(proven(client, embedded, told));
  }
  const { contentType, body } = batchBody(sent, { idOf: String, end: '' });
  const text = await client.rest.sendForText(
    {
      call: 'removeMany',
      method: 'POST',
      ...placeOf(client, container),
      contentType,
      body,
      effect: 'change',
      pace: 'assemble',
    },
    call,
  );
  const answers = readBatchAnswer(text);
  const [only] = answers;
  // The service refuses a batch as a whole by one answer that names none of the calls.
  if (answers.length === 1 && only !== undefined && only.index === undefined) throw refusalOf(only);
  return inOrder(calls.length, answers, refusalOf);
}

const ALL = [['comp', 'batch']] as const;
const IN_CONTAINER = [...ALL, ['restype', 'container']] as const;

/**
 * The container's batches need no permission beyond it. For signatures of the whole account the emulator knows only
 * those of the account.
 */
function placeOf({ endpoint, authorizer }: AzureClient, container: string): Pick<AzureRequest, 'path' | 'query'> {
  return /(?:^|&)srt=/.test(authorizer.query)
    ? { path: `${endpoint.basePath}/`, query: ALL }
    : { path: containerPath(endpoint, container), query: IN_CONTAINER };
}

/** The service looks at each call's own authorisation, whoever sent the batch. */
function proofOf({ authorizer }: AzureClient, { target, headers }: EmbeddedCall): ReturnType<Authorizer['header']> {
  const condition = headers.indexOf(CONDITION);
  const ifMatch = condition < 0 ? undefined : headers[condition + 1];
  const request: AzureRequest = { call: 'removeMany', method: 'DELETE', path: target, effect: 'change', ifMatch };
  return authorizer.header(request, headers, 0);
}

/** @param told undefined: the query is the proof */
function proven(
  { authorizer }: AzureClient,
  { method, target, headers }: EmbeddedCall,
  told: string | undefined,
): EmbeddedCall {
  return {
    method,
    target: withQuery(target, authorizer.query),
    headers: told === undefined ? headers : [...headers, 'Authorization', told],
  };
}

function refusalOf({ status, headers, body }: EmbeddedAnswer): StoreError {
  return refusalError(
    { call: 'removeMany', effect: 'change' },
    {
      status,
      code: headers['x-ms-error-code'] ?? /<Code>(\w{1,100})<\/Code>/.exec(body)?.[1],
      requestId: headers['x-ms-request-id'],
      retryAfter: Number(headers['retry-after']) || undefined,
      sourceStatus: undefined,
    },
  );
}
