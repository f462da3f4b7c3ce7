/**
 * A process that speaks the wire of Azure Blob Storage, or Cloud Storage's (`null-gcs.ts`), at memory speed, so that a
 * server in front of it is measured and not the store: no disk, no signatures checked, no MD5 computed (every blob has
 * the same plausible one), bodies above 16 KiB counted but not kept and answered from one prefilled buffer.
 *
 * Sends `{ port }` to its parent and answers each of its messages with `{ calls }`, the requests so far. A message
 * `{ latency }` has it wait so many milliseconds before each answer from then on.
 *
 * `node null-backend.ts <port> [azure|gcs] [certificate file] [key file]`: with a certificate it speaks https.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { answerBatch } from './null-batch.ts';
import { MODIFIED, NullBlobs, PLAUSIBLE_MD5 } from './null-blobs.ts';
import type { NullBlob } from './null-blobs.ts';
import { filledFrom } from './null-bytes.ts';
import { answerGcs } from './null-gcs.ts';
import { createRawServer, headerOf } from './raw-server.ts';
import type { RawAnswer, RawRequest } from './raw-server.ts';

const COMMON = `Server: Null-Blob/1.0\r\nx-ms-request-id: 11111111-2222-3333-4444-555555555555\r\nx-ms-version: 2026-02-06\r\nDate: ${MODIFIED}\r\n`;

const blobs = new NullBlobs();

interface Place {
  readonly container: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

/** `/account/container/name` of the emulator's form, and the same without the account for the bare proxy. */
function placeOf(target: string): Place {
  const mark = target.indexOf('?');
  const path = (mark < 0 ? target : target.slice(0, mark)).replace(/^\/devstoreaccount1(?=\/|$)/, '').slice(1);
  const slash = path.indexOf('/');
  return {
    container: slash < 0 ? path : path.slice(0, slash),
    name: slash < 0 ? '' : path.slice(slash + 1),
    query: mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1)),
  };
}

const NO_QUERY = new URLSearchParams();

function answerAzure(request: RawRequest): RawAnswer {
  const place = placeOf(request.target);
  if (request.method === 'POST' && place.query.get('comp') === 'batch') return removeBlobs(request);
  if (place.container === '') return document(request, containerList());
  if (place.name === '') return answerContainer(request, place);
  if (request.method === 'GET' || request.method === 'HEAD') return readBlob(request, place);
  if (request.method === 'DELETE') return removeBlob(request, place);
  return request.method === 'PUT' ? changeBlob(request, place) : refusal(405, 'UnsupportedHttpVerb');
}

function answerContainer(request: RawRequest, { container, query }: Place): RawAnswer {
  if (request.method === 'PUT') {
    if (blobs.hasContainer(container)) return refusal(409, 'ContainerAlreadyExists');
    blobs.addContainer(container);
    return plain(201, entity('"0x8D0"'));
  }
  if (!blobs.hasContainer(container)) return refusal(404, 'ContainerNotFound');
  if (request.method === 'DELETE') {
    blobs.removeContainer(container);
    return plain(202, '');
  }
  if (query.get('comp') === 'list') return document(request, blobs.page(container, query));
  return plain(200, entity('"0x8D0"'));
}

