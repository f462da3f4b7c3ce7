import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { Log } from '../observe/log.ts';
import { newRequestId } from '../observe/random-id.ts';

/** A part of the admin server adds its hooks and routes: health, access guard, metrics, inspector, page. */
export type AdminPart = (app: FastifyInstance) => void;

interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  /** In this order: hooks of a part hold for the routes of those behind it, and for its own. */
  readonly parts: readonly AdminPart[];
  readonly log: Pick<Log, 'error'>;
}

export interface AdminServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/**
 * The admin port: one HTTP server apart from the one for S3. Everything on it is for operators, nothing for S3 clients.
 * Errors are JSON, `{ "error": "..." }`, and say nothing of what went wrong inside: that is logged, under the id that
 * the answer has in `x-request-id`.
 */
export async function startAdminServer({ host, port, parts, log }: AdminServerOptions): Promise<AdminServer> {
  // Event streams never end by themselves: a server that closes ends them.
  const app = fastify({
    logger: false,
    genReqId: newRequestId,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 512 },
  });
  logFailures(app, log);
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'there is nothing of this name'));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    return refuse(reply, status, status < 500 ? error.message : 'the gateway failed to answer this');
  });
  for (const part of parts) part(app);
  await app.listen({ host, port });
  return { address: app.server.address() as AddressInfo, close: () => app.close() };
}

/** Logs what requests failed of, when their answer is a 5xx: the route, not the target, which strangers choose. */
function logFailures(app: FastifyInstance, log: Pick<Log, 'error'>): void {
  const errors = new WeakMap<FastifyRequest, unknown>();
  app.addHook('onError', async (request, reply, error) => {
    errors.set(request, error);
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, { statusCode: status }) => {
    const { id: requestId, method, routeOptions } = request;
    if (status < 500 || !errors.has(request)) return;
    const fields = { requestId, method, route: routeOptions.url, status, err: errors.get(request) };
    log.error(fields, 'the admin port failed to answer a request');
  });
}

/** The answer to what cannot be done. */
export function refuse(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send({ error });
}
