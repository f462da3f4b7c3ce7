import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountDirectory, Credential, Principal } from '../access/accounts.ts';
import type { RateLimits } from '../access/rates/rate-limits.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import type { AuthVerdict } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';
import { newHostId } from '../observe/random-id.ts';
import type { RequestObservers } from '../observe/request-observers.ts';
import type { CallWatch } from '../observe/call-facts.ts';
import { RequestFacts } from '../observe/request-facts.ts';
import { type HeadSampler, traceOf } from '../observe/trace-context.ts';
import { toS3Error } from '../operations/failure.ts';
import type { Operation, OperationContext, OperationSettings } from '../operations/operation.ts';
import { hostResolver, type HostResolver } from '../protocol/address.ts';
import type { HoldBudget } from '../protocol/body/hold-budget.ts';
import { errorAnswer } from '../protocol/sts/document.ts';
import { createRequestBody } from '../protocol/body/request-body.ts';
import { readHeaders } from '../protocol/headers/header-reader.ts';
import type { OperationName, OperationRow } from '../protocol/operation-table.ts';
import type { HeaderReader, S3Request } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import { writeAnswer, writeError, writeText } from './answer.ts';
import { authFacts, principalOf } from './auth-facts.ts';
import { Authentication } from './authentication.ts';
import { type CorsOptions, prepareCors, varyWithoutOrigin } from './cors-answer.ts';
import { ClientGone, Exchange } from './exchange.ts';
import { lateBackend } from './late-backend.ts';
import { LongAnswer } from './long-answer.ts';
import type { ProxyTrust } from './proxy-trust.ts';
import { findRoute, type Route } from './route.ts';
import { askedRequest } from './asked-request.ts';
import type { StallWatch } from './stall-watch.ts';
import { websiteRequest } from './website-request.ts';
import { preflight } from '../operations/preflight.ts';
import { orErrorPage, serveWebsite } from '../operations/website/serve-website.ts';
import { toStsError } from './sts-errors.ts';
import { Sts } from './sts.ts';

