import { createHash, createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SignatureV4 } from '@smithy/signature-v4';
import { createChecksumHasher } from '../../../src/protocol/checksums/hasher.ts';
import { chunkHeads, chunkSigner } from './signed-chunks.ts';
import { bodyLength, filler, plainBody, trailerBody } from './wire-request.ts';
import type { WireBody, WireRequest } from './wire-request.ts';

type PayloadMode = 'unsigned' | 'sha256' | 'signed-chunks' | 'crc32-trailer' | 'crc64nvme-trailer';

export interface S3Request {
  readonly method: string;
  /** Needs no percent-encoding. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly size?: number;
  readonly payload?: PayloadMode;
  /** The body itself, unsigned; absent: `size` bytes of any kind. */
  readonly text?: string;
  /** Others, signed with the rest. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bucket and key to be copied. */
  readonly copyOf?: string;
}

const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** Also of requests for a proxy that does not look: the same bytes for both sides. */
export async function signAll(signer: RequestSigner, requests: readonly S3Request[]): Promise<WireRequest[]> {
  return Promise.all(requests.map((request) => signer.sign(request)));
}

/** An S3 endpoint and who may use it: the test bed's, or that of a peer. */
interface SignedFor {
  readonly endpoints: readonly string[];
  readonly region: string;
  readonly accounts: readonly { readonly accessKey: string; readonly secretKey: string }[];
}

/** Signs requests ahead of time with the AWS SDK's signer: a signature is good for fifteen minutes. */
export class RequestSigner {
  readonly #signer: SignatureV4;
  readonly #endpoint: URL;
  readonly #region: string;
  readonly #secretKey: string;

  constructor(bed: SignedFor) {
    const [endpoint] = bed.endpoints;
    const [account] = bed.accounts;
    if (endpoint === undefined || account === undefined) throw new Error('the test bed has no endpoint or no account');
    this.#endpoint = new URL(endpoint);
    this.#region = bed.region;
    this.#secretKey = account.secretKey;
    this.#signer = new SignatureV4({
      service: 's3',
      region: bed.region,
      credentials: { accessKeyId: account.accessKey, secretAccessKey: account.secretKey },
      sha256: NodeSha256,
      uriEscapePath: false,
      applyChecksum: false,
    });
  }

  get port(): number {
    return Number(this.#endpoint.port);
  }

  async sign(request: S3Request): Promise<WireRequest> {
    const body = bodyOf(request);
    const { method, path, query = {}, copyOf } = request;
    const headers = {
      host: this.#endpoint.host,
      ...payloadHeaders(request, body),
      ...request.headers,
      ...(copyOf !== undefined && { 'x-amz-copy-source': copyOf }),
    };
    const signed = await this.#signer.sign({
      method,
      protocol: 'http:',
      hostname: this.#endpoint.hostname,
      path,
      query: { ...query },
      headers,
    });
    const search = new URLSearchParams(query).toString();
    const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${method} ${path}${search === '' ? '' : `?${search}`} HTTP/1.1\r\n${lines.join('')}\r\n`;
    if (body === undefined) return { head };
    if (request.payload !== 'signed-chunks') return { head, body };
    const chain = chunkSigner(head, { region: this.#region, secretKey: this.#secretKey });
    return { head, body: { ...body, ...chunkHeads(body, chain) } };
  }
}

function bodyOf({ size, payload, text }: S3Request): WireBody | undefined {
  if (text !== undefined) return { prefix: '', fill: 0, suffix: '', times: 0, tail: text };
  if (size === undefined) return undefined;
  if (payload === 'signed-chunks') return { ...plainBody(size), suffix: '\r\n', ...chunkHeads(plainBody(size)) };
  if (payload === 'crc32-trailer') return trailerBody(size, `x-amz-checksum-crc32:${fillerCrc32(size)}`);
  return payload === 'crc64nvme-trailer'
    ? trailerBody(size, `x-amz-checksum-crc64nvme:${fillerCrc64(size)}`)
    : plainBody(size);
}

function payloadHeaders({ size = 0, payload }: S3Request, body: WireBody | undefined): Record<string, string> {
  if (body === undefined) return { 'x-amz-content-sha256': EMPTY_SHA256 };
  const length = { 'content-length': String(bodyLength(body)), 'content-type': 'application/octet-stream' };
  if (payload === undefined || payload === 'unsigned') return { ...length, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  if (payload === 'sha256') return { ...length, 'x-amz-content-sha256': fillerSha256(size) };
  const framed = { ...length, 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': String(size) };
  if (payload === 'signed-chunks') return { ...framed, 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };
  return {
    ...framed,
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-trailer': `x-amz-checksum-${payload.replace('-trailer', '')}`,
  };
}

function fillerSha256(size: number): string {
  const { fill, times } = plainBody(size);
  const piece = filler(fill);
  const hash = createHash('sha256');
  for (let i = 0; i < times; i += 1) hash.update(piece);
  return hash.digest('hex');
}

function fillerCrc32(size: number): string {
  const { fill, times } = plainBody(size);
  const piece = filler(fill);
  let value = 0;
  for (let i = 0; i < times; i += 1) value = crc32(piece, value);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.toString('base64');
}

function fillerCrc64(size: number): string {
  const { fill, times } = plainBody(size);
  const piece = filler(fill);
  const hasher = createChecksumHasher('CRC64NVME');
  for (let i = 0; i < times; i += 1) hasher.update(piece);
  return hasher.digest().toString('base64');
}

/** The hash in the form the signer asks for. */
class NodeSha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', asBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(asBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function asBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
