import type { Answer, Exchange } from './exchange.ts';
import { splitRelated } from './multipart-related.ts';
import { invalid } from './refusal.ts';
import { parseJson } from './resource.ts';
import { startResumable } from './resumable.ts';
import { store } from './store-object.ts';

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
  return store(
    exchange,
    { name: query.get('name') ?? '', ...(type !== undefined && { contentType: type }), ...declaredHashes(exchange) },
    bytes,
  );
}

/** Resource and bytes in one `multipart/related` body. */
async function insertMultipart(exchange: Exchange): Promise<Answer> {
  const { resource, media, mediaType } = splitRelated(await exchange.body(), exchange.headers['content-type'] ?? '');
  const described = parseJson(resource);
  const name = described['name'] ?? exchange.query.get('name') ?? '';
  return store(exchange, { contentType: mediaType, ...declaredHashes(exchange), ...described, name }, media);
}

/** `x-goog-hash: crc32c=...,md5=...` and `Content-MD5`. */
function declaredHashes({ headers }: Exchange): { md5Hash?: string; crc32c?: string } {
  const text = [headers['x-goog-hash'] ?? []].flat().join(',');
  const md5Hash = /(?:^|,)\s*md5=([^,\s]+)/.exec(text)?.[1] ?? headers['content-md5'];
  const crc32c = /(?:^|,)\s*crc32c=([^,\s]+)/.exec(text)?.[1];
  return { ...(typeof md5Hash === 'string' && { md5Hash }), ...(crc32c !== undefined && { crc32c }) };
}
