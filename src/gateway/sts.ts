import { hash } from 'node:crypto';
import type { AccountDirectory, Credential, Principal } from '../access/accounts.ts';
import type { Sender } from '../access/rates/rate-limits.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { WebIdentities } from '../access/web-identity/web-identities.ts';
import { authenticate } from '../auth/authenticate.ts';
import { signableRequest } from '../auth/raw-request.ts';
import { refuseStreamingPayload } from '../auth/payload-mode.ts';
import type { AuthOptions } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import { StsError, type StsErrorCode } from '../errors/sts-error.ts';
import type { StsAction } from '../operations/sts/action.ts';
import { STS_ACTIONS, STS_VERSION, UNSIGNED_ACTION } from '../operations/sts/index.ts';
import { type HostResolver, splitTarget } from '../protocol/address.ts';
import type { HoldBudget } from '../protocol/body/hold-budget.ts';
import { HttpRequestBody } from '../protocol/body/request-body.ts';
import { answerDocument } from '../protocol/sts/document.ts';
import type { HeaderReader } from '../protocol/request.ts';
import { StsForm } from '../protocol/sts/form.ts';
import { authFacts, principalOf, refusedAuth } from './authentication.ts';
import type { Exchange } from './exchange.ts';
import { checkHead, checkQuery } from './head-bounds.ts';
import type { S3ErrorCode } from '../errors/error-table.ts';

/** Tokens take 20,000 characters at most, policies 2,048; each may be three times as long when it is escaped. */
const MAX_FORM_BYTES = 96 * 1024;
const FORM = 'application/x-www-form-urlencoded';
/** `sts.<base host>`: to host names, a bucket of this name. */
const HOST_LABEL = 'sts';
/** The one global endpoint of AWS signs for it, and so do clients that know no region; some sign for none at all. */
const GLOBAL_REGIONS = ['us-east-1', ''];
const ANONYMOUS: Principal = { kind: 'anonymous' };

interface StsOptions {
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly auth: AuthOptions<Credential>;
  readonly hosts: HostResolver;
  readonly holdBudget: HoldBudget;
  /** Why no change is served at the moment: with a wrong clock, no credentials are made either. */
  readonly changesRefused?: (() => string | undefined) | undefined;
  /** Called when it is known what the request asks for and who sent it. */
  readonly begun: (exchange: Exchange) => void;
  /** Counts the request against the limits of its sender. @throws S3Error SlowDown */
  readonly admit: (exchange: Exchange, sender: Sender) => void;
}

interface Identified {
  readonly action: StsAction;
  readonly name: string;
  readonly form: StsForm;
  readonly principal: Principal;
}

function isForm(headers: HeaderReader): boolean {
  return (headers.get('content-type') ?? '').toLowerCase().startsWith(FORM);
}

/**
 * The Security Token Service, on the listeners of S3: `POST /` with a form, or `GET /` or `POST /` with the same in the
 * query (so does object_store, the library of polars and delta-rs), also at the host `sts.<base host>`.
 * https://docs.aws.amazon.com/STS/latest/APIReference/
 */
export class Sts {
  readonly #options: StsOptions;
  readonly #webIdentities = new WebIdentities();

  constructor(options: StsOptions) {
    this.#options = options;
  }

  /** Whether a request to the root, with or without a query, is for STS. No request of S3 looks like one. */
  recognises({ request, headers }: Exchange, target: string): boolean {
    if (request.method !== 'POST' && request.method !== 'GET') return false;
    const host = this.#options.hosts.bucketOf(headers.get('host') ?? '');
    if (host !== undefined && host !== HOST_LABEL) return false;
    if (request.method === 'POST' && isForm(headers)) return true;
    return /[?&]Action=/.test(target) && target.includes(`Version=${STS_VERSION}`);
  }

  /** @returns the document of the answer @throws StsError, S3Error */
  async answer(exchange: Exchange, target: string): Promise<string> {
    const { facts } = exchange;
    facts.classification = {
      name: 'SecurityTokenService',
      level: 'service',
      method: exchange.request.method ?? '',
      match: {},
      permission: 'sts:*',
    };
    const { name, action, form, principal } = await this.#identified(exchange, target);
    const { accounts, sessions } = this.#options;
    const result = await action(form, {
      call: { signal: exchange.signal, requestId: exchange.ids.requestId, traceId: facts.trace.traceId, facts },
      principal,
      accounts,
      sessions,
      webIdentities: this.#webIdentities,
      sentBy: (sender) => this.#options.admit(exchange, sender),
      request: {
        clientAddress: facts.clientAddress,
        scheme: facts.scheme,
        userAgent: exchange.headers.get('user-agent'),
        now: facts.head.arrivedAt,
      },
    });
    return answerDocument(name, result, exchange.ids.requestId);
  }

