import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../../observe/call.ts';
import { plainJson } from '../../observe/written-text.ts';
import type { RawQuery } from '../inspector/queries.ts';
import { type AdminPart, refuse } from '../server.ts';
import type { ChangeRecords } from './change-records.ts';
import {
  type AdminEndpoint,
  type EndpointHandlers,
  type EndpointName,
  ENDPOINTS,
  BASE_PATH,
  type ManagementAnswer,
  type RequestReaders,
} from './endpoints.ts';
import { answeredFailure, ManagementError } from './management-error.ts';
import { openApiDocument } from './openapi.ts';

interface ManagementOptions {
  readonly handlers: EndpointHandlers;
  readonly readers: RequestReaders;
  readonly records: ChangeRecords;
  readonly newCall: (signal: AbortSignal) => Call;
  readonly version: string;
}

/** A policy of the largest size that IAM takes, and some more. */
const MAX_BODY_BYTES = 64 * 1024;
/** Of objects and lists: a policy that is written out in a user has ten. What reads a body calls itself for each. */
const MAX_DEPTH = 32;
/** A DeleteBucket waits until no replica remembers the bucket. A change goes on when its caller has left. */
const ANSWER_MS = 120_000;
const DOCUMENT = { path: '/openapi.json', method: 'GET' } as const;

/** The admin API: the routes of `endpoints.ts`, and the document that describes them. */
export function managementApi(options: ManagementOptions): AdminPart {
  const document = openApiDocument(options.readers, options.version);
  return (app) => {
    void app.register(
      async (api) => {
        api.removeContentTypeParser('text/plain');
        api.setReplySerializer((payload) => plainJson(JSON.stringify(payload)));
        api.setErrorHandler((error, _request, reply) => answerFailure(error, reply));
        api.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
        for (const [name, endpoint] of Object.entries<AdminEndpoint>(ENDPOINTS)) {
          addRoute(api, { ...endpoint, name: name as EndpointName }, options);
        }
        api.get(DOCUMENT.path, async () => document);
        refuseOtherMethods(api);
      },
      { prefix: BASE_PATH },
    );
  };
}

function addRoute(
  api: FastifyInstance,
  endpoint: AdminEndpoint & { readonly name: EndpointName },
  options: ManagementOptions,
): void {
  const { method, name } = endpoint;
  api.route({
    method,
    url: routeOf(endpoint.path),
    bodyLimit: MAX_BODY_BYTES,
    config: { access: method === 'GET' ? 'token' : 'manage' },
    handler: async (request, reply) => {
      const ask = async (): Promise<ManagementAnswer> => {
        const call = options.newCall(AbortSignal.timeout(ANSWER_MS));
        const names = checkedNames(endpoint, request, options.readers);
        const query = checkedQuery(endpoint, request.query as RawQuery);
        return options.handlers[name]({ names, query, body: bodyOf(endpoint, request, options.readers) }, call);
      };
      const { status, body } = await (method === 'GET' ? ask() : options.records.record(request, name, ask));
      return reply.code(status).send(body);
    },
  });
}

/** As Fastify writes paths. */
function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** What is made has a name of the right form; what is looked for may have any. @throws ManagementError */
function checkedNames(
  { method }: AdminEndpoint,
  { params }: FastifyRequest,
  { names }: RequestReaders,
): Readonly<Record<string, string>> {
  const given = params as Readonly<Record<string, string>>;
  if (method !== 'PUT') return given;
  for (const [name, reader] of Object.entries(names)) {
    if (given[name] !== undefined) reader.parse(given[name]);
  }
  return given;
}

/** @throws ManagementError */
function bodyOf({ body, bodyIsOptional }: AdminEndpoint, request: FastifyRequest, { bodies }: RequestReaders): unknown {
  if (body === undefined) return undefined;
  if (request.body === undefined && bodyIsOptional === true) return undefined;
  if (request.body === undefined) throw new ManagementError('ValidationError', 'expected a body of JSON');
  if (isDeeper(request.body, MAX_DEPTH)) {
    throw new ManagementError('ValidationError', `expected a body of at most ${String(MAX_DEPTH)} levels`);
  }
  return bodies[body].parse(request.body);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** @throws ManagementError for a parameter that would seem to do something */
function checkedQuery({ query: known = {} }: AdminEndpoint, query: RawQuery): RawQuery {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return query;
  throw new ManagementError('ValidationError', `there is no query parameter ${unknown} here`);
}

/** A path that is there answers a method that it does not have with 405, whatever else the request has. */
function refuseOtherMethods(api: FastifyInstance): void {
  const rows = [...Object.values<Pick<AdminEndpoint, 'path' | 'method'>>(ENDPOINTS), DOCUMENT];
  const paths = [...Map.groupBy(rows, ({ path }) => path)].map(([path, of]) => ({
    pattern: new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    allowed: of.map(({ method }) => method),
  }));
  api.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'there is nothing of this name'));
  // Before a body is asked for, or read.
  api.addHook('onRequest', async ({ is404, url }, reply) => {
    if (!is404) return undefined;
    const allowed = paths.find(({ pattern }) => pattern.test(url.split('?')[0] ?? ''))?.allowed;
    if (allowed === undefined) return undefined;
    reply.header('allow', allowed.join(', '));
    return answerFailure(new ManagementError('MethodNotAllowed', `expected ${allowed.join(' or ')}`), reply);
  });
}

/** @throws what was not to be expected; the port's own handler logs it and says nothing of it */
function answerFailure(thrown: unknown, reply: FastifyReply): FastifyReply {
  const failure = answeredFailure(thrown);
  if (failure === undefined) return refuse(reply, 500, 'the gateway failed to answer this');
  const { status, code, error } = failure;
  return reply.code(status).send({ error, code });
}
