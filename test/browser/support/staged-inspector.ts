import type { FastifyReply } from 'fastify';
import type {
  BucketList,
  KeyList,
  Overview,
  OverviewWindow,
  ReplicaList,
  RequestDetail,
  StreamEvents,
} from '../../../src/admin/inspector/contract.ts';
import { adminGuard } from '../../../src/admin/guard/guard.ts';
import { fixedTokens } from '../../../src/admin/guard/token-check.ts';
import { inspectorPage } from '../../../src/admin/page/page.ts';
import { type AdminPart, type AdminServer, refuse, startAdminServer } from '../../../src/admin/server.ts';
import type { LifecycleList } from '../../../src/admin/lifecycle/contract.ts';
import type { UsageList } from '../../../src/admin/usage/contract.ts';
import { stagedLifecycle, stagedOverview, stagedUsage } from './staged-overview.ts';
import { STAGED_REPLICAS } from './staged-requests.ts';
import { SILENT } from '../../support/silent-log.ts';

/** Looks like markup. */
export const ODD_BUCKET = '<img src=x onerror=alert(1)>${1}</td>';

/** The page over an API that says what a test wants it to say. */
export interface StagedInspector {
  readonly url: string;
  /** What `RequestDetail`s there are, by path. */
  readonly details: Map<string, RequestDetail>;
  /** What lies in its one bucket. */
  readonly entries: KeyList['entries'][number][];
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
  const entries: KeyList['entries'][number][] = [];
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
    app.get<{ Querystring: { window: OverviewWindow } }>(
      '/api/overview',
      async ({ query }): Promise<Overview> => stagedOverview(query.window, ODD_BUCKET),
    );
    app.get('/api/lifecycle', async (): Promise<LifecycleList> => stagedLifecycle(ODD_BUCKET));
    app.get('/api/usage', async (): Promise<UsageList> => stagedUsage(ODD_BUCKET));
    app.get(
      '/api/buckets',
      async (): Promise<BucketList> => ({
        buckets: [{ name: 'photos', account: 'main', backend: 'azure', createdAt: Date.now() }],
        more: false,
      }),
    );
    app.get(
      '/api/buckets/photos/keys',
      async (): Promise<KeyList> => ({ bucket: 'photos', versioning: 'enabled', entries, next: 'z' }),
    );
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
    entries,
    streams,
    send: (name: string, data: unknown) =>
      open.forEach(({ raw }) => void raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)),
    hangUp: () => open.forEach(({ raw }) => void raw.destroy()),
    close: () => server.close(),
  };
}
