/*
 * HTTP as clients speak it. Begin here: sockets and TLS, and the hook in which a request is taken over. Then
 * `dispatcher.ts` leads it to its operation, and `answer.ts` writes what comes back. The other files bound what a
 * client may use (connections, heads, memory, time), or are about one kind of request (`sts.ts`, `cors-answer.ts`,
 * `website-request.ts`).
 */
import fastify, { type FastifyInstance } from 'fastify';
import { constants } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { newRequestId } from '../observe/random-id.ts';
import { arrivals } from './arrivals.ts';
import { answerClientErrors } from './client-error.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Dispatcher } from './dispatcher.ts';
import { MAX_HEADER_LINES, seeLine } from './head-bounds.ts';
import { ProxyAdmission, type ProxyProtocolOptions } from './proxy-protocol/admission.ts';
import { IdleConnections } from './idle-connections.ts';
import { watchParsers } from './node-parser.ts';
import { PipelinedRequests } from './pipelined-requests.ts';

interface ListenerTimeouts {
  /** Milliseconds for the whole head of a request. */
  readonly headersMs: number;
  /** Milliseconds an idle connection is kept; longer than the balancer in front keeps it. */
  readonly keepAliveMs: number;
}

export interface TlsMaterial {
  /** PEM, chain included. */
  readonly cert: string;
  readonly key: string;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /**
   * Other processes listen on the same port, and the kernel distributes connections among them. Linux and some others.
   */
  readonly reusePort?: boolean;
  readonly timeouts: ListenerTimeouts;
  /** Shared by all listeners; absent: any number of connections. */
  readonly connections?: ConnectionLimit;
  /** Absent: no connection begins with a PROXY header. */
  readonly proxyProtocol?: ProxyProtocolOptions;
  /** Absent: plain HTTP. */
  readonly tls?: TlsMaterial;
}

/** One socket that accepts requests, all of them for one dispatcher. */
export interface Listener {
  readonly scheme: 'http' | 'https';
  /** @throws Error with the system's code (EADDRINUSE, EACCES) */
  listen(): Promise<AddressInfo>;
  /** New connections get this certificate. Only for listeners that began with one. */
  renewTls(material: TlsMaterial): void;
  /**
   * Accepts no more; resolves when the last connection has ended. Idle ones are ended at once, those never used a
   * second later.
   */
  close(): Promise<void>;
  /** Ends what is still open. */
  destroy(): void;
}

const IDLE_SWEEP_MS = 100;
/** Time for a request that is on its way on a connection just opened. */
const UNUSED_GRACE_MS = 1000;

export async function createListener(
  options: ListenerOptions,
  dispatcher: Pick<Dispatcher, 'dispatch'>,
): Promise<Listener> {
  let server: Server | HttpsServer | undefined;
  const pipelined = new PipelinedRequests(options.connections);
  const app = createApp(dispatcher, (handler) => {
    const admitted = onAdmitted(handler, options.connections);
    server = createServer(options, pipelined.inTurn(arrivals.before(admitted, seeLine)));
    arrivals.watch(server);
    answerClientErrors(server, pipelined);
    watchParsers(server, (socket, arrived) => options.connections?.onRead(socket, arrived));
    return server;
  });
  await app.ready();
  const bound = server;
  if (bound === undefined) throw new Error('the server was not built');
  const idle = new IdleConnections(bound, pipelined.goOn);
  options.connections?.guard(bound, options.tls === undefined);
  const admission = options.proxyProtocol && new ProxyAdmission(bound, options.proxyProtocol);
  return {
    scheme: options.tls === undefined ? 'http' : 'https',
    listen: () => listen(bound, options),
    renewTls: (material) => (bound as HttpsServer).setSecureContext(secureContext(material)),
    close: () => close(bound, { app, idle, admission }),
    destroy() {
      admission?.destroyPending();
      bound.closeAllConnections();
    },
  };
}

/** Ignores requests on connections that were refused. */
function onAdmitted(handler: RequestListener, connections: ConnectionLimit | undefined): RequestListener {
  if (connections === undefined) return handler;
  return (request, response) => {
    if (!connections.isTurnedAway(request.socket)) handler(request, response);
  };
}

/**
 * A Fastify server with one route. Its first hook takes each request over, before Fastify reads a content type or a
 * body: S3 streams bodies and signs the raw target, so nothing may have touched them.
 */
function createApp(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  serverFactory: (handler: RequestListener) => Server | HttpsServer,
): FastifyInstance {
  const app = fastify({
    serverFactory,
    logger: false,
    // Fastify's router sees the same URL for all requests: it would refuse keys with odd escapes, and normalise others.
    rewriteUrl: () => '/',
    genReqId: newRequestId,
    // `answerClientErrors` does what is to be done; Fastify's own would answer beside it.
    clientErrorHandler: () => undefined,
    return503OnClosing: false,
    exposeHeadRoutes: false,
  });
  app.addHook('onRequest', (request, reply, _done) => {
    reply.hijack();
    void dispatcher.dispatch(request.raw, reply.raw, request.originalUrl, request.id);
  });
  app.route({ method: app.supportedMethods, url: '/', handler: () => undefined });
  return app;
}

function createServer(options: ListenerOptions, handler: RequestListener): Server | HttpsServer {
  const { timeouts, tls } = options;
  const settings: ServerOptions = {
    // No limit of time for a whole request: uploads may take long. StallWatch ends those that do not move.
    requestTimeout: 0,
    headersTimeout: timeouts.headersMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: Math.min(timeouts.headersMs, 30_000),
    noDelay: true,
    insecureHTTPParser: false,
  };
  const server =
    tls === undefined
      ? createHttpServer(settings, handler)
      : createHttpsServer({ ...settings, ...secureContext(tls), handshakeTimeout: timeouts.headersMs }, handler);
  // Node drops headers beyond this number, and one of those could be unsigned. So Node may pass one more than is
  // allowed, and `checkHead` refuses the request then.
  server.maxHeadersCount = MAX_HEADER_LINES + 1;
  // The gateway sends `100 Continue` when an operation reads the body: after authentication, or never.
  server.on('checkContinue', handler);
  // Any other expectation is no reason to refuse a request: S3 ignores it.
  server.on('checkExpectation', handler);
  return server;
}

/**
 * A client that renegotiates TLS 1.2 makes the gateway compute a handshake each time, without a new connection that
 * could be counted. No S3 client needs it, and HTTP/1.1 over TLS 1.3 has nothing of the kind.
 */
function secureContext({ cert, key }: TlsMaterial): SecureContextOptions {
  return { cert, key, secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
}

/**
 * Connections that wait to be accepted, as far as the kernel lets them (`net.core.somaxconn`). Node's own 511 are taken
 * by strangers within one turn, and the kernel drops the first packet of whoever comes then.
 */
const BACKLOG = 4096;

function listen(server: Server, { host, port, reusePort = false }: ListenerOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

interface Closing {
  readonly app: FastifyInstance;
  readonly idle: IdleConnections;
  readonly admission: ProxyAdmission | undefined;
}

async function close(server: Server, { app, idle, admission }: Closing): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const endUnusedFrom = performance.now() + UNUSED_GRACE_MS;
  const sweep = setInterval(() => {
    idle.destroy();
    if (performance.now() < endUnusedFrom) return;
    idle.destroyUnused();
    admission?.destroyPending();
  }, IDLE_SWEEP_MS);
  await closed;
  clearInterval(sweep);
  await app.close();
}
