import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Longest answer that is taken unless said otherwise. */
const MAX_BYTES = 256 * 1024;

interface BoundedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string | number>>;
  /** Absent: none. */
  readonly body?: string;
  /** PEM of the authorities that count; undefined: the system's. */
  readonly ca?: string | Buffer | undefined;
  /** Longest answer that is taken; absent: 256 KiB. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

interface BoundedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Asks a service beside the clouds, on a connection of its own. Follows no redirects.
 * @throws Error when there is no answer, or a longer one than is taken
 */
export async function askBounded(
  url: URL,
  { method, headers, body, ca, maxBytes = MAX_BYTES, signal }: BoundedRequest,
): Promise<BoundedAnswer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal, agent: false, ...(ca !== undefined && { ca }) };
    const request = send(url, options, (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > maxBytes) request.destroy(new Error(`the answer of ${url.origin} is too long`));
        else pieces.push(piece);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces).toString('utf8'),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
