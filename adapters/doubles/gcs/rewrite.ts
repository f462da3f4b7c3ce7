import { createHash } from 'node:crypto';
import { refuseKeyed } from './customer-keys.ts';
import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { checkBeforeChange, integer, preconditionsOf } from './preconditions.ts';
import { invalid } from './refusal.ts';
import { fieldsOf, objectResource } from './resource.ts';
import { checkObjectName } from './rules.ts';
import type { StoredObject } from './state.ts';

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/rewrite: done at once, or to be called again with the token
 * of the answer until it is; the token holds for the same source, target and generation only. A body replaces all
 * fields of the source.
 */
export async function rewriteObject(exchange: Exchange): Promise<Answer> {
  const { state, query, targetObject } = exchange;
  const resource = await exchange.json();
  checkObjectName(targetObject);
  const target = state.bucket(exchange.targetBucket);
  const source = state.object(
    exchange.bucket,
    exchange.object,
    integer(query.get('sourceGeneration'), 'sourceGeneration'),
  );
  checkBeforeChange(source, preconditionsOf(query, 'ifSource'));
  refuseKeyed(source);
  checkBeforeChange(target.objects.get(targetObject), preconditionsOf(query));
  const size = source.bytes.size;
  const perCall = Math.min(
    state.options.rewriteBytesPerCall ?? Infinity,
    Number(query.get('maxBytesRewrittenPerCall') ?? Infinity),
  );
  const moved = Math.min(size, movedBefore(exchange, source) + perCall);
  const progress = { kind: 'storage#rewriteResponse', totalBytesRewritten: String(moved), objectSize: String(size) };
  if (moved < size) return ok({ ...progress, done: false, rewriteToken: tokenFor(exchange, source, moved) });
  const fields = Object.keys(resource).length === 0 ? source.fields : fieldsOf(resource);
  const { bytes, componentCount } = source;
  const object = state.put(target, {
    name: targetObject,
    bytes,
    fields,
    ...(componentCount !== undefined && { componentCount }),
  });
  return ok({ ...progress, done: true, resource: objectResource(object) });
}

function movedBefore(exchange: Exchange, source: StoredObject): number {
  const token = exchange.query.get('rewriteToken');
  if (token === null) return 0;
  const moved = Number(token.split('.')[0]);
  if (token !== tokenFor(exchange, source, moved)) throw invalid('Invalid rewrite token.');
  return moved;
}

function tokenFor(
  { bucket, object, targetBucket, targetObject }: Exchange,
  { generation }: StoredObject,
  moved: number,
): string {
  const bound = createHash('sha256')
    .update(JSON.stringify([bucket, object, generation, targetBucket, targetObject, moved]))
    .digest('base64url');
  return `${moved}.${bound}`;
}
