/**
 * The yardstick: what any gateway in one Node process must at least do. Takes a request with
 * node:http, sends it on with an undici pool, pipes both bodies. No signatures, no S3.
 *
 * `node bare-proxy.ts <origin of the backend> [file with its certificate]`; sends `{ port }` to its parent.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

const [, , origin = '', caFile] = process.argv;
const pool = new Pool(origin, {
  connections: 256,
  pipelining: 1,
  ...(caFile !== undefined && { connect: { ca: readFileSync(caFile, 'utf8') } }),
});

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const length = request.headers['content-length'];
  const answer = await pool.request({
    method: method,
    path: url,
    headers: length === undefined ? {} : { 'content-length': length },
    body: length === undefined || length === '0' ? null : request,
    // Without it undici opens a connection for every HEAD: slower than anything it would be compared with.
    reset: false,
  });
  response.writeHead(answer.statusCode, answer.headers as Record<string, string>);
  answer.body.pipe(response);
}

const server = createServer((request, response) => {
  forward(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
