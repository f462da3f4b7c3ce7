import { answerBatch } from './null-batch.ts';
import { MODIFIED, PLAUSIBLE_MD5 } from './null-blobs.ts';
import { filledFrom } from './null-bytes.ts';
import { CREATED, type NullObject, NullObjects, resourceOf, type Said } from './null-objects.ts';
import { headerOf, type RawAnswer, type RawRequest } from './raw-server.ts';

/*
 * Cloud Storage's wire from memory, as the adapter calls it: the JSON API for everything but bytes, the XML API for
 * those. Knows neither delimiters nor generations of the past, and says so.
 */
const objects = new NullObjects();

interface Named {
  readonly bucket: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

const NO_QUERY = new URLSearchParams();
const JSON_API = '/storage/v1/b';
const UPLOAD = `/upload${JSON_API}/`;

export function answerGcs(request: RawRequest): RawAnswer {
  const { target } = request;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1));
  if (path === '/batch/storage/v1') {
    return answerBatch(request, '200 OK', {
      answer: ({ target: nested, head }) => answerGcs({ ...request, method: 'DELETE', target: nested, head }),
      idOf: (id) => `<response-${id}>`,
    });
  }
  if (path.startsWith(UPLOAD)) return insert(request, path.slice(UPLOAD.length, path.lastIndexOf('/o')), query);
  if (path.startsWith(JSON_API)) return answerJson(request, path.slice(JSON_API.length + 1), query);
  const slash = path.indexOf('/', 1);
  return readMedia(request, { bucket: path.slice(1, slash), name: decoded(path.slice(slash + 1)), query });
}

function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** @param rest of the path: `bucket/o/object/verb...` */
function answerJson(request: RawRequest, rest: string, query: URLSearchParams): RawAnswer {
  const [bucket = '', isObjects, encoded, verb, ...further] = rest.split('/');
  if (bucket === '') return request.method === 'POST' ? insertBucket(request) : json(bucketPage(query));
  if (isObjects === undefined) return answerBucket(request, bucket);
  if (!objects.hasBucket(bucket)) return NO_BUCKET;
  if (encoded === undefined) return query.has('delimiter') ? UNKNOWN : json(objects.page(bucket, query));
  const named = { bucket, name: decoded(encoded), query };
  if (verb === 'compose') return compose(request, named);
  if (verb === 'rewriteTo') {
    return rewrite(request, named, { bucket: further[1] ?? '', name: decoded(further[3] ?? '') });
  }
  return answerObject(request, named);
}

function insertBucket({ start }: RawRequest): RawAnswer {
  const { name = '' } = JSON.parse(start.toString()) as { name?: string };
  if (objects.hasBucket(name)) return refusal(409, 'conflict', 'You already own this bucket.');
  objects.addBucket(name);
  return json(JSON.stringify(bucketResource(name)));
}

function answerBucket({ method }: RawRequest, bucket: string): RawAnswer {
  if (!objects.hasBucket(bucket)) return NO_BUCKET;
  if (method === 'GET') return json(JSON.stringify(bucketResource(bucket)));
  if (method !== 'DELETE') return UNKNOWN;
  objects.removeBucket(bucket);
  return EMPTY;
}

function bucketResource(name: string): object {
  return { name, timeCreated: CREATED, projectNumber: '100000000001' };
}

function bucketPage(query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const items = [...objects.buckets].filter((name) => name.startsWith(prefix)).toSorted();
  const page = items.slice(0, Number(query.get('maxResults') ?? 1000)).map(bucketResource);
  return JSON.stringify({ kind: 'storage#buckets', items: page });
}

