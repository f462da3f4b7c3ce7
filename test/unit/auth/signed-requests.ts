import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { parseAmzDate } from '../../../src/auth/amz-date.ts';
import { authenticate } from '../../../src/auth/authenticate.ts';
import { type RawRequest, signableRequest } from '../../../src/auth/raw-request.ts';
import { SigningKeys } from '../../../src/auth/signing-key.ts';
import type { AuthOptions, AuthVerdict } from '../../../src/auth/verdict.ts';

/** The credentials of AWS's public examples. */
export const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE';
export const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
export const AMZ_DATE = '20130524T000000Z';
export const NOW = parseAmzDate(AMZ_DATE) ?? 0;
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface TestCredential {
  readonly secretAccessKey: string;
  readonly owner: string;
}

export const CREDENTIAL: TestCredential = { secretAccessKey: SECRET_KEY, owner: 'main' };

export function authOptions(changes: Partial<AuthOptions<TestCredential>> = {}): AuthOptions<TestCredential> {
  return {
    credentialFor: (id) => (id === ACCESS_KEY ? CREDENTIAL : undefined),
    region: 'us-east-1',
    signingKeys: new SigningKeys(),
    ...changes,
  };
}

export function judge(
  raw: RawRequest,
  changes: Partial<AuthOptions<TestCredential>> = {},
): AuthVerdict<TestCredential> {
  return authenticate(signableRequest(raw), authOptions(changes));
}

export type Headers = Readonly<Record<string, string>>;

export function rawRequest(method: string, rawTarget: string, headers: Headers, now = NOW): RawRequest {
  return { method, rawTarget, rawHeaders: Object.entries(headers).flat(), now };
}

/** An Authorization header around a known signature; every given header is signed. */
export function authorization(
  headers: Headers,
  signature: string,
  credential = `${ACCESS_KEY}/20130524/us-east-1/s3/aws4_request`,
): string {
  const signed = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .sort()
    .join(';');
  return `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`;
}

type HttpRequest = Parameters<SignatureV4['presign']>[0];

export interface ToSign {
  readonly method?: string;
  /** Decoded path; the signer encodes it. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Headers;
  readonly accessKeyId?: string;
  readonly region?: string;
  readonly service?: string;
  readonly time?: number;
  /** Seconds; makes a presigned URL. */
  readonly expiresIn?: number;
}

/** Signs with the AWS SDK's own signer and gives the request as it would come off the wire. */
export async function sdkSigned(options: ToSign): Promise<RawRequest> {
  const signer = new SignatureV4({
    service: options.service ?? 's3',
    region: options.region ?? 'us-east-1',
    credentials: { accessKeyId: options.accessKeyId ?? ACCESS_KEY, secretAccessKey: SECRET_KEY },
    sha256: NodeSha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const signingDate = new Date(options.time ?? NOW);
  const path = encodePath(options.path ?? '/bucket/key');
  const request: HttpRequest = {
    method: options.method ?? 'GET',
    protocol: 'http:',
    hostname: 'localhost',
    path,
    query: { ...options.query },
    headers: { host: 'localhost:8014', 'x-amz-content-sha256': EMPTY_SHA256, ...options.headers },
  };
  if (options.expiresIn === undefined) {
    const signed = await signer.sign(request, { signingDate });
    return rawRequest(signed.method, target(signed), signed.headers);
  }
  delete request.headers['x-amz-content-sha256'];
  request.headers['X-Amz-Content-Sha256'] = options.query?.['X-Amz-Content-Sha256'] ?? 'UNSIGNED-PAYLOAD';
  const signed = await signer.presign(request, { signingDate, expiresIn: options.expiresIn });
  return rawRequest(signed.method, target(signed), signed.headers);
}

function target(request: HttpRequest): string {
  const query = Object.entries(request.query ?? {}).flatMap(([name, value]) =>
    [value ?? ''].flat().map((one) => `${escape(name)}=${escape(one)}`),
  );
  return query.length === 0 ? request.path : `${request.path}?${query.join('&')}`;
}

function encodePath(path: string): string {
  return path.split('/').map(escape).join('/');
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

type SourceData = string | ArrayBuffer | ArrayBufferView;

class NodeSha256 {
  #hash: { update(bytes: Buffer): unknown; digest(): Buffer };

  constructor(key?: SourceData) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key));
  }

  update(chunk: SourceData): void {
    this.#hash.update(bytesOf(chunk));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = createHash('sha256');
  }
}

function bytesOf(data: SourceData): Buffer {
  if (typeof data === 'string') {
    return Buffer.from(data);
  }
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
