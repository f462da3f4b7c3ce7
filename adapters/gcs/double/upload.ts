import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { splitRelated } from './multipart-related.ts';
import { checkBeforeChange, preconditionsOf } from './preconditions.ts';
import { invalid } from './refusal.ts';
import type { Json } from './resource.ts';
import { fieldsOf, objectResource, parseJson } from './resource.ts';
import type { Rope } from './rope.ts';
import { checkObjectName } from './rules.ts';
import { startResumable } from './resumable.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/objects/insert */
export async function insertObject(exchange: Exchange): Promise<Answer> {
  switch (exchange.query.get('uploadType')) {
    case 'media':
      return insertMedia(exchange);
    case 'multipart':
      return insertMultipart(exchange);
    case 'resumable':
      return startResumable(exchange);
    default:
      throw invalid('Upload requests must include an uploadType URL parameter');
  }
}

/** https://cloud.google.com/storage/docs/uploading-objects: the body is the object. */
async function insertMedia(exchange: Exchange): Promise<Answer> {
  const { headers, query } = exchange;
  const bytes = await exchange.body();
  const type = headers['content-type'];
  return store(exchange, { name: query.get('name') ?? '', ...(type !== undefined && { contentType: type }), ...declaredHashes(exchange) }, bytes);
}

/** Resource and bytes in one `multipart/related` body. */
async function insertMultipart(exchange: Exchange): Promise<Answer> {
  const { resource, media, mediaType } = splitRelated(await exchange.body(), exchange.headers['content-type'] ?? '');
  const described = parseJson(resource);
  const name = described['name'] ?? exchange.query.get('name') ?? '';
  return store(exchange, { contentType: mediaType, ...declaredHashes(exchange), ...described, name }, media);
}

/** Judges and stores in one turn of the event loop. @throws Refusal */
export function store({ state, bucket: bucketName, query }: Exchange, resource: Json, bytes: Rope): Answer {
  const { name, md5Hash, crc32c } = resource;
  if (typeof name !== 'string') throw invalid('Required parameter: name');
  checkObjectName(name);
  const bucket = state.bucket(bucketName);
  const fields = fieldsOf(resource);
  checkHash('MD5', md5Hash, bytes.md5);
  checkHash('CRC32C', crc32c, bytes.crc32c);
  checkBeforeChange(bucket.objects.get(name), preconditionsOf(query));
  return ok(objectResource(state.put(bucket, { name, bytes, fields })));
}

/** "If the hash does not match, the request is refused" (https://cloud.google.com/storage/docs/data-validation#server_side_validation). */
function checkHash(kind: string, declared: unknown, actual: string): void {
  if (typeof declared !== 'string' || declared === actual) return;
  throw invalid(`Provided ${kind} hash "${declared}" doesn't match calculated ${kind} hash "${actual}".`);
}

/** `x-goog-hash: crc32c=...,md5=...` and `Content-MD5`. */
function declaredHashes({ headers }: Exchange): { md5Hash?: string; crc32c?: string } {
  const text = [headers['x-goog-hash'] ?? []].flat().join(',');
  const md5Hash = /(?:^|,)\s*md5=([^,\s]+)/.exec(text)?.[1] ?? headers['content-md5'];
  const crc32c = /(?:^|,)\s*crc32c=([^,\s]+)/.exec(text)?.[1];
  return { ...(typeof md5Hash === 'string' && { md5Hash }), ...(crc32c !== undefined && { crc32c }) };
}
