import { createHash, createHmac } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { SIGV4_ALGORITHM } from '../../auth/signature.ts';

export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ClientRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const WITHIN_MS = 120_000;
const NOTHING = Buffer.alloc(0);

/** A client of the gateway on loopback. It signs by itself, so that it judges the gateway from outside. */
export class S3Client {
  readonly #endpoint: URL;
  readonly #key: S3Key;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #signal: AbortSignal;

  constructor(endpoint: string, key: S3Key, signal: AbortSignal) {
    this.#endpoint = new URL(endpoint);
    this.#key = key;
    this.#signal = signal;
  }

  /** @param path of bucket and key, not encoded */
  send(
    method: string,
    path: string,
    { query = {}, headers = {}, body = NOTHING }: ClientRequest = {},
  ): Promise<S3Answer> {
    const target = path.split('/').map(encode).join('/');
    const search = Object.entries(query)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .toSorted()
      .join('&');
    const signed = this.#sign([method, target, search], headers, body);
    const { hostname: host, port } = this.#endpoint;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ method, host, port, path: search === '' ? target : `${target}?${search}`, agent: this.#agent },
          headers: { ...signed, 'content-length': body.length },
          signal: AbortSignal.any([this.#signal, AbortSignal.timeout(WITHIN_MS)]),
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
          );
        },
      );
      sent.on('error', reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Signature version 4 of a request whose payload is signed, too. */
  #sign(request: readonly string[], given: ClientRequest['headers'], body: Buffer): Record<string, string> {
    const { accessKeyId, secretAccessKey, region } = this.#key;
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const digest = sha256(body);
    const own = { host: this.#endpoint.host, 'x-amz-content-sha256': digest, 'x-amz-date': date };
    const headers: Record<string, string> = { ...given, ...own };
    const names = Object.keys(headers).toSorted();
    const lines = names.map((name) => `${name}:${headers[name] ?? ''}\n`).join('');
    const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
    const canonical = [...request, lines, names.join(';'), digest].join('\n');
    const signingKey = scope
      .split('/')
      .reduce<string | Buffer>(
        (key, part) => createHmac('sha256', key).update(part).digest(),
        `AWS4${secretAccessKey}`,
      );
    const text = [SIGV4_ALGORITHM, date, scope, sha256(canonical)].join('\n');
    const signature = createHmac('sha256', signingKey).update(text).digest('hex');
    const credential = `${accessKeyId}/${scope}`;
    headers['authorization'] =
      `${SIGV4_ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return headers;
  }
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}
