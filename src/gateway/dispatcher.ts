import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential } from '../access/accounts.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import type { AuthVerdict } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import { newHostId } from '../observe/random-id.ts';
import { RequestFacts } from '../observe/request-facts.ts';
import { traceOf } from '../observe/trace-context.ts';
import { toS3Error } from '../operations/failure.ts';
import { hostResolver, type HostResolver } from '../protocol/address.ts';
import { errorAnswer } from '../protocol/sts/document.ts';
import { RawHeaders } from '../protocol/headers/header-reader.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { HeaderReader } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import { Admission } from './admission.ts';
import { writeAnswer, writeError, writeText } from './answer.ts';
import { Authentication, type Identified, authFacts, principalOf } from './authentication.ts';
import { type CorsOptions, prepareCors, varyWithoutOrigin } from './cors-answer.ts';
import type { DispatcherOptions } from './dispatcher-options.ts';
import { ClientGone, Exchange } from './exchange.ts';
import { lateBackend } from './late-backend.ts';
import { noteRefused } from './logged-access.ts';
import { RequestMemory } from './memory/request-memory.ts';
import { notBuilt } from './not-built.ts';
import { callOf, requestContext, type ServedParts, toS3Request } from './operation-context.ts';
import { findRoute, type Route } from './route.ts';
import { type Visit, websiteRequest } from './website-request.ts';
import { perform } from '../operations/perform.ts';
import { preflight } from '../operations/preflight.ts';
import { orErrorPage, serveWebsite } from '../operations/website/serve-website.ts';
import { Sts, toStsError } from './sts.ts';

const PATIENCE_MS = 10_000;

