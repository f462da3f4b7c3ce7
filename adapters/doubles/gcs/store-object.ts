import { shownDigest } from './customer-keys.ts';
import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { checkBeforeChange, preconditionsOf } from './preconditions.ts';
import { invalid } from './refusal.ts';
import type { Json } from './resource.ts';
import { fieldsOf, objectResource } from './resource.ts';
import type { Rope } from './rope.ts';
import { checkObjectName } from './rules.ts';

/** Judges and stores in one turn of the event loop. @throws Refusal */
export function store({ state, bucket: bucketName, query, headers }: Exchange, resource: Json, bytes: Rope): Answer {
  const { name, md5Hash, crc32c } = resource;
  if (typeof name !== 'string') throw invalid('Required parameter: name');
  checkObjectName(name);
  const bucket = state.bucket(bucketName);
  const fields = fieldsOf(resource);
  checkHash('MD5', md5Hash, bytes.md5);
  checkHash('CRC32C', crc32c, bytes.crc32c);
  checkBeforeChange(bucket.objects.get(name), preconditionsOf(query));
  const keyDigest = shownDigest(headers);
  const kmsKeyName = query.get('kmsKeyName');
  const under = { ...(keyDigest !== undefined && { keyDigest }), ...(kmsKeyName !== null && { kmsKeyName }) };
  return ok(objectResource(state.put(bucket, { name, bytes, fields, ...under })));
}

/**
 * "If the hash does not match, the request is refused"
 * (https://cloud.google.com/storage/docs/data-validation#server_side_validation).
 */
function checkHash(kind: string, declared: unknown, actual: string): void {
  if (typeof declared !== 'string' || declared === actual) return;
  throw invalid(`Provided ${kind} hash "${declared}" doesn't match calculated ${kind} hash "${actual}".`);
}
