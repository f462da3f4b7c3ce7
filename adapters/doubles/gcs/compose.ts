import { refuseKeyed } from './customer-keys.ts';
import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { checkBeforeChange, preconditionsOf } from './preconditions.ts';
import { conditionNotMet, invalid } from './refusal.ts';
import { fieldsOf, isObject, objectResource } from './resource.ts';
import { Rope } from './rope.ts';
import { checkObjectName } from './rules.ts';
import type { StoredObject } from './state.ts';

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
