import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { checkBeforeChange, checkBeforeRead, integer, preconditionsOf } from './preconditions.ts';
import { Refusal, conditionNotMet } from './refusal.ts';
import { etagOf, fieldsOf, mergeFields, objectResource } from './resource.ts';
import type { StoredObject } from './state.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/objects/get, `alt=json`. */
export function getObject(exchange: Exchange): Answer {
  return ok(objectResource(readableObject(exchange)));
}

/** The object of a JSON read, its conditions judged. @throws Refusal 304, 404, 412 */
export function readableObject({ state, bucket, object: name, query, headers }: Exchange): StoredObject {
  const object = state.object(bucket, name, integer(query.get('generation'), 'generation'));
  checkBeforeRead(object, preconditionsOf(query));
  if (headers['if-match'] !== undefined && headers['if-match'] !== etagOf(object)) throw conditionNotMet();
  if (headers['if-none-match'] === etagOf(object)) throw new Refusal(304, 'notModified', 'Not Modified');
  return object;
}

/** https://cloud.google.com/storage/docs/json_api/v1/objects/patch */
export async function patchObject(exchange: Exchange): Promise<Answer> {
  const patch = await exchange.json();
  const object = changeableObject(exchange);
  return ok(objectResource(exchange.state.amend(object, mergeFields(object.fields, patch))));
}

/** https://cloud.google.com/storage/docs/json_api/v1/objects/update: fields that are not named are reset. */
export async function updateObject(exchange: Exchange): Promise<Answer> {
  const resource = await exchange.json();
  return ok(objectResource(exchange.state.amend(changeableObject(exchange), fieldsOf(resource))));
}

/** https://cloud.google.com/storage/docs/json_api/v1/objects/delete */
export function deleteObject(exchange: Exchange): Answer {
  exchange.state.remove(changeableObject(exchange));
  return { status: 204 };
}

function changeableObject({ state, bucket, object: name, query }: Exchange): StoredObject {
  const object = state.object(bucket, name, integer(query.get('generation'), 'generation'));
  checkBeforeChange(object, preconditionsOf(query));
  return object;
}
