import type { TLSSocket } from 'node:tls';
import type { AccountDirectory, Credential, Principal } from '../access/accounts.ts';
import type { AskedRequest } from '../access/request-keys.ts';
import type { AuthVerdict } from '../auth/verdict.ts';
import type { Manifest } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import type { OperationSettings, RequestContext } from '../operations/operation.ts';
import type { HoldBudget } from '../protocol/body/hold-budget.ts';
import { HttpRequestBody } from '../protocol/body/request-body.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { S3Request } from '../protocol/request.ts';
import type { Admission } from './admission.ts';
import type { Authentication } from './authentication.ts';
import type { Exchange } from './exchange.ts';
import { type LogOf, noteAccess } from './logged-access.ts';
import { LongAnswer } from './long-answer.ts';
import type { Route } from './route.ts';

/** The request as operations see it, with its body, which is not read yet. The exchange releases the body. */
export function toS3Request(
  exchange: Exchange,
  { route, verdict }: { readonly route: Route; readonly verdict: AuthVerdict<Credential> },
  holdBudget: HoldBudget,
): S3Request {
  const { row, address, query, headers } = route;
  const body = new HttpRequestBody({
    source: exchange.request,
    socket: exchange.request.socket,
    headers,
    payload: verdict.payload,
    signing: verdict.kind === 'signed' ? verdict.signing : undefined,
    onFirstRead: () => exchange.bodyOpened(),
    signal: exchange.signal,
    holdBudget,
    holdsFields: exchange.memory?.holdsFields,
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

/** What is the same for all requests. */
export interface ServedParts {
  readonly accounts: AccountDirectory;
  readonly manifest: Manifest;
  readonly settings: OperationSettings;
  readonly authentication: Authentication;
  readonly admission: Admission;
  /** Twelve digits of the account that has a canonical id. */
  readonly accountNumberOf: (canonicalId: string) => string | undefined;
  readonly longAnswerMs: number | undefined;
  readonly logOf: LogOf | undefined;
}

/** What an operation gets beside the request; its bucket comes to it (`operations/perform.ts`). */
export function requestContext(
  exchange: Exchange,
  parts: {
    readonly row: OperationRow;
    readonly call: Call;
    readonly request: S3Request;
    readonly principal: Principal;
  },
  served: ServedParts,
): RequestContext {
  const { accounts, manifest, settings, authentication, admission } = served;
  return {
    call: parts.call,
    hostId: exchange.ids.hostId,
    operation: parts.row,
    principal: parts.principal,
    asked: askedRequest(exchange, parts, served),
    accounts,
    manifest,
    settings,
    mayTakeLong: (headers) => {
      if (exchange.long === undefined) exchange.long = new LongAnswer(exchange, headers, served.longAnswerMs);
      else exchange.long.again(headers);
    },
    authenticateForm: (fields) => {
      const principal = authentication.ofForm(exchange, fields, parts.principal);
      admission.admit(exchange, principal);
      return principal;
    },
    logAccess: (bucket, part) => noteAccess(exchange, served.logOf, bucket, part),
    alsoOnBucket: (bucket) => admission.alsoOnBucket(exchange, bucket),
  };
}

/** The request as what works for it sees it: it may be broken off. */
export function callOf({ signal, ids, facts }: Exchange): Call {
  return { signal, requestId: ids.requestId, traceId: facts.trace.traceId, facts };
}

/**
 * Collects what a request says and what the conditions of policies can ask for: operation, headers, query, client
 * address, time.
 */
function askedRequest(
  exchange: Exchange,
  { row, request }: { readonly row: OperationRow; readonly request: S3Request },
  {
    settings,
    accountNumberOf,
  }: Pick<AskedRequest, 'accountNumberOf'> & { readonly settings: { readonly region: string } },
): AskedRequest {
  const { facts } = exchange;
  // That of the connection which ends at this process: what a proxy in front spoke with its client is not known here.
  const socket = exchange.request.socket as Partial<TLSSocket>;
  return {
    operation: row.name,
    bucket: request.address.bucket,
    key: request.address.key,
    headers: request.headers,
    query: request.query,
    authMethod: request.authMethod,
    clientAddress: facts.clientAddress,
    scheme: facts.scheme,
    // Not a getter: those make the object a slow one.
    tlsVersion: socket.getProtocol?.()?.replace(/^TLSv/, ''),
    region: settings.region,
    accountNumberOf,
    now: facts.head.arrivedAt,
    work: undefined,
  };
}