export interface DispatcherOptions {
  readonly accounts: AccountDirectory;
  /** Absent: there are no temporary credentials. */
  readonly sessions?: Sessions;
  /** Absent: nobody is limited. */
  readonly rates?: RateLimits;
  readonly manifest: Manifest;
  /** Operations by their names in the operation table. A name that is missing here answers NotImplemented. */
  readonly operations: Readonly<Partial<Record<OperationName, Operation>>>;
  readonly settings: OperationSettings;
  /** Names under which clients reach the service, for virtual-hosted requests. */
  readonly baseHosts: readonly string[];
  /** Names under which visitors reach the websites of buckets. */
  readonly websiteHosts?: readonly string[];
  readonly proxies: ProxyTrust;
  readonly stalls: StallWatch;
  readonly holdBudget: HoldBudget;
  readonly log: Log;
  /** Why no change is served at the moment; undefined: changes are served. */
  readonly changesRefused?: (() => string | undefined) | undefined;
  readonly observers?: RequestObservers;
  readonly calls?: CallWatch;
  /** Absent: nothing is traced. */
  readonly sampler?: HeadSampler | undefined;
  /** Accept presigned URLs of signature version 2. */
  readonly presignedV2?: boolean;
  /** Milliseconds between the white space of long answers; default 10,000. */
  readonly longAnswerMs?: number;
  /** Clients that leave without an answer after this many milliseconds are logged; default 10,000. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 10_000;

/**
 * Takes each request from its head to its answer: it parses the address, finds the operation, authenticates the sender
 * and runs the operation. Authentication is decided here and nowhere else; no handler runs before it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #hosts: HostResolver;
  readonly #websites: HostResolver;
  readonly #authentication: Authentication;
  readonly #cors: CorsOptions;
  readonly #sts: Sts;
  readonly #hostId = newHostId();
  #draining = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { sessions = new Sessions({ accounts: options.accounts, keys: () => undefined }) } = options;
    this.#hosts = hostResolver(options.baseHosts, options.settings.region);
    this.#websites = hostResolver(options.websiteHosts ?? [], options.settings.region);
    this.#cors = { buckets: options.manifest.buckets, byDefault: options.settings.cors };
    this.#authentication = new Authentication({
      ...options,
      sessions,
      region: options.settings.region,
      acceptAnyRegion: options.settings.acceptAnyRegion,
    });
    this.#sts = new Sts({
      accounts: options.accounts,
      sessions,
      auth: this.#authentication.options,
      hosts: this.#hosts,
      holdBudget: options.holdBudget,
      changesRefused: options.changesRefused,
      begun: (exchange) => options.observers?.begun(exchange.facts),
      admit: (exchange, principal) => this.#admit(exchange, principal),
    });
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#options.stalls.exchanges.size;
  }

  /** The facts of these. */
  running(): RequestFacts[] {
    return Array.from(this.#options.stalls.exchanges.keys(), ({ facts }) => facts);
  }

  /** From now on every answer ends its connection. */
  drain(): void {
    this.#draining = true;
  }

  /** Serves one request; never rejects. @param target request target as it came off the wire */
  async dispatch(request: IncomingMessage, response: ServerResponse, target: string, requestId: string): Promise<void> {
    const headers = readHeaders(request.rawHeaders);
    const exchange = new Exchange({
      request,
      response,
      headers,
      facts: this.#newFacts(request, headers, { target, requestId }),
    });
    this.#begin(exchange);
    try {
      await this.#serve(exchange, target);
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
    facts.clientAddress = proxies.sourceOf(request, headers);
    facts.scheme = proxies.schemeOf(request, headers);
    return facts;
  }

  #begin(exchange: Exchange): void {
    const { response } = exchange;
    this.#options.stalls.add(exchange);
    response.once('close', () => {
      this.#options.stalls.remove(exchange);
      if (!response.writableFinished) this.#clientLeft(exchange);
      exchange.noteEnd();
      this.#options.observers?.ended(exchange.facts);
    });
  }

  async #serve(exchange: Exchange, target: string): Promise<void> {
    if (this.#sts.recognises(exchange, target)) return this.#serveSts(exchange, target);
    const long = new LongAnswer(exchange, this.#options.longAnswerMs);
    try {
      const answer = await this.#answer(exchange, target, long);
      varyWithoutOrigin(exchange, this.#cors);
      if (long.announced) long.finish(answer);
      else await writeAnswer(exchange, answer, this.#draining);
    } catch (error) {
      long.stop();
      const failure = toS3Error(exchange.signal.aborted ? exchange.signal.reason : error);
      exchange.facts.failure = failure;
      if (failure.code === 'InternalError') this.#report(exchange, failure.cause);
      const late = lateBackend(failure, exchange.facts);
      if (late !== undefined) {
        this.#options.log.warn({ ...logIds(exchange.facts), ...late }, 'the backend did not answer in time');
      }
      if (long.started) {
        long.fail(failure);
      } else {
        if (this.#mayLook(exchange, failure)) await prepareCors(exchange, this.#cors, callOf(exchange));
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

  async #answer(exchange: Exchange, target: string, long: LongAnswer): Promise<S3Response> {
    const visit = this.#visit(exchange, target);
    if (visit !== undefined) return visit(long);
    const { route, verdict } = this.#identify(exchange, target);
    this.#admit(exchange, principalOf(verdict));
    await prepareCors(exchange, this.#cors, callOf(exchange));
    const operation = this.#options.operations[route.row.name];
    if (operation === undefined) throw notImplemented(route.row);
    this.#refuseChange(route.row);
    const request = this.#toS3Request(exchange, route, verdict);
    return operation(
      request,
      this.#context(exchange, { row: route.row, request, principal: principalOf(verdict), long }),
    );
  }

  /**
   * Applies the limits of rates, before any work is done for the request and before its body is read. @throws S3Error
   * SlowDown
   */
  #admit(exchange: Exchange, principal: Principal): void {
    const { response, facts } = exchange;
    const admission = this.#options.rates?.admit(principal, facts.bucket, () => exchange.flowed);
    if (admission === undefined) return;
    if (response.closed) admission.end();
    else response.once('close', () => admission.end());
  }

  /**
   * Whether the gateway may look at the bucket to find the CORS headers of a refusal. A request that was refused
   * because of its rate may not. A request of an unknown sender counts against the rate of anonymous requests for it.
   */
  #mayLook(exchange: Exchange, failure: S3Error): boolean {
    if (exchange.headers.get('origin') === undefined || exchange.corsHeaders !== undefined) return true;
    if (failure.code === 'SlowDown') return false;
    const { auth } = exchange.facts;
    if (auth !== undefined && auth.failure === undefined) return true;
    try {
      this.#admit(exchange, { kind: 'anonymous' });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Finds out whether a request is a visit to the website of a bucket, for which nobody authenticates. @returns
   * undefined for requests to the service
   */
  #visit(exchange: Exchange, target: string): ((long: LongAnswer) => Promise<S3Response>) | undefined {
    const found = websiteRequest(exchange, target, this.#websites);
    if (found === undefined) return undefined;
    const anonymous: AuthVerdict<Credential> = { kind: 'anonymous', payload: { kind: 'unsigned' } };
    const principal = principalOf(anonymous);
    exchange.facts.auth = authFacts(anonymous, principal);
    exchange.facts.authenticated = performance.now();
    this.#options.observers?.begun(exchange.facts);
    const serve = async (long: LongAnswer): Promise<S3Response> => {
      this.#admit(exchange, principal);
      await prepareCors(exchange, this.#cors, callOf(exchange));
      const context = this.#context(exchange, { ...found, principal, long });
      return found.row.method === 'OPTIONS'
        ? preflight(found.request, context)
        : serveWebsite(found.request, exchange.ids, context);
    };
    return (long) => orErrorPage(exchange.ids, () => serve(long));
  }

  /** Finds out what the request asks for and who sent it. Observers are told in any case. */
  #identify(exchange: Exchange, target: string): { readonly route: Route; readonly verdict: AuthVerdict<Credential> } {
    try {
      const route = findRoute(exchange, target, this.#hosts);
      return { route, verdict: this.#authentication.ofRequest(exchange, route) };
    } finally {
      this.#options.observers?.begun(exchange.facts);
    }
  }

  /**
   * Refuses changes while this replica must not make any (its clock is wrong). Reads go on. @throws S3Error
   * ServiceUnavailable
   */
  #refuseChange({ method }: OperationRow): void {
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
    const message = this.#options.changesRefused?.();
    if (message !== undefined) throw new S3Error('ServiceUnavailable', { message });
  }

  #toS3Request(
    exchange: Exchange,
    { row, address, query, headers }: Route,
    verdict: AuthVerdict<Credential>,
  ): S3Request {
    const body = createRequestBody({
      source: exchange.request,
      socket: exchange.request.socket,
      headers,
      payload: verdict.payload,
      signing: verdict.kind === 'signed' ? verdict.signing : undefined,
      onFirstRead: () => exchange.bodyOpened(),
      signal: exchange.signal,
      holdBudget: this.#options.holdBudget,
      // All requests without a signature share the rate of one account, because an attacker can use many addresses.
      holder: verdict.kind === 'signed' ? verdict.credential.account.canonicalId : 'anonymous',
      facts: exchange.facts,
    });
    exchange.body = body;
    return {
      method: row.method,
      address,
      query,
      headers,
      body,
      scheme: exchange.facts.scheme,
      host: headers.get('host') ?? '',
      authMethod: verdict.kind === 'signed' ? verdict.method : 'anonymous',
    };
  }

  #context(
    exchange: Exchange,
    parts: {
      readonly row: OperationRow;
      readonly request: S3Request;
      readonly principal: Principal;
      readonly long: LongAnswer;
    },
  ): OperationContext {
    const { accounts, manifest, settings } = this.#options;
    return {
      call: callOf(exchange),
      operation: parts.row,
      principal: parts.principal,
      asked: askedRequest(exchange, parts, { settings, accounts }),
      accounts,
      manifest,
      settings,
      mayTakeLong: (headers) => parts.long.announce(headers),
      authenticateForm: (fields) => this.#authentication.ofForm(exchange, fields, parts.principal),
    };
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

function callOf({ signal, ids, facts }: Exchange): Call {
  return { signal, requestId: ids.requestId, traceId: facts.trace.traceId, facts };
}

function logIds({ head, operation }: RequestFacts): object {
  return { requestId: head.requestId, traceId: head.trace.traceId, operation };
}

function notImplemented(row: OperationRow): S3Error {
  return new S3Error('NotImplemented', { message: row.notImplementedHint ?? `${row.name} is not implemented.` });
}
