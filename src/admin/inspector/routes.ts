import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { S3Error } from '../../errors/s3-error.ts';
import { FilterError } from '../journal/filter.ts';
import type { RequestJournal } from '../journal/journal.ts';
import { isStoreError } from '../../store/store-error.ts';
import { proxyToReplicas } from '../replicas/proxy.ts';
import type { Replicas } from '../replicas/replicas.ts';
import { plainJson } from '../../observe/written-text.ts';
import { type AdminPart, refuse } from '../server.ts';
import { AllRequests } from './all-requests.ts';
import { type StoredParts, bucketRoutes } from './bucket-routes.ts';
import type { ReplicaList, RequestDetail, RequestList, Timeline } from './contract.ts';
import { archiveText } from './har.ts';
import { liveStream } from './live-stream.ts';
import { OwnRequests } from './own-requests.ts';
import { type Overviews, overviewRoute } from './overview-route.ts';
import { limitOf, type RawQuery, scopeOf, requestSelectionOf, textsOf } from './queries.ts';
import { callerOf, queryOf, questionOf } from './questions.ts';
import { StreamRate } from './stream-rate.ts';
import { leftOutEvents, neighbourEvents, ownEvents } from './stream-sources.ts';

interface InspectorOptions extends StoredParts {
  readonly journal: RequestJournal;
  readonly overviews: Overviews;
  readonly replicas: Replicas;
  readonly version: string;
  readonly traceUrlTemplate?: string | undefined;
  /** Whether a Host header names this gateway. */
  readonly isOwnHost: (host: string) => boolean;
}

/** Open at a time: each costs time for every request, and up to a megabyte. */
const MAX_STREAMS = 64;
/** One address may not take them all; a replica listens once for each of its own listeners. */
const MAX_STREAMS_OF_ONE = 48;

/** The inspector's API; `contract.ts` says what each route answers. */
export function inspectorApi(options: InspectorOptions): AdminPart {
  return (app) => {
    // Of their own context: an API answers what it cannot understand otherwise than a page.
    void app.register(async (api) => {
      // Lists, details, bundles: what strangers called things is in all of them, and people look at them in terminals.
      api.setReplySerializer((payload) => plainJson(JSON.stringify(payload)));
      api.setErrorHandler((error, _request, reply) => answerError(error, reply));
      api.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      const parts: Parts = {
        ...options,
        requests: new OwnRequests(options.journal, () => options.replicas.own, options.isOwnHost),
        all: new AllRequests(options.replicas),
      };
      listRoutes(api, parts);
      streamRoute(api, parts);
      requestRoutes(api, parts);
      bucketRoutes(api, parts);
      overviewRoute(api, parts);
      proxyToReplicas(api, options.replicas);
    });
  };
}

interface Parts extends InspectorOptions {
  readonly requests: OwnRequests;
  readonly all: AllRequests;
}

function listRoutes(
  api: FastifyInstance,
  { requests, all, version, traceUrlTemplate, journal: { slowMs } }: Parts,
): void {
  api.get('/api/replicas', async (request, reply): Promise<ReplicaList> => {
    const replicas = await all.states(scopeOf(queryOf(request), 'all'), callerOf(request, reply));
    return { replicas, ...(traceUrlTemplate !== undefined && { traceUrlTemplate }) };
  });

  api.get('/api/requests', async (request, reply): Promise<RequestList> => {
    const query = queryOf(request);
    const selection = requestSelectionOf(query, { slowMs, others: ['limit'] });
    const limit = limitOf(query, 'limit');
    return all.list(await requests.list(selection, limit), limit, questionOf(request, reply));
  });

  api.get('/api/requests.har', async (request, reply) => {
    const own = await requests.archive(requestSelectionOf(queryOf(request), { slowMs }));
    const entries = await all.archive(own, questionOf(request, reply));
    download(reply, 'requests.har');
    return reply.type('application/json; charset=utf-8').send(Readable.from(archiveText(entries, version)));
  });

  api.get('/api/timeline', async (request, reply): Promise<Timeline> => {
    const of = timelineOf(queryOf(request));
    return { ...of, ...(await all.timeline(await requests.timeline(of), questionOf(request, reply))) };
  });
}

function streamRoute(api: FastifyInstance, { requests, replicas, journal: { slowMs } }: Parts): void {
  let open = 0;
  const bySource = new Map<string, number>();
  api.get('/api/requests/stream', (request, reply) => {
    const { ip } = request;
    const ofSource = bySource.get(ip) ?? 0;
    if (open >= MAX_STREAMS) return refuse(reply, 503, `${MAX_STREAMS} streams are open already`);
    if (ofSource >= MAX_STREAMS_OF_ONE) {
      return refuse(reply, 503, `${MAX_STREAMS_OF_ONE} streams of your address are open already`);
    }
    const query = queryOf(request);
    const { matcher } = requestSelectionOf(query, { slowMs, others: ['recent', 'rate'] });
    const perSecond = limitOf(query, 'rate', 0);
    const rate = perSecond === 0 ? undefined : new StreamRate(perSecond);
    const sources = [
      ownEvents(requests, { matcher, recent: limitOf(query, 'recent', 0), rate }),
      neighbourEvents({ ...questionOf(request, reply), replicas, rate }),
      ...(rate === undefined ? [] : [leftOutEvents(replicas.own.id, rate)]),
    ];
    const stream = liveStream({
      replica: replicas.own.id,
      heartbeat: (send) => send('replica', replicas.own),
      source: (...to) => sources.forEach((source) => source(...to)),
    });
    open += 1;
    bySource.set(ip, ofSource + 1);
    stream.once('close', () => {
      open -= 1;
      const left = (bySource.get(ip) ?? 1) - 1;
      if (left === 0) bySource.delete(ip);
      else bySource.set(ip, left);
    });
    // Balancers that hold back what looks small would hold back every event.
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
  });
}

function requestRoutes(api: FastifyInstance, { requests }: Parts): void {
  api.get<{ Params: { id: string } }>(
    '/api/requests/:id',
    async ({ params: { id } }, reply): Promise<RequestDetail | FastifyReply> => requests.detail(id) ?? gone(reply),
  );

  api.get<{ Params: { id: string } }>('/api/requests/:id/bundle', async ({ params: { id } }, reply) => {
    const bundle = await requests.bundle(id);
    if (bundle === undefined) return gone(reply);
    download(reply, `request-${id}.json`);
    return bundle;
  });
}

/** @throws FilterError unless it is asked for one key or one upload */
function timelineOf(query: RawQuery): { bucket: string; key: string } | { uploadId: string } {
  const { bucket, key, uploadId } = textsOf(query, ['bucket', 'key', 'uploadId']);
  if (uploadId !== undefined) return { uploadId };
  if (bucket === undefined || key === undefined) throw new FilterError('timeline', 'bucket and key, or uploadId');
  return { bucket, key };
}

function download(reply: FastifyReply, name: string): void {
  reply.header('content-disposition', `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`);
}

function gone(reply: FastifyReply): FastifyReply {
  return refuse(reply, 404, 'the journal does not have this request, or no longer');
}

function answerError(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof FilterError) return refuse(reply, 400, error.message);
  if (error instanceof S3Error) return refuse(reply, error.status, `${error.code}: ${error.message}`);
  if (isStoreError(error)) return refuse(reply, 502, `the backend: ${error.message}`);
  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  return refuse(
    reply,
    status,
    status < 500 && error instanceof Error ? error.message : 'the gateway failed to answer this',
  );
}
