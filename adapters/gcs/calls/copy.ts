import type { BlobRef, Condition, CopyRequest, CopySource, WriteResult } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { unusableAnswer } from '../../shared/wire/wire-failure.ts';
import type { GcsClient } from '../client.ts';
import { bucketPath, changeOf, objectPath, xmlPath } from '../paths.ts';
import { encodeName } from '../names.ts';
import { jsonBody } from '../request.ts';
import { WRITTEN, newResource, writeResult } from '../resource.ts';
import type { ObjectResource } from '../resource.ts';
import { conditionQuery, matchQuery } from '../revision.ts';
import { explainCopyError } from './source.ts';
import { requireTier } from './tiers.ts';

interface RewriteAnswer {
  readonly done: boolean;
  readonly rewriteToken: string;
  /** Decimal. */
  readonly totalBytesRewritten: string;
  readonly resource: ObjectResource;
}

interface Rewrite {
  /** Port method. */
  readonly call: string;
  readonly source: CopySource;
  readonly target: BlobRef;
  /** All that the target shall have besides bytes. */
  readonly resource: object;
  readonly condition: Condition | undefined;
}

export async function copy(client: GcsClient, target: BlobRef, request: CopyRequest, call: Call): Promise<WriteResult> {
  const { source, headers, metadata, md5, tier, condition } = request;
  await requireTier(client, target.container, { tier, name: 'copy' }, call);
  return rewrite(
    client,
    { call: 'copy', source, target, resource: newResource({ headers, metadata, recordedMd5: md5, tier }), condition },
    call,
  );
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/rewrite, called until it is done: at once within one
 * location and class, else a share of the bytes each time. The target changes with the last call; both ends are
 * conditioned in every one.
 */
export async function rewrite(client: GcsClient, request: Rewrite, call: Call): Promise<WriteResult> {
  xmlPath(client, request.target);
  let token: string | undefined;
  for (let moved = -1; ; ) {
    const answer = await sendRewrite(client, request, token, call);
    if (answer.done === true) return writeResult(answer.resource ?? {}, request.call);
    if (answer.done !== false) throw unusableAnswer(request.call, 'answer does not say whether the rewrite is done');
    const progress = Number(answer.totalBytesRewritten ?? 0);
    if (answer.rewriteToken === undefined || progress <= moved) {
      throw new StoreError('unexpected', { call: request.call, code: 'NoProgress' });
    }
    token = answer.rewriteToken;
    moved = progress;
  }
}

async function sendRewrite(
  client: GcsClient,
  request: Rewrite,
  token: string | undefined,
  call: Call,
): Promise<Partial<RewriteAnswer>> {
  const { source, target } = request;
  const query = [
    ...matchQuery(source.revision, 'ifSource'),
    ...conditionQuery(request.condition),
    ...(token === undefined ? [] : [['rewriteToken', token] as const]),
    ['fields', `done,rewriteToken,totalBytesRewritten,resource(${WRITTEN})`] as const,
  ];
  const path = `${objectPath(client, source)}/rewriteTo${bucketPath(client, target.container).replace(/^\/storage\/v1/, '')}/o/${encodeName(target.name)}`;
  try {
    return await client.rest.sendForJson<RewriteAnswer>(
      {
        call: request.call,
        method: 'POST',
        path,
        query,
        ...jsonBody(request.resource),
        effect: 'change',
        changes: changeOf(client, target),
        missing: 'object',
        pace: 'copy',
      },
      call,
    );
  } catch (error) {
    throw await explainCopyError(client, source, error, call);
  }
}
