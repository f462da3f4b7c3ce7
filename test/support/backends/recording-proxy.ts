import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a backend was asked. */
export interface BackendRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** What came of the body so far, up to some 64 KB. */
  body: string;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:<port>`, with the path of what lies behind. */
  readonly endpoint: string;
  /** In the order in which they came. */
  readonly requests: BackendRequest[];
  stop(): void;
}

const MOST = 64 * 1024;

/** Stands before a backend and writes down what it is asked. */
export async function startRecordingProxy(endpoint: string): Promise<RecordingProxy> {
  const target = new URL(endpoint);
  const requests: BackendRequest[] = [];
  const proxy = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    const asked: BackendRequest = { method, url, headers, body: '' };
    requests.push(asked);
    incoming.on('data', (chunk: Buffer) => {
      if (asked.body.length < MOST) asked.body += chunk.toString('latin1');
    });
    const outgoing = forward({ host: target.hostname, port: target.port, method, path: url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const path = target.pathname === '/' ? '' : target.pathname;
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`,
    requests,
    stop() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
