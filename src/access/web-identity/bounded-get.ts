import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const TIMEOUT_MS = 5000;
const MAX_BYTES = 256 * 1024;
/** Kubernetes answers 406 if a request accepts JSON alone: its keys are of the other type. */
const ACCEPT = 'application/json, application/jwk-set+json, */*;q=0.1';
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

export interface GetOptions {
  /** PEM of the authorities that count; undefined: the system's. */
  readonly ca?: string | undefined;
  readonly bearer?: string | undefined;
  readonly signal: AbortSignal;
}

interface Got {
  readonly body: unknown;
  /** `max-age` of the answer, seconds. */
  readonly maxAge: number | undefined;
}

/** @throws Error unless it is https, or http to this machine */
export function trustworthyUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url;
  throw new Error(`${url.origin}: expected https`);
}

/**
 * A JSON document of an issuer: in five seconds and 256 KiB or not at all, and from nowhere else than asked (no
 * redirects).
 * @throws Error
 */
export async function getJson(url: URL, { ca, bearer, signal }: GetOptions): Promise<Got> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = {
    accept: ACCEPT,
    'user-agent': 's3-cloud-gateway',
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { method: 'GET', headers, signal: limit, agent: false, ...(ca !== undefined && { ca }) },
      (response) => {
        if (response.statusCode !== 200) {
          request.destroy(new Error(`${url.origin} answers ${response.statusCode ?? 0}`));
          return;
        }
        const pieces: Buffer[] = [];
        let size = 0;
        response.on('data', (piece: Buffer) => {
          size += piece.length;
          if (size > MAX_BYTES) request.destroy(new Error(`the answer of ${url.origin} is too long`));
          else pieces.push(piece);
        });
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve(understood(Buffer.concat(pieces), response.headers['cache-control']));
          } catch (error) {
            reject(new Error(`the answer of ${url.origin} is no JSON`, { cause: error }));
          }
        });
      },
    );
    request.on('error', reject);
    request.end();
  });
}

/** @throws SyntaxError */
function understood(bytes: Buffer, cacheControl = ''): Got {
  const maxAge = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  return {
    body: JSON.parse(bytes.toString('utf8')) as unknown,
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
  };
}
