import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountDirectory, Credential, Principal } from '../access/accounts.ts';
import { authenticate } from '../auth/authenticate.ts';
import { refuseStreamingPayload } from '../auth/payload-mode.ts';
import { SigningKeys } from '../auth/signing-key.ts';
import type { AuthOptions, AuthVerdict } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { newCallFacts, type Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';
import { newHostId } from '../observe/random-id.ts';
import { endSpan, startOperationSpan, startRequestSpan, type TraceScope } from '../observe/request-span.ts';
import { toS3Error } from '../operations/failure.ts';
import type { Operation, OperationContext, OperationSettings } from '../operations/operation.ts';
import { hostResolver, type HostResolver } from '../protocol/address.ts';
import type { HoldBudget } from '../protocol/body/hold-budget.ts';
import { createRequestBody } from '../protocol/body/request-body.ts';
import { readHeaders } from '../protocol/headers/header-reader.ts';
import type { OperationName, OperationRow } from '../protocol/operation-table.ts';
import type { S3Request } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import { writeAnswer, writeError } from './answer.ts';
import { ClientGone, Exchange } from './exchange.ts';
import { LongAnswer } from './long-answer.ts';
import type { ProxyTrust } from './proxy-trust.ts';
import { findRoute, type Route } from './route.ts';
import type { StallWatch } from './stall-watch.ts';

export interface DispatcherOptions {
  readonly accounts: AccountDirectory;
  readonly manifest: Manifest;
  /** By name of the operation table; what is missing answers NotImplemented. */
  readonly operations: Readonly<Partial<Record<OperationName, Operation>>>;
  readonly settings: OperationSettings;
  /** Names under which clients reach the service, for virtual-hosted requests. */
  readonly baseHosts: readonly string[];
  readonly proxies: ProxyTrust;
  readonly stalls: StallWatch;
  readonly holdBudget: HoldBudget;
  readonly log: Log;
  /** Accept presigned URLs of signature version 2. */
  readonly presignedV2?: boolean;
  /** Milliseconds between the white space of long answers; default 10,000. */
  readonly longAnswerMs?: number;
  /** Clients that leave without an answer after this many milliseconds are logged; default 10,000. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 10_000;

/**
 * Takes each request from its head to its answer: address, operation, who sent it, the operation
 * itself. The one place where authentication is decided; no handler runs before it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #hosts: HostResolver;
  readonly #auth: AuthOptions<Credential>;
  readonly #hostId = newHostId();
  #inFlight = 0;
  #draining = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#hosts = hostResolver(options.baseHosts, options.settings.region);
    this.#auth = {
      region: options.settings.region,
      signingKeys: new SigningKeys(),
      presignedV2: options.presignedV2 ?? false,
      credentialFor: (accessKeyId) => options.accounts.byAccessKey(accessKeyId),
    };
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** From now on every answer ends its connection. */
  drain(): void {
    this.#draining = true;
  }

  /** Serves one request; never rejects. @param target request target as it came off the wire */
  async dispatch(request: IncomingMessage, response: ServerResponse, target: string, requestId: string): Promise<void> {
    const headers = readHeaders(request.rawHeaders);
    const scope = startRequestSpan(request.method ?? '', headers.get('traceparent'));
    const exchange = new Exchange({ request, response, headers, scope, ids: { requestId, hostId: this.#hostId } });
    this.#begin(exchange);
    try {
      await this.#serve(exchange, target);
    } catch (error) {
      // Not even an error could be written: whatever was sent, the client must not take it for whole.
      this.#report(exchange, error);
      response.destroy();
    }
  }

  #begin(exchange: Exchange): void {
    const { response } = exchange;
    this.#inFlight += 1;
    this.#options.stalls.add(exchange);
    response.once('close', () => {
      this.#inFlight -= 1;
      this.#options.stalls.remove(exchange);
      exchange.body?.release();
      if (!response.writableFinished) this.#clientLeft(exchange);
      if (exchange.scope.span.isRecording()) endSpan(exchange.scope, response.statusCode, this.#attributes(exchange));
    });
  }

  async #serve(exchange: Exchange, target: string): Promise<void> {
    const long = new LongAnswer(exchange, this.#options.longAnswerMs);
    try {
      const answer = await this.#answer(exchange, target, long);
      if (long.announced) long.finish(answer);
      else await writeAnswer(exchange, answer, this.#draining);
    } catch (error) {
      long.stop();
      const failure = toS3Error(exchange.signal.aborted ? exchange.signal.reason : error);
      if (failure.code === 'InternalError') this.#report(exchange, failure.cause);
      if (long.started) long.fail(failure);
      else await writeError(exchange, failure, this.#draining);
    }
  }

  async #answer(exchange: Exchange, target: string, long: LongAnswer): Promise<S3Response> {
    const route = findRoute(exchange, target, this.#hosts);
    const verdict = this.#authenticate(exchange, route);
    const operation = this.#options.operations[route.row.name];
    if (operation === undefined) throw notImplemented(route.row);
    const request = this.#toS3Request(exchange, route, verdict);
    const scope = startOperationSpan(route.row.name, exchange.scope);
    const context = this.#context(exchange, { row: route.row, principal: principalOf(verdict), scope, long });
    if (scope === exchange.scope) return operation(request, context);
    return traced(scope, context.call, () => operation(request, context));
  }

  #authenticate(exchange: Exchange, { row, rawTarget, address }: Route): AuthVerdict<Credential> {
    // A preflight carries nobody's credentials; the URL may be one that was presigned for another method.
    if (row.method === 'OPTIONS') return { kind: 'anonymous', payload: { kind: 'unsigned' } };
    const { method = '', rawHeaders } = exchange.request;
    const virtualBucket = address.virtualHost ? address.bucket : undefined;
    const verdict = authenticate({ method, rawTarget, rawHeaders, now: exchange.arrived, virtualBucket }, this.#auth);
    if (!row.streamingPayload) refuseStreamingPayload(verdict.payload);
    if (verdict.kind === 'anonymous' && !row.anonymousAllowed) throw new S3Error('AccessDenied');
    return verdict;
  }

  #toS3Request(exchange: Exchange, { row, address, query, headers }: Route, verdict: AuthVerdict<Credential>): S3Request {
    const body = createRequestBody({
      source: exchange.request,
      headers,
      payload: verdict.payload,
      signing: verdict.kind === 'signed' ? verdict.signing : undefined,
      onFirstRead: () => exchange.bodyOpened(),
      signal: exchange.signal,
      holdBudget: this.#options.holdBudget,
    });
    exchange.body = body;
    return {
      method: row.method,
      address,
      query,
      headers,
      body,
      scheme: this.#options.proxies.schemeOf(exchange.request, headers),
      host: headers.get('host') ?? '',
      authMethod: verdict.kind === 'signed' ? verdict.method : 'anonymous',
    };
  }

  #context(
    exchange: Exchange,
    parts: { readonly row: OperationRow; readonly principal: Principal; readonly scope: TraceScope; readonly long: LongAnswer },
  ): OperationContext {
    const { accounts, manifest, settings } = this.#options;
    const call: Call = {
      signal: exchange.signal,
      requestId: exchange.ids.requestId,
      traceId: parts.scope.traceId,
      otel: parts.scope.context,
      facts: newCallFacts(),
    };
    return {
      call,
      operation: parts.row,
      principal: parts.principal,
      accounts,
      manifest,
      settings,
      mayTakeLong: (headers) => parts.long.announce(headers),
    };
  }

  /** Clients hang up for many reasons; one that waited long and saw nothing of an answer is worth a line. */
  #clientLeft(exchange: Exchange): void {
    exchange.abort(new ClientGone());
    const { ids, scope, operation, arrived, response } = exchange;
    const waitedMs = Date.now() - arrived;
    if (response.headersSent || exchange.awaitsClient || waitedMs < (this.#options.patienceMs ?? PATIENCE_MS)) return;
    this.#options.log.warn({ requestId: ids.requestId, traceId: scope.traceId, operation, waitedMs }, 'the client left without an answer');
  }

  #report(exchange: Exchange, error: unknown): void {
    if (exchange.signal.reason instanceof ClientGone) return;
    const { ids, scope, operation } = exchange;
    this.#options.log.error({ requestId: ids.requestId, traceId: scope.traceId, operation, err: error }, 'request failed');
  }

  #attributes({ request, headers, ids, operation }: Exchange): Record<string, string> {
    return {
      'http.request.method': request.method ?? '',
      'client.address': this.#options.proxies.sourceOf(request, headers),
      'gateway.request_id': ids.requestId,
      'gateway.operation': operation,
    };
  }
}

async function traced(scope: TraceScope, call: Call, work: () => Promise<S3Response>): Promise<S3Response> {
  let status = 500;
  try {
    const answer = await work();
    status = answer.status;
    return answer;
  } catch (error) {
    status = toS3Error(error).status;
    throw error;
  } finally {
    endSpan(scope, status, { 'gateway.backend_calls': call.facts.backendCalls, 'gateway.backend_retries': call.facts.backendRetries });
  }
}

function principalOf(verdict: AuthVerdict<Credential>): Principal {
  if (verdict.kind === 'anonymous') return { kind: 'anonymous' };
  const { accessKeyId, credential: { account, user } } = verdict;
  return user === undefined ? { kind: 'account', account, accessKeyId } : { kind: 'account', account, user, accessKeyId };
}

function notImplemented(row: OperationRow): S3Error {
  return new S3Error('NotImplemented', { message: row.notImplementedHint ?? `${row.name} is not implemented.` });
}