function answerObject({ method, start }: RawRequest, { bucket, name, query }: Named): RawAnswer {
  const object = objects.get(bucket, name);
  if (object === undefined) return noSuchObject(name);
  if (conditionFails(query, object)) return NOT_MET;
  if (method === 'GET') return resource(object);
  if (method === 'DELETE') {
    objects.remove(bucket, name);
    return EMPTY;
  }
  if (method !== 'PATCH') return UNKNOWN;
  const { metadata = {} } = JSON.parse(start.toString()) as Said;
  const merged = Object.entries({ ...object.said.metadata, ...metadata }).filter(([, value]) => value !== null);
  return resource(objects.amend(bucket, object, { ...object.said, metadata: Object.fromEntries(merged) }));
}

/** `uploadType` `multipart`: resource and bytes in one body; `media`: the body is the object. */
function insert(request: RawRequest, bucket: string, query: URLSearchParams): RawAnswer {
  if (!objects.hasBucket(bucket)) return NO_BUCKET;
  const { start, body, bodySize } = request;
  if (query.get('uploadType') === 'media') {
    return store(bucket, query, { name: query.get('name') ?? '', said: {}, size: bodySize, body });
  }
  const jsonAt = start.indexOf('\r\n\r\n') + 4;
  const jsonEnd = start.indexOf('\r\n--', jsonAt);
  const bytesAt = start.indexOf('\r\n\r\n', jsonEnd) + 4;
  const { name = '', ...said } = JSON.parse(start.toString('utf8', jsonAt, jsonEnd)) as Said & { name?: string };
  // The closing line is the first one with two hyphens and a line end more.
  const size = bodySize - bytesAt - (start.indexOf('\r\n') + 6);
  return store(bucket, query, { name, said, size, body: body?.subarray(bytesAt, bytesAt + size) });
}

function store(
  bucket: string,
  query: URLSearchParams,
  object: Pick<NullObject, 'name' | 'said' | 'size' | 'body'>,
): RawAnswer {
  if (conditionFails(query, objects.get(bucket, object.name))) return NOT_MET;
  return resource(objects.put(bucket, { ...object, isComposed: false }));
}

function compose({ start }: RawRequest, { bucket, name, query }: Named): RawAnswer {
  const { sourceObjects = [], destination = {} } = JSON.parse(start.toString()) as {
    sourceObjects?: readonly { name: string }[];
    destination?: Said;
  };
  let size = 0;
  for (const { name: source } of sourceObjects) {
    const part = objects.get(bucket, source);
    if (part === undefined) return noSuchObject(source);
    size += part.size;
  }
  if (conditionFails(query, objects.get(bucket, name))) return NOT_MET;
  return resource(objects.put(bucket, { name, said: destination, size, body: undefined, isComposed: true }));
}

function rewrite({ start }: RawRequest, { bucket, name, query }: Named, to: Omit<Named, 'query'>): RawAnswer {
  const source = objects.get(bucket, name);
  if (source === undefined) return noSuchObject(name);
  if (!objects.hasBucket(to.bucket)) return NO_BUCKET;
  const sourceDiffers = conditionFails(query, source, 'ifSource');
  if (sourceDiffers || conditionFails(query, objects.get(to.bucket, to.name))) return NOT_MET;
  const { size, body, isComposed } = source;
  const said = start.length === 0 ? source.said : (JSON.parse(start.toString()) as Said);
  const made = objects.put(to.bucket, { name: to.name, said, size, body, isComposed });
  return json(JSON.stringify({ done: true, totalBytesRewritten: String(size), resource: resourceOf(made) }));
}

/** Both conditions at once, as the adapter sends them; generation 0 stands for no object. */
function conditionFails(query: URLSearchParams, object: NullObject | undefined, prefix = 'if'): boolean {
  const generation = query.get(`${prefix}GenerationMatch`);
  if (generation === null) return false;
  if (Number(generation) !== (object?.generation ?? 0)) return true;
  const metageneration = query.get(`${prefix}MetagenerationMatch`);
  return metageneration !== null && Number(metageneration) !== object?.metageneration;
}

