/*
 * Cloud Storage in memory, for tests. Begin here, with the server; `routes.ts` says which file answers a request,
 * `state.ts` what is kept.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BATCH_PATH, answerBatch } from './batch.ts';
import type { NestedRequest } from './batch.ts';
import type { Answer } from './exchange.ts';
import { partial, readBody, readJson } from './exchange.ts';
import { Refusal, invalid } from './refusal.ts';
import { Rope } from './rope.ts';
import { routeOf } from './routes.ts';
import type { Route } from './routes.ts';
import { DoubleState } from './state.ts';
import type { DoubleOptions } from './state.ts';

export interface GcsDouble {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly state: DoubleState;
  /** Requests served, `METHOD path` each, if asked for. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

export interface DoubleServerOptions extends DoubleOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Keep the list of requests. */
  readonly record?: boolean;
}

/** Of a body that is refused unread, this much is read all the same, so that the connection lives on. */
const DRAIN_LIMIT = 1024 * 1024;
/** Clients may keep connections for as long as the service does. */
const KEEP_ALIVE = 240_000;

/**
 * Cloud Storage in this process's memory, on loopback: what the adapter calls, as Google documents it. For tests and
 * for trying out. `test/store/gcs-contract.ts` holds it to the behaviour that independent servers show.
 */
export async function startGcsDouble(options: DoubleServerOptions = {}): Promise<GcsDouble> {
  const state = new DoubleState(options);
  const requests: string[] = [];
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE, requestTimeout: 0, maxHeaderSize: 64 * 1024 },
    (request, response) => {
      if (options.record === true) requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      serve(state, request, response).catch(() => response.destroy());
    },
  );
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { endpoint: `http://127.0.0.1:${address.port}`, state, requests, stop };
}

async function serve(state: DoubleState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const asked: Asked = { method, url, headers, body: () => readBody(request), isWhole: () => request.complete };
  await send(request, response, await (isBatch(asked) ? serveBatch(state, asked) : answerOf(state, asked)));
}

/** One call, alone or in a batch. */
interface Asked extends Omit<NestedRequest, 'body'> {
  readonly body: () => Promise<Rope>;
  /** Whether all of the body has come. */
  readonly isWhole: () => boolean;
}

function isBatch({ method, url }: Asked): boolean {
  return method === 'POST' && url.split('?', 1)[0] === BATCH_PATH;
}

async function serveBatch(state: DoubleState, { headers, body, isWhole }: Asked): Promise<Answer> {
  try {
    return await answerBatch(await body(), headers, ({ body: nested, ...call }) => {
      // Neither uploads nor downloads: https://cloud.google.com/storage/docs/batch
      if (!call.url.startsWith('/storage/v1/') || call.url.includes('alt=media')) {
        return Promise.resolve(refused(invalid('Not a call that a batch may hold'), 'json'));
      }
      return answerOf(state, { ...call, body: () => Promise.resolve(nested), isWhole });
    });
  } catch (error) {
    return refused(refusalFor(error, isWhole), 'json');
  }
}

async function answerOf(state: DoubleState, { method, url, headers, body, isWhole }: Asked): Promise<Answer> {
  const [path = '', search = ''] = url.split('?', 2);
  let route: Route | undefined;
  try {
    route = routeAt(method, path);
    const query = new URLSearchParams(search);
    const origin = `http://${headers.host ?? ''}`;
    const exchange = { state, method, ...route.names, query, headers, origin, body, json: () => readJson(body) };
    const answer = await route.handler(exchange);
    return !(answer.body instanceof Rope) && answer.body !== undefined
      ? asJson(answer, partial(answer.body, query.get('fields')))
      : answer;
  } catch (error) {
    return refused(refusalFor(error, isWhole), route?.api ?? 'json');
  }
}

/** @throws Refusal 400, 404 */
function routeAt(method: string, path: string): Route {
  try {
    const route = routeOf(method, path);
    if (route !== undefined) return route;
  } catch (cause) {
    throw Object.assign(invalid('Malformed path'), { cause });
  }
  throw new Refusal(404, 'notFound', 'Not Found');
}

/**
 * A body that breaks off has nobody left to be answered; anything else that is no refusal is a mistake of the double's.
 */
function refusalFor(error: unknown, isWhole: () => boolean): Refusal {
  if (error instanceof Refusal) return error;
  if (!isWhole()) throw error;
  return new Refusal(500, 'internalError', `The double failed: ${String(error)}`);
}

function asJson(answer: Answer, value: unknown): Answer {
  const headers = { ...answer.headers, 'content-type': 'application/json; charset=UTF-8' };
  return { ...answer, headers, body: new Rope([Buffer.from(JSON.stringify(value))]) };
}

function refused(refusal: Refusal, api: Route['api']): Answer {
  const { status, headers } = refusal;
  if (status === 304) return { status };
  const type = api === 'json' ? 'application/json; charset=UTF-8' : 'application/xml; charset=UTF-8';
  const text = api === 'json' ? refusal.json() : refusal.xml();
  return { status, headers: { ...headers, 'content-type': type }, body: new Rope([Buffer.from(text)]) };
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, openEnded }: Answer,
): Promise<void> {
  const rope = body instanceof Rope ? body : new Rope([]);
  const length = status === 204 || status === 304 || openEnded === true ? {} : { 'content-length': rope.size };
  response.writeHead(status, { 'x-guploader-uploadid': randomBytes(12).toString('base64url'), ...headers, ...length });
  giveUpBody(request, response);
  if (request.method === 'HEAD' || rope.size === 0) response.end();
  else if (rope.pieces.length === 1) response.end(rope.pieces[0]);
  else await pipeline(Readable.from(rope.pieces), response);
}

/** A refusal may come before the body was taken. */
function giveUpBody(request: IncomingMessage, response: ServerResponse): void {
  const length = Number(
    request.headers['content-length'] ?? (request.headers['transfer-encoding'] === undefined ? 0 : Infinity),
  );
  if (request.complete) return;
  if (length <= DRAIN_LIMIT) request.resume();
  else response.once('finish', () => request.destroy());
}
