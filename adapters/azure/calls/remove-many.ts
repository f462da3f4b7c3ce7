import type { BlobRef, Revision } from '../../../src/store/blob-store.ts';
import type { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import {
  type EmbeddedAnswer,
  type EmbeddedCall,
  batchBody,
  linesOf,
  readBatchAnswer,
} from '../../shared/batch/multipart.ts';
import { inOrder, removeManyBy } from '../../shared/remove-many.ts';
import { unlessAborted } from '../../shared/unless-aborted.ts';
import { httpDateNow, withQuery } from '../api.ts';
import { type AzureClient, MAX_BATCH } from '../client.ts';
import { blobPath, containerPath } from '../endpoint.ts';
import { refusalError } from '../errors.ts';
import type { AzureRequest } from '../request.ts';
import { remove } from './write.ts';

/** Milliseconds that a token may take. */
const PROOF_WITHIN = 30_000;

/** Blob Batch, of deletions in one container. */
export const removeMany = removeManyBy<AzureClient, Deletion>({ one: remove, most: MAX_BATCH, embed, send });

/** A deletion, to be authorised. */
interface Deletion {
  /** Percent-encoded. */
  readonly path: string;
  readonly ifMatch: Revision | undefined;
}

function embed({ endpoint }: AzureClient, ref: BlobRef, revision: Revision | undefined): Deletion {
  return { path: blobPath(endpoint, ref), ifMatch: revision };
}

async function send(
  client: AzureClient,
  { container, calls }: { readonly container: string; readonly calls: readonly Deletion[] },
  call: Call,
): Promise<readonly (StoreError | undefined)[]> {
  const { authorizer } = client;
  // Their version is the batch's, and stands there only.
  const signed = ['x-ms-date', httpDateNow(), 'x-ms-delete-snapshots', 'include'];
  const common = linesOf([...signed, 'Content-Length', '0']);
  const sent: EmbeddedCall[] = [];
  for (const { path, ifMatch } of calls) {
    // The service looks at each call's own authorisation, whoever sent the batch.
    const proof = authorizer.header(
      { call: 'removeMany', method: 'DELETE', path, effect: 'change', ifMatch },
      signed,
      0,
    );
    const told = proof instanceof Promise ? await unlessAborted(proof, call.signal, PROOF_WITHIN) : proof;
    const condition = ifMatch === undefined ? '' : linesOf(['If-Match', ifMatch]);
    const authorization = told === undefined ? '' : linesOf(['Authorization', told]);
    sent.push({ target: withQuery(path, authorizer.query), headers: common + condition + authorization });
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
