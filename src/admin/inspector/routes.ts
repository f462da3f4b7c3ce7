import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { S3Error } from '../../errors/s3-error.ts';
import type { ObjectInspector } from '../../manifest/inspect/inspect-object.ts';
import type { Call } from '../../observe/call.ts';
import { FilterError } from '../../observe/journal/filter.ts';
import type { RequestJournal } from '../../observe/journal/journal.ts';
import { isStoreError } from '../../store/store-error.ts';
import { credentialsOf } from '../replicas/peer-client.ts';
import { proxyToReplicas } from '../replicas/proxy.ts';
import type { Replicas } from '../replicas/replicas.ts';
import { type AdminPart, refuse } from '../server.ts';
import { AllRequests, type Caller } from './all-requests.ts';
import type { ObjectInspection, ReplicaList, RequestDetail, RequestList, Timeline } from './contract.ts';
import { archiveOf, type HttpArchive } from './har.ts';
import { liveStream } from './live-stream.ts';
import { OwnRequests } from './own-requests.ts';
import { limitOf, type RawQuery, scopeOf, selectionOf, textOf } from './queries.ts';
import { inspectionOf } from './render-object.ts';
import { ownEvents, peerEvents } from './stream-sources.ts';

export interface InspectorOptions {
  readonly journal: RequestJournal;
  readonly objects: ObjectInspector;
  readonly replicas: Replicas;
  /** A call to the backend that serves no S3 request. */
  readonly newCall: (signal: AbortSignal) => Call;
  readonly version: string;
  readonly traceUrlTemplate?: string | undefined;
}

/** Longest time that looking at one key may take. */
const INSPECT_MS = 30_000;

/** The inspector's API; `contract.ts` says what each route answers. */
export function inspectorApi(options: InspectorOptions): AdminPart {
  return (app) => {
    // Of their own context: an API answers what it cannot understand otherwise than a page.
    void app.register(async (api) => {
      api.setErrorHandler((error, _request, reply) => answerError(error, reply));
      api.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      const parts: Parts = { ...options, requests: new OwnRequests(options.journal, () => options.replicas.own), all: new AllRequests(options.replicas) };
      listRoutes(api, parts);
      streamRoute(api, parts);
      requestRoutes(api, parts);
      objectRoute(api, parts);
      proxyToReplicas(api, options.replicas);
    });
  };
}

interface Parts extends InspectorOptions {
  readonly requests: OwnRequests;
  readonly all: AllRequests;
}

function listRoutes(api: FastifyInstance, { requests, all, replicas, version, traceUrlTemplate, journal: { slowMs } }: Parts): void {
  api.get('/api/replicas', async (request, reply): Promise<ReplicaList> => {
    const { scope = 'all' } = queryOf(request);
    const states = scopeOf({ scope }) ? await all.states(callerOf(request, reply)) : [replicas.own];
    return { replicas: states, ...(traceUrlTemplate !== undefined && { traceUrlTemplate }) };
  });

  api.get('/api/requests', async (request, reply): Promise<RequestList> => {
    const query = queryOf(request);
    const selection = selectionOf(query, { slowMs, others: ['limit'] });
    const limit = limitOf(query, 'limit');
    const own = await requests.list(selection, limit);
    return selection.everywhere ? all.list(own, forPeers(query), { ...callerOf(request, reply), limit }) : { ...own, replicas: [replicas.own] };
  });

  api.get('/api/requests.har', async (request, reply): Promise<HttpArchive> => {
    const query = queryOf(request);
    const selection = selectionOf(query, { slowMs });
    const own = await requests.archive(selection);
    const entries = selection.everywhere ? await all.archive(own, forPeers(query), callerOf(request, reply)) : own;
    download(reply, 'requests.har');
    return archiveOf(entries, version);
  });

  api.get('/api/timeline', async (request, reply): Promise<Timeline> => {
    const query = queryOf(request);
    const of = timelineOf(query);
    const own = await requests.timeline(of);
    return { ...of, ...(scopeOf(query) ? await all.timeline(own, forPeers(query), callerOf(request, reply)) : { entries: own, replicas: [replicas.own] }) };
  });
}

function streamRoute(api: FastifyInstance, { requests, replicas, journal: { slowMs } }: Parts): void {
  api.get('/api/requests/stream', (request, reply) => {
    const query = queryOf(request);
    const selection = selectionOf(query, { slowMs, others: ['recent'] });
    const own = ownEvents(requests, selection, limitOf(query, 'recent', 0));
    const others = selection.everywhere ? peerEvents({ replicas, credentials: credentialsOf(request.headers), query: forPeers(query) }) : undefined;
    const stream = liveStream({
      replica: replicas.own.id,
      heartbeat: (send) => send('replica', replicas.own),
      source: (send, signal) => {
        own(send, signal);
        others?.(send, signal);
      },
    });
    // Balancers that hold back what looks small would hold back every event.
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
  });
}

function requestRoutes(api: FastifyInstance, { requests }: Parts): void {
  api.get<{ Params: { id: string } }>('/api/requests/:id', async ({ params: { id } }, reply): Promise<RequestDetail | FastifyReply> =>
    requests.detail(id) ?? gone(reply));

  api.get<{ Params: { id: string } }>('/api/requests/:id/bundle', async ({ params: { id } }, reply) => {
    const bundle = await requests.bundle(id);
    if (bundle === undefined) return gone(reply);
    download(reply, `request-${id}.json`);
    return bundle;
  });
}

function objectRoute(api: FastifyInstance, { objects, newCall }: Parts): void {
  api.get<{ Params: { bucket: string } }>('/api/objects/:bucket', async (request, reply): Promise<ObjectInspection> => {
    const key = textOf(queryOf(request), 'key');
    if (key === undefined || key === '') throw new FilterError('key', 'the key of an object');
    const { signal } = callerOf(request, reply);
    return inspectionOf(await objects.inspect(request.params.bucket, key, newCall(AbortSignal.any([signal, AbortSignal.timeout(INSPECT_MS)]))));
  });
}

/** @throws FilterError unless it is asked for one key or one upload */
function timelineOf(query: RawQuery): { bucket: string; key: string } | { uploadId: string } {
  const [bucket, key, uploadId] = [textOf(query, 'bucket'), textOf(query, 'key'), textOf(query, 'uploadId')];
  if (uploadId !== undefined) return { uploadId };
  if (bucket === undefined || key === undefined) throw new FilterError('timeline', 'bucket and key, or uploadId');
  return { bucket, key };
}

function queryOf(request: FastifyRequest): RawQuery {
  return request.query as RawQuery;
}

/** The caller's parameters as other replicas get them: each answers for itself. */
function forPeers(query: RawQuery): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'scope' && typeof value === 'string') params.set(name, value);
  }
  return params;
}

function callerOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { credentials: credentialsOf(request.headers), signal: gone.signal };
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
  const status = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  return refuse(reply, status, status < 500 && error instanceof Error ? error.message : 'the gateway failed to answer this');
}