  async #identified(exchange: Exchange, target: string): Promise<Identified> {
    try {
      checkHead(exchange.request, target);
      const { path, query } = splitTarget(target, exchange.headers.get('host') ?? '');
      exchange.resource = path;
      checkQuery(query);
      const body = exchange.request.method === 'POST' ? await this.#body(exchange) : Buffer.alloc(0);
      const form = new StsForm(isForm(exchange.headers) && body.length > 0 ? body.toString('utf8') : query);
      const name = form.get('Action') ?? '';
      if (name === '') throw new StsError('MissingAction');
      const action = STS_ACTIONS.get(name);
      const version = form.get('Version');
      if (action === undefined || version !== STS_VERSION) {
        throw new StsError(
          'InvalidAction',
          `Could not find operation ${name.slice(0, 64)} for version ${version?.slice(0, 64) ?? 'NO_VERSION_SPECIFIED'}`,
        );
      }
      exchange.facts.classification = {
        name,
        level: 'service',
        method: exchange.request.method ?? '',
        match: {},
        permission: `sts:${name}`,
      };
      const principal =
        name === UNSIGNED_ACTION ? ANONYMOUS : this.#authenticated(exchange, target, hash('sha256', body, 'hex'));
      this.#options.admit(exchange, principal);
      if (name !== 'GetCallerIdentity') this.#refuseWithWrongClock();
      return { name, action, form, principal };
    } finally {
      this.#options.begun(exchange);
    }
  }

  /**
   * Reads the form. Its hash is part of what was signed, so it must be read before the sender is known. Its size is
   * bounded, and its memory counts against the share of all anonymous callers.
   */
  async #body(exchange: Exchange): Promise<Buffer> {
    const { memory } = exchange;
    const size = Math.min(Number(exchange.headers.get('content-length') ?? MAX_FORM_BYTES), MAX_FORM_BYTES);
    if (memory?.holdsFields(size) === false) throw new S3Error('SlowDown');
    try {
      return await this.#readBody(exchange);
    } finally {
      memory?.holdsFields(0);
    }
  }

  #readBody(exchange: Exchange): Promise<Buffer> {
    const body = new HttpRequestBody({
      source: exchange.request,
      socket: exchange.request.socket,
      headers: exchange.headers,
      payload: { kind: 'unsigned' },
      onFirstRead: () => exchange.bodyOpened(),
      signal: exchange.signal,
      holdBudget: this.#options.holdBudget,
      holder: 'anonymous',
      facts: exchange.facts,
    });
    exchange.body = body;
    return body.readAll(MAX_FORM_BYTES);
  }

  #authenticated(exchange: Exchange, rawTarget: string, bodyHash: string): Principal {
    const {
      request: { method = '', rawHeaders },
      facts,
    } = exchange;
    const auth = {
      ...this.#options.auth,
      presignedV2: false,
      service: { name: 'sts', bodyHash, regions: GLOBAL_REGIONS },
    };
    try {
      const verdict = authenticate(signableRequest({ method, rawTarget, rawHeaders, now: facts.head.arrivedAt }), auth);
      refuseStreamingPayload(verdict.payload);
      const principal = principalOf(verdict);
      facts.auth = authFacts(verdict, principal);
      if (principal.kind === 'anonymous') throw new StsError('MissingAuthenticationToken');
      return principal;
    } catch (error) {
      facts.auth = refusedAuth(error);
      throw error;
    } finally {
      facts.authenticated = performance.now();
    }
  }

  #refuseWithWrongClock(): void {
    const message = this.#options.changesRefused?.();
    if (message !== undefined) throw new StsError('ServiceUnavailable', message);
  }
}

/** STS's names for errors that have other names in S3; message undefined: S3's message is used. */
const TRANSLATED: Partial<Record<S3ErrorCode, readonly [code: StsErrorCode, own?: 'keepMessage']>> = {
  AccessDenied: ['AccessDenied', 'keepMessage'],
  AuthorizationHeaderMalformed: ['IncompleteSignature', 'keepMessage'],
  AuthorizationQueryParametersError: ['IncompleteSignature', 'keepMessage'],
  ExpiredToken: ['ExpiredToken'],
  InvalidAccessKeyId: ['InvalidClientTokenId'],
  InvalidToken: ['InvalidClientTokenId'],
  InvalidURI: ['MalformedQueryString'],
  MaxMessageLengthExceeded: ['RequestEntityTooLarge'],
  RequestTimeTooSkewed: ['SignatureDoesNotMatch', 'keepMessage'],
  ServiceUnavailable: ['ServiceUnavailable', 'keepMessage'],
  SignatureDoesNotMatch: ['SignatureDoesNotMatch'],
  SlowDown: ['Throttling'],
};

/** Makes the STS error to answer of anything that was thrown while a call was served. */
export function toStsError(error: unknown): StsError {
  if (error instanceof StsError) return error;
  if (!(error instanceof S3Error)) return new StsError('InternalFailure', undefined, { cause: error });
  const [code, own] = TRANSLATED[error.code] ?? [
    error.status >= 500 ? 'InternalFailure' : 'ValidationError',
    'keepMessage',
  ];
  // Clients sign again with the region that is named.
  const wrongScope = code === 'IncompleteSignature' && 'Region' in error.extra;
  if (wrongScope) {
    return new StsError('SignatureDoesNotMatch', 'Credential should be scoped to a valid region.', { cause: error });
  }
  const options = { cause: error, headers: error.code === 'SlowDown' ? error.headers : {} };
  return new StsError(code, own === 'keepMessage' && code !== 'InternalFailure' ? error.message : undefined, options);
}
