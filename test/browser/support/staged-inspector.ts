import type { FastifyReply } from 'fastify';
import type { ReplicaList, RequestDetail, StreamEvents } from '../../../src/admin/inspector/contract.ts';
import { adminGuard } from '../../../src/admin/guard/guard.ts';
import { fixedTokens } from '../../../src/admin/guard/token-check.ts';
import { inspectorPage } from '../../../src/admin/page/page.ts';
import { type AdminPart, type AdminServer, refuse, startAdminServer } from '../../../src/admin/server.ts';
import { STAGED_REPLICAS } from './staged-requests.ts';
import { SILENT } from '../../support/silent-log.ts';

/** The page over an API that says what a test wants it to say. */
export interface StagedInspector {
  readonly url: string;
  /** What `RequestDetail`s there are, by path. */
  readonly details: Map<string, RequestDetail>;
  /** Query of each stream that was opened. */
  readonly streams: readonly string[];
  send<Name extends keyof StreamEvents>(name: Name, data: StreamEvents[Name]): void;
  /** Breaks all streams. */
  hangUp(): void;
  close(): Promise<void>;
}

/** @param token that is asked for; absent: none */
export async function startStagedInspector(token?: string): Promise<StagedInspector> {
  const open = new Set<FastifyReply>();
  const streams: string[] = [];
  const details = new Map<string, RequestDetail>();
  const api: AdminPart = (app) => {
    app.get(
      '/api/replicas',
      async (): Promise<ReplicaList> => ({
        replicas: STAGED_REPLICAS,
        traceUrlTemplate: 'https://traces.example.com/{traceId}',
      }),
    );
    app.get('/api/requests/stream', (request, reply) => {
      streams.push(request.url.slice(request.url.indexOf('?') + 1));
      void reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.raw.on('close', () => open.delete(reply));
      open.add(reply);
      for (const replica of STAGED_REPLICAS) reply.raw.write(`event: replica\ndata: ${JSON.stringify(replica)}\n\n`);
    });
    app.get('/api/*', async (request, reply) => details.get(request.url) ?? refuse(reply, 404, 'not kept any more'));
  };
  const guard = adminGuard({ tokens: token === undefined ? undefined : fixedTokens(() => [token]), names: [] });
  const server: AdminServer = await startAdminServer({
    log: SILENT,
    host: '127.0.0.1',
    port: 0,
    parts: [guard, api, inspectorPage()],
  });
  return {
    url: `http://127.0.0.1:${server.address.port}/`,
    details,
    streams,
    send: (name: string, data: unknown) =>
      open.forEach(({ raw }) => void raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)),
    hangUp: () => open.forEach(({ raw }) => void raw.destroy()),
    close: () => server.close(),
  };
}
