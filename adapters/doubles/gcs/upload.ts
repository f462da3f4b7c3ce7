import type { Answer, Exchange } from './exchange.ts';
import { invalid } from './refusal.ts';
import { parseJson } from './resource.ts';
import { startResumable } from './resumable.ts';
import { store } from './store-object.ts';
import type { Rope } from './rope.ts';

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

interface Related {
  /** JSON. */
  readonly resource: string;
  readonly media: Rope;
  readonly mediaType: string;
}

/** The first part, which is a resource of 8 KiB of metadata at most, lies within this. */
const FIRST_PARTS = 128 * 1024;

/**
 * Two parts, RFC 2387: a JSON resource and the bytes. The boundary that ends the bytes is looked for at the end only,
 * so that they need not be copied together.
 * @throws Refusal 400
 */
function splitRelated(body: Rope, contentType: string): Related {
  const boundary = /^multipart\/related\b.*;\s*boundary="?([^";\s]+)/i.exec(contentType)?.[1];
  if (boundary === undefined) throw malformed();
  const start = body.slice(0, FIRST_PARTS).bytes().toString('latin1');
  const delimiter = `--${boundary}`;
  const [first, second] = [headEnd(start, start.indexOf(delimiter)), start.indexOf(`\r\n${delimiter}`, 1)];
  if (!start.startsWith(delimiter) || second < first) throw malformed();
  const mediaStart = headEnd(start, second);
  const end = closing(body, delimiter);
  if (end < mediaStart) throw malformed();
  const head = start.slice(second, mediaStart);
  return {
    resource: Buffer.from(start.slice(first, second), 'latin1').toString('utf8'),
    media: body.slice(mediaStart, end),
    mediaType: /\r\ncontent-type:[ \t]*([^\r]+)/i.exec(head)?.[1] ?? 'application/octet-stream',
  };
}

function headEnd(text: string, from: number): number {
  const end = text.indexOf('\r\n\r\n', from);
  if (from < 0 || end < 0) throw malformed();
  return end + 4;
}

function closing(body: Rope, delimiter: string): number {
  const ending = `\r\n${delimiter}--`;
  const tail = body
    .slice(Math.max(0, body.size - ending.length - 2), body.size)
    .bytes()
    .toString('latin1');
  const at = tail.lastIndexOf(ending);
  if (at < 0 || !/^(?:\r\n)?$/.test(tail.slice(at + ending.length))) throw malformed();
  return body.size - tail.length + at;
}

function malformed(): Error {
  return invalid('Malformed multipart body.');
}