/**
 * Takes each request from its head to its answer: it parses the address, finds the operation, authenticates the sender,
 * finds the bucket, decides whether the sender may, and runs the operation. Authentication is decided here and nowhere
 * else; no handler runs before it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #hosts: HostResolver;
  /** Absent: no websites are served. */
  readonly #websites: HostResolver | undefined;
  readonly #authentication: Authentication;
  readonly #served: ServedParts;
  readonly #cors: CorsOptions;
  readonly #admission: Admission;
  readonly #sts: Sts;
  readonly #hostId = newHostId();
  #draining = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { sessions = new Sessions({ accounts: options.accounts, keys: () => undefined }) } = options;
    this.#hosts = hostResolver(options.baseHosts, options.settings.region);
    const { websiteHosts = [] } = options;
    this.#websites = websiteHosts.length === 0 ? undefined : hostResolver(websiteHosts, options.settings.region);
    this.#cors = { buckets: options.manifest.buckets, byDefault: options.settings.cors };
    this.#authentication = new Authentication({
      ...options,
      sessions,
      region: options.settings.region,
      acceptAnyRegion: options.settings.acceptAnyRegion,
    });
    const { accounts, manifest, settings } = options;
    const accountNumberOf = (id: string): string | undefined => accounts.byCanonicalId(id)?.accountNumber;
    const { longAnswerMs, logOf } = options;
    this.#admission = new Admission(options.rates);
    this.#served = {
      accounts,
      manifest,
      settings,
      authentication: this.#authentication,
      admission: this.#admission,
      accountNumberOf,
      longAnswerMs,
      logOf,
    };
    this.#sts = new Sts({
      accounts: options.accounts,
      sessions,
      auth: this.#authentication.options,
      hosts: this.#hosts,
      holdBudget: options.holdBudget,
      changesRefused: options.changesRefused,
      begun: (exchange) => options.observers?.begun(exchange.facts),
      admit: (exchange, sender) => this.#admission.admit(exchange, sender),
    });
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#options.stalls.underWay.size;
  }

  /** The facts of these. */
  running(): RequestFacts[] {
    return Array.from(this.#options.stalls.underWay, ({ facts }) => facts);
  }

  /** From now on every answer ends its connection. */
  drain(): void {
    this.#draining = true;
  }

  /** Serves one request; never rejects. @param target request target as it came off the wire */
  async dispatch(request: IncomingMessage, response: ServerResponse, target: string, requestId: string): Promise<void> {
    const headers = new RawHeaders(request.rawHeaders);
    const exchange = new Exchange({
      request,
      response,
      headers,
      facts: this.#newFacts(request, headers, { target, requestId }),
    });
    this.#begin(exchange);
    try {
      if (this.#enters(exchange)) await this.#serve(exchange, target);
      else await this.#turnAway(exchange);
    } catch (error) {
      // Not even an error could be written. Whatever was sent so far, the client must not take it for a whole answer.
      this.#report(exchange, error);
      response.destroy();
    } finally {
      // A commit goes on after its client has left, and needs the body until it ends.
      exchange.body?.release();
    }
  }

  #newFacts(
    request: IncomingMessage,
    headers: HeaderReader,
    { target, requestId }: { readonly target: string; readonly requestId: string },
  ): RequestFacts {
    const { sampler, calls, proxies } = this.#options;
    const facts = new RequestFacts(
      {
        requestId,
        hostId: this.#hostId,
        trace: traceOf({ traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') }, sampler),
        arrivedAt: Date.now(),
        method: request.method ?? '',
        target,
        rawHeaders: request.rawHeaders,
        httpVersion: request.httpVersion,
      },
      calls,
    );
    const { address, scheme } = proxies.senderOf(request, headers);
    facts.clientAddress = address;
    facts.scheme = scheme;
    return facts;
  }

  #begin(exchange: Exchange): void {
    const { response } = exchange;
    const { underWay } = this.#options.stalls;
    underWay.add(exchange);
    exchange.begin();
    response.once('close', () => {
      underWay.delete(exchange);
      if (!response.writableFinished) this.#clientLeft(exchange);
      exchange.noteEnd();
      exchange.memory?.end();
      this.#options.observers?.ended(exchange.facts);
    });
  }

  /** @returns false: its client, whom a proxy names, has as much of the memory for connections as it may have */
  #enters(exchange: Exchange): boolean {
    const { connections } = this.#options;
    const { request, response, facts } = exchange;
    const holding = connections?.enter(request.socket, response, facts.clientAddress ?? '');
    if (holding === 'none') return false;
    if (connections !== undefined && holding !== undefined) {
      exchange.memory = new RequestMemory(connections.memory, holding);
      exchange.onBodyRead = () => connections.onBodyRead(request.socket);
    }
    return true;
  }

  async #turnAway(exchange: Exchange): Promise<void> {
    const failure = new S3Error('SlowDown', { message: 'Too many requests at a time.' });
    exchange.facts.failure = failure;
    this.#options.observers?.begun(exchange.facts);
    await writeError(exchange, failure, this.#draining);
  }

  async #serve(exchange: Exchange, target: string): Promise<void> {
    const isRoot = target === '/' || target.startsWith('/?');
    if (isRoot && this.#sts.recognises(exchange, target)) return this.#serveSts(exchange, target);
    try {
      const answer = await this.#answer(exchange, target);
      varyWithoutOrigin(exchange, this.#cors);
      if (exchange.long === undefined) await writeAnswer(exchange, answer, this.#draining);
      else exchange.long.finish(answer);
    } catch (error) {
      exchange.long?.stop();
      const failure = toS3Error(exchange.signal.aborted ? exchange.signal.reason : error);
      exchange.facts.failure = failure;
      noteRefused(exchange, this.#options.logOf, this.#options.manifest.buckets);
      if (failure.code === 'InternalError') this.#report(exchange, failure.cause);
      const late = lateBackend(failure, exchange.facts);
      if (late !== undefined) {
        this.#options.log.warn({ ...logIds(exchange.facts), ...late }, 'the backend did not answer in time');
      }
      if (exchange.long?.started === true) {
        exchange.long.fail(failure);
      } else {
        if (this.#admission.mayLook(exchange, failure)) await prepareCors(exchange, this.#cors, callOf(exchange));
        await writeError(exchange, failure, this.#draining);
      }
    }
  }

  async #serveSts(exchange: Exchange, target: string): Promise<void> {
    const headers = { 'x-amzn-RequestId': exchange.ids.requestId };
    try {
      const text = await this.#sts.answer(exchange, target);
      await writeText(exchange, { status: 200, text, type: 'text/xml', headers }, this.#draining);
    } catch (error) {
      const failure = toStsError(exchange.signal.aborted ? exchange.signal.reason : error);
      exchange.facts.failure = failure;
      if (failure.code === 'InternalFailure') this.#report(exchange, failure.cause);
      const text = errorAnswer(failure, exchange.ids.requestId);
      await writeText(
        exchange,
        { status: failure.status, text, type: 'text/xml', headers: { ...headers, ...failure.headers } },
        this.#draining,
      );
    }
  }

  async #answer(exchange: Exchange, target: string): Promise<S3Response> {
    const host = exchange.headers.get('host') ?? '';
    const visited = this.#websites?.bucketOf(host);
    if (visited !== undefined) return this.#visit(exchange, { target, host, bucket: visited });
    const { route, verdict, principal } = this.#identify(exchange, target);
    const call = callOf(exchange);
    this.#admission.admit(exchange, principal);
    if (exchange.headers.get('origin') !== undefined) await prepareCors(exchange, this.#cors, call);
    const operation = this.#options.operations[route.row.name];
    if (operation === undefined) throw notBuilt(route.row, verdict.kind);
    if (this.#options.changesRefused !== undefined) this.#refuseChange(route.row, this.#options.changesRefused);
    const request = toS3Request(exchange, { route, verdict }, this.#options.holdBudget);
    const parts = { row: route.row, call, request, principal };
    // Awaited here: a promise that an asynchronous function returns as it is takes two more turns.
    return await perform(operation, request, requestContext(exchange, parts, this.#served));
  }

  /** Serves a visit to the website of a bucket. Visitors are not authenticated. */
  async #visit(exchange: Exchange, visit: Visit): Promise<S3Response> {
    const found = websiteRequest(exchange, visit);
    const anonymous: AuthVerdict<Credential> = { kind: 'anonymous', payload: { kind: 'unsigned' } };
    const principal = principalOf(anonymous);
    exchange.facts.auth = authFacts(anonymous, principal);
    exchange.facts.authenticated = performance.now();
    this.#options.observers?.begun(exchange.facts);
    return orErrorPage(exchange.ids, async () => {
      const call = callOf(exchange);
      this.#admission.admit(exchange, principal);
      await prepareCors(exchange, this.#cors, call);
      const context = requestContext(exchange, { ...found, call, principal }, this.#served);
      return found.row.method === 'OPTIONS'
        ? preflight(found.request, context)
        : serveWebsite(found.request, exchange.ids, context);
    });
  }

  /** Finds out what the request asks for and who sent it. Observers are told in any case. */
  #identify(exchange: Exchange, target: string): Identified & { readonly route: Route } {
    try {
      const route = findRoute(exchange, target, this.#hosts);
      return { route, ...this.#authentication.ofRequest(exchange, route) };
    } finally {
      this.#options.observers?.begun(exchange.facts);
    }
  }

  /**
   * Refuses changes while this replica must not make any (its clock is wrong). Reads go on. @throws S3Error
   * ServiceUnavailable
   */
  #refuseChange({ method }: OperationRow, changesRefused: () => string | undefined): void {
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
    const message = changesRefused();
    if (message !== undefined) throw new S3Error('ServiceUnavailable', { message });
  }

  /**
   * Logs a client that left after it had waited long without any answer. Clients hang up for many other reasons, which
   * are not logged.
   */
  #clientLeft(exchange: Exchange): void {
    exchange.abort(new ClientGone());
    const { facts, response } = exchange;
    const waitedMs = Math.round(facts.durationMs);
    if (response.headersSent || exchange.awaitsClient || waitedMs < (this.#options.patienceMs ?? PATIENCE_MS)) return;
    this.#options.log.warn({ ...logIds(facts), waitedMs }, 'the client left without an answer');
  }

  #report(exchange: Exchange, error: unknown): void {
    if (exchange.signal.reason instanceof ClientGone) return;
    this.#options.log.error({ ...logIds(exchange.facts), err: error }, 'request failed');
  }
}

function logIds({ head, operation }: RequestFacts): object {
  return { requestId: head.requestId, traceId: head.trace.traceId, operation };
}
