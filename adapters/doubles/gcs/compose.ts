import { refuseKeyed } from './customer-keys.ts';
import { type Answer, type Exchange, ok } from './exchange.ts';
import { checkBeforeChange, integer, preconditionsOf } from './preconditions.ts';
import { conditionNotMet, invalid } from './refusal.ts';
import { fieldsOf, isObject, objectResource } from './resource.ts';
import { Rope } from './rope.ts';
import { checkObjectName } from './rules.ts';
import type { StoredObject } from './state.ts';
import { createHash } from 'node:crypto';

/** https://cloud.google.com/storage/docs/composite-objects */
const MAX_SOURCES = 32;

/** https://cloud.google.com/storage/docs/json_api/v1/objects/compose */
export async function composeObject({
  state,
  bucket: bucketName,
  object: name,
  query,
  json,
}: Exchange): Promise<Answer> {
  const { sourceObjects, destination } = await json();
  checkObjectName(name);
  if (!Array.isArray(sourceObjects) || sourceObjects.length === 0) {
    throw invalid('You must provide at least one source component.');
  }
  if (sourceObjects.length > MAX_SOURCES) {
    throw invalid(
      `The number of source components provided (${sourceObjects.length}) exceeds the maximum (${MAX_SOURCES})`,
    );
  }
  const bucket = state.bucket(bucketName);
  checkBeforeChange(bucket.objects.get(name), preconditionsOf(query));
  const sources = sourceObjects.map((source: unknown) => sourceOf({ state, bucket: bucketName }, source));
  const components = sources.reduce((sum, source) => sum + (source.componentCount ?? 1), 0);
  const bytes = Rope.join(sources.map((source) => source.bytes));
  const fields = fieldsOf(isObject(destination) ? destination : {});
  return ok(objectResource(state.put(bucket, { name, bytes, fields, componentCount: components })));
}

/** Of a source, its generation can be named and conditioned on; nothing else (reference: `sourceObjects[]`). */
function sourceOf({ state, bucket }: Pick<Exchange, 'state' | 'bucket'>, source: unknown): StoredObject {
  if (!isObject(source) || typeof source['name'] !== 'string') throw invalid('Required');
  const { generation, objectPreconditions } = source;
  const wanted = generation === undefined ? undefined : decimal(generation);
  const object = state.object(bucket, source['name'], wanted);
  refuseKeyed(object);
  const match = isObject(objectPreconditions) ? objectPreconditions['ifGenerationMatch'] : undefined;
  if (match !== undefined && decimal(match) !== object.generation) throw conditionNotMet();
  return object;
}

/** The API's longs are strings; numbers are taken too. */
function decimal(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw invalid('Invalid long value');
}

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