function containerList(): string {
  const found = [...blobs.containers].map(
    (name) =>
      `<Container><Name>${name}</Name><Properties><Last-Modified>${MODIFIED}</Last-Modified></Properties></Container>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Containers>${found.join('')}</Containers><NextMarker /></EnumerationResults>`;
}

function readBlob(request: RawRequest, { container, name, query }: Place): RawAnswer {
  const { method, head } = request;
  const blob = blobs.get(container, name);
  if (query.get('comp') === 'tags' && blob !== undefined) return document(request, NO_TAGS);
  if (query.get('comp') === 'blocklist') return blockList(request, blobs.staged(container, name));
  if (blob === undefined) return refusal(404, blobs.hasContainer(container) ? 'BlobNotFound' : 'ContainerNotFound');
  if (conditionFails(head, blob)) return refusal(412, 'ConditionNotMet');
  const range = /\r\n(?:x-ms-range|range): ?bytes=(\d+)-(\d*)/i.exec(head);
  const first = Number(range?.[1] ?? 0);
  const last = Math.min(blob.size - 1, range?.[2] === undefined || range[2] === '' ? Infinity : Number(range[2]));
  if (range !== null && first >= blob.size) return refusal(416, 'InvalidRange');
  const length = last - first + 1;
  const about =
    range === null
      ? `HTTP/1.1 200 OK\r\n${md5Line('Content-MD5', blob)}`
      : `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${first}-${last}/${blob.size}\r\n${md5Line('x-ms-blob-content-md5', blob)}`;
  const text = `${about}${COMMON}${entity(blob.etag)}${blob.lines}Content-Length: ${length}\r\n\r\n`;
  if (method === 'HEAD') return text;
  return {
    head: text,
    body: blob.body === undefined ? filledFrom(first, length) : [blob.body.subarray(first, last + 1)],
  };
}

function md5Line(name: string, { md5 }: NullBlob): string {
  return md5 === undefined ? '' : `${name}: ${md5}\r\n`;
}

/** As other servers ask for them. */
const NO_TAGS = '<?xml version="1.0" encoding="utf-8"?><Tags><TagSet /></Tags>';

/** Get Block List, as other servers ask for it. */
function blockList(request: RawRequest, staged: ReadonlyMap<string, number> | undefined): RawAnswer {
  if (staged === undefined) return refusal(404, 'BlobNotFound');
  const blocks = [...staged].map(([id, size]) => `<Block><Name>${id}</Name><Size>${size}</Size></Block>`);
  const lists = `<CommittedBlocks /><UncommittedBlocks>${blocks.join('')}</UncommittedBlocks>`;
  return document(request, `<?xml version="1.0" encoding="utf-8"?><BlockList>${lists}</BlockList>`);
}

function changeBlob(request: RawRequest, place: Place): RawAnswer {
  const { container, name, query } = place;
  const { head } = request;
  if (!blobs.hasContainer(container)) return refusal(404, 'ContainerNotFound');
  const comp = query.get('comp');
  if (comp === 'block') {
    const from = headerOf(head, 'x-ms-copy-source');
    const copied = from === undefined ? undefined : blobAt(from);
    blobs.stage(container, name, query.get('blockid') ?? '', copied?.size ?? request.bodySize);
    return plain(201, `${from === undefined ? blockDigest(request) : CRC64}${ENCRYPTED}`);
  }
  const known = blobs.get(container, name);
  if (known !== undefined && headerOf(head, 'if-none-match') === '*') return refusal(409, 'BlobAlreadyExists');
  if (conditionFails(head, known)) return refusal(412, 'ConditionNotMet');
  if (comp === 'metadata') {
    if (known === undefined) return refusal(404, 'BlobNotFound');
    const etag = blobs.nextEtag();
    blobs.set(container, name, { ...known, ...described(head), etag });
    return plain(200, entity(etag));
  }
  if (comp === 'blocklist') return putBlockList(request, place);
  const source = headerOf(head, 'x-ms-copy-source');
  return source === undefined ? putBlob(request, place) : copyBlob(request, place, source);
}

/**
 * The digest that Put Block was recorded to answer: the MD5 that it was told, or by versions before 2019-02-02 the MD5
 * that the service computed, else a CRC64. That of a small block is its own.
 */
function blockDigest({ head, body }: RawRequest): string {
  const told = headerOf(head, 'content-md5');
  const isOld = (headerOf(head, 'x-ms-version') ?? '') < '2019-02-02';
  if (told === undefined && !isOld) return CRC64;
  const own = body === undefined ? PLAUSIBLE_MD5 : createHash('md5').update(body).digest('base64');
  return `Content-MD5: ${told ?? own}\r\n`;
}

function putBlob({ head, body, bodySize }: RawRequest, { container, name }: Place): RawAnswer {
  const etag = blobs.nextEtag();
  blobs.set(container, name, { size: bodySize, body, etag, md5: PLAUSIBLE_MD5, ...described(head) });
  return plain(201, `Content-MD5: ${PLAUSIBLE_MD5}\r\n${CRC64}${ENCRYPTED}${entity(etag)}`);
}

function blobAt(url: string): NullBlob | undefined {
  const { container, name } = placeOf(new URL(url).pathname);
  return blobs.get(container, name);
}

/** Copy Blob and Put Blob From URL, of a blob of this backend. */
function copyBlob({ head }: RawRequest, { container, name }: Place, source: string): RawAnswer {
  const known = blobAt(source);
  if (known === undefined) return refusal(404, 'CannotVerifyCopySource');
  const etag = blobs.nextEtag();
  blobs.set(container, name, { size: known.size, body: known.body, etag, md5: known.md5, ...described(head) });
  const isCopy = headerOf(head, 'x-ms-requires-sync') !== undefined;
  return plain(isCopy ? 202 : 201, `${isCopy ? COPIED : ''}${CRC64}${ENCRYPTED}${entity(etag)}`);
}

/** Lines that the service was recorded to add: a copy by URL has a CRC64 in place of an MD5. */
const CRC64 = 'x-ms-content-crc64: iknlm7CyG2k=\r\n';
const ENCRYPTED = 'x-ms-request-server-encrypted: true\r\n';
const COPIED = 'x-ms-copy-id: 11111111-2222-3333-4444-555555555555\r\nx-ms-copy-status: success\r\n';

function putBlockList({ head, body }: RawRequest, { container, name }: Place): RawAnswer {
  const ids = [...(body?.toString('latin1') ?? '').matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(([, id]) => id ?? '');
  const size = blobs.assemble(container, name, ids);
  if (size === undefined) return refusal(400, 'InvalidBlockList');
  const etag = blobs.nextEtag();
  blobs.set(container, name, {
    size,
    body: undefined,
    etag,
    md5: headerOf(head, 'x-ms-blob-content-md5'),
    ...described(head),
  });
  return plain(201, `${CRC64}${ENCRYPTED}${entity(etag)}`);
}

function removeBlobs(request: RawRequest): RawAnswer {
  return answerBatch(request, '202 Accepted', {
    answer: ({ target, head }) => partOf(removeBlob({ head }, placeOf(target))),
    idOf: (id) => id,
  });
}

/** What is told inside a batch of a removal that was done has neither a time nor a length. */
function partOf(answer: RawAnswer): RawAnswer {
  return typeof answer === 'string' && answer.startsWith('HTTP/1.1 202') ? REMOVED : answer;
}

const REMOVED =
  'HTTP/1.1 202 Accepted\r\nx-ms-delete-type-permanent: true\r\n' +
  'x-ms-request-id: 11111111-2222-3333-4444-555555555555\r\nx-ms-version: 2026-02-06\r\nServer: Null-Blob/1.0\r\n\r\n';

function removeBlob({ head }: Pick<RawRequest, 'head'>, { container, name }: Place): RawAnswer {
  const blob = blobs.get(container, name);
  if (blob === undefined) return refusal(404, 'BlobNotFound');
  if (conditionFails(head, blob)) return refusal(412, 'ConditionNotMet');
  blobs.remove(container, name);
  return plain(202, 'x-ms-delete-type-permanent: true\r\n');
}

function conditionFails(head: string, blob: NullBlob | undefined): boolean {
  const wanted = headerOf(head, 'if-match');
  if (wanted === undefined || wanted === blob?.etag) return false;
  // As some send it, and Azure takes it: without its quotes.
  return blob === undefined || (wanted !== '*' && `"${wanted}"` !== blob.etag);
}

/** What a write says about its blob, in the form in which answers repeat it. */
function described(head: string): Pick<NullBlob, 'lines' | 'metadata'> {
  const metadata = [...head.matchAll(/\r\nx-ms-meta-([^:]+): ?([^\r]*)/gi)].map(
    ([, name, value]) => [name ?? '', value ?? ''] as const,
  );
  const type = headerOf(head, 'x-ms-blob-content-type') ?? 'application/octet-stream';
  const lines = metadata.map(([name, value]) => `x-ms-meta-${name}: ${value}\r\n`).join('');
  return {
    metadata,
    lines: `Content-Type: ${type}\r\nAccept-Ranges: bytes\r\n${lines}${PROPERTIES}`,
  };
}

/** What the service says of every blob, as it was recorded. */
const PROPERTIES =
  `x-ms-creation-time: ${MODIFIED}\r\nx-ms-blob-type: BlockBlob\r\nx-ms-lease-status: unlocked\r\n` +
  'x-ms-lease-state: available\r\nx-ms-server-encrypted: true\r\n';

function entity(etag: string): string {
  return `ETag: ${etag}\r\nLast-Modified: ${MODIFIED}\r\n`;
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
};

function plain(status: number, lines: string): string {
  return `HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}\r\n${COMMON}${lines}Content-Length: 0\r\n\r\n`;
}

function refusal(status: number, code: string): string {
  return plain(status, `x-ms-error-code: ${code}\r\n`);
}

/** As the service begins every document. */
const BYTE_ORDER_MARK = '\ufeff';

/** Documents come in chunks, as they were recorded. */
function document({ method }: RawRequest, xml: string): RawAnswer {
  const body = Buffer.from(BYTE_ORDER_MARK + xml);
  const head = `HTTP/1.1 200 OK\r\n${COMMON}Content-Type: application/xml\r\nTransfer-Encoding: chunked\r\n\r\n`;
  if (method === 'HEAD') return head;
  return { head: `${head}${body.length.toString(16)}\r\n`, body: [body, LAST_CHUNK] };
}

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

let calls = 0;
let latency = 0;
const [, , port = '0', wire = 'azure', certFile, keyFile] = process.argv;
const answer = wire === 'gcs' ? answerGcs : answerAzure;

const server = createRawServer(
  (request) => {
    calls += 1;
    return answer(request);
  },
  {
    latency: () => latency,
    ...(certFile !== undefined &&
      keyFile !== undefined && { tls: { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') } }),
  },
);
server.listen(Number(port), '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message: { readonly latency?: number }) => {
  latency = message.latency ?? latency;
  process.send?.({ calls });
});
process.on('disconnect', () => process.exit(0));