function readMedia({ method, head }: RawRequest, { bucket, name }: Named): RawAnswer {
  const object = objects.get(bucket, name);
  if (object === undefined) return objects.hasBucket(bucket) ? xml(404, 'NoSuchKey') : xml(404, 'NoSuchBucket');
  const generation = headerOf(head, 'x-goog-if-generation-match');
  const metageneration = headerOf(head, 'x-goog-if-metageneration-match');
  if (generation !== undefined && Number(generation) !== object.generation) return xml(412, 'PreconditionFailed');
  if (metageneration !== undefined && Number(metageneration) !== object.metageneration) {
    return xml(412, 'PreconditionFailed');
  }
  const range = /\r\nrange: ?bytes=(\d+)-(\d*)/i.exec(head);
  const first = Number(range?.[1] ?? 0);
  if (range !== null && first >= object.size) return xml(416, 'InvalidRange');
  const last = Math.min(object.size - 1, range?.[2] === undefined || range[2] === '' ? Infinity : Number(range[2]));
  const length = last - first + 1;
  const line =
    range === null
      ? 'HTTP/1.1 200 OK\r\n'
      : `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${first}-${last}/${object.size}\r\n`;
  const text = `${line}${COMMON}${mediaLines(object)}Content-Length: ${length}\r\n\r\n`;
  if (method === 'HEAD') return text;
  const { body } = object;
  return { head: text, body: body === undefined ? filledFrom(first, length) : [body.subarray(first, last + 1)] };
}

const COMMON = `X-GUploader-UploadID: ABPnzLoNullNullNullNullNull\r\nDate: ${MODIFIED}\r\nServer: UploadServer\r\nAlt-Svc: h3=":443"; ma=2592000\r\n`;

/** Header lines of a read, by object: made once. */
const lines = new WeakMap<NullObject, string>();

function mediaLines(object: NullObject): string {
  let text = lines.get(object);
  if (text !== undefined) return text;
  const { said, size, generation, metageneration, isComposed } = object;
  const metadata = Object.entries(said.metadata ?? {}).map(([name, value]) => `x-goog-meta-${name}: ${value}\r\n`);
  text =
    `Content-Type: ${said.contentType ?? 'application/octet-stream'}\r\nCache-Control: private, max-age=0\r\n` +
    `Last-Modified: ${MODIFIED}\r\nETag: "${generation}/${metageneration}"\r\nx-goog-generation: ${generation}\r\n` +
    `x-goog-metageneration: ${metageneration}\r\nx-goog-stored-content-encoding: identity\r\n` +
    `x-goog-stored-content-length: ${size}\r\nx-goog-storage-class: STANDARD\r\nx-goog-hash: crc32c=AAAAAA==\r\n` +
    `${isComposed ? '' : `x-goog-hash: md5=${PLAUSIBLE_MD5}\r\n`}${metadata.join('')}Accept-Ranges: bytes\r\n`;
  lines.set(object, text);
  return text;
}

function resource(object: NullObject): RawAnswer {
  return json(JSON.stringify(resourceOf(object)));
}

function json(text: string, line = '200 OK'): RawAnswer {
  const body = Buffer.from(text);
  const type = 'application/json; charset=UTF-8';
  const head = `HTTP/1.1 ${line}\r\n${COMMON}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return { head, body: [body] };
}

function refusal(status: number, reason: string, message: string): RawAnswer {
  const error = { code: status, message, errors: [{ message, domain: 'global', reason }] };
  return json(JSON.stringify({ error }), `${status} Refused`);
}

function noSuchObject(name: string): RawAnswer {
  return refusal(404, 'notFound', `No such object: ${name}`);
}

function xml(status: number, code: string): string {
  const text = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>refused</Message></Error>`;
  return `HTTP/1.1 ${status} Refused\r\n${COMMON}Content-Type: application/xml\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

const EMPTY = `HTTP/1.1 204 No Content\r\n${COMMON}Content-Length: 0\r\n\r\n`;
const NO_BUCKET = refusal(404, 'notFound', 'The specified bucket does not exist.');
const NOT_MET = refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
const UNKNOWN = refusal(501, 'notImplemented', 'The null backend does not know this request.');
