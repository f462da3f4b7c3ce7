import type { AccountDirectory, Credential, Principal } from '../access/accounts.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { authenticate } from '../auth/authenticate.ts';
import { HeaderLines } from '../auth/header-lines.ts';
import { OtherRegions } from '../auth/other-regions.ts';
import { refuseStreamingPayload } from '../auth/payload-mode.ts';
import { type FormVerdict, type SignedFields, authenticateForm } from '../auth/post-form.ts';
import { SigningKeys } from '../auth/signing-key.ts';
import type { AuthOptions, AuthVerdict } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import type { AuthFacts } from '../observe/request-facts.ts';
import { type HeadSampler, believeCaller } from '../observe/trace-context.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './route.ts';

interface AuthenticationOptions {
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly region: string;
  /** Accept signatures for any region. */
  readonly acceptAnyRegion?: boolean | undefined;
  /** Accept presigned URLs of signature version 2. */
  readonly presignedV2?: boolean | undefined;
  /** Decides about the trace of a request, once its sender is known. Absent: nothing is traced. */
  readonly sampler?: HeadSampler | undefined;
}

/** Who sent a request, and how its body is to be checked. */
export interface Identified {
  readonly verdict: AuthVerdict<Credential>;
  readonly principal: Principal;
}

/** Finds out who sent a request, or a form inside of one. */
export class Authentication {
  /** What `auth/` needs to check a signature: keys, region, sessions. */
  readonly options: AuthOptions<Credential>;
  readonly #sampler: HeadSampler | undefined;

  constructor({
    accounts,
    sessions,
    region,
    acceptAnyRegion = false,
    presignedV2 = false,
    sampler,
  }: AuthenticationOptions) {
    this.#sampler = sampler;
    this.options = {
      region,
      signingKeys: new SigningKeys(),
      ...(acceptAnyRegion && { otherRegions: new OtherRegions() }),
      presignedV2,
      credentialFor: accounts.byAccessKey,
      sessionFor: (accessKeyId, token) => sessions.credentialFor(accessKeyId, token),
    };
  }

  /**
   * Decides who sent a request, once and before any handler runs, and notes it in the request's facts. @throws S3Error
   */
  ofRequest(exchange: Exchange, route: Route): Identified {
    const { facts } = exchange;
    try {
      const verdict = this.#verdict(exchange, route);
      const principal = principalOf(verdict);
      facts.auth = authFacts(verdict, principal);
      if (verdict.kind === 'signed' && this.#sampler !== undefined) {
        believeCaller(facts.trace, exchange.headers.get('traceparent'), this.#sampler);
      }
      return { verdict, principal };
    } catch (error) {
      facts.auth = refusedAuth(error);
      throw error;
    } finally {
      facts.authenticated = performance.now();
    }
  }

  #verdict(exchange: Exchange, { row, rawPath, address, pairs: query }: Route): AuthVerdict<Credential> {
    // A preflight carries no credentials. Its URL may be one that was presigned for another method.
    if (row.method === 'OPTIONS') return { kind: 'anonymous', payload: { kind: 'unsigned' } };
    const { method = '', rawHeaders } = exchange.request;
    const virtualBucket = address.virtualHost ? address.bucket : undefined;
    const headers = new HeaderLines(rawHeaders);
    const now = exchange.facts.head.arrivedAt;
    const verdict = authenticate({ method, rawPath, query, headers, now, virtualBucket }, this.options);
    if (!row.streamingPayload) refuseStreamingPayload(verdict.payload);
    if (verdict.kind === 'anonymous' && !row.anonymousAllowed) throw new S3Error('AccessDenied');
    return verdict;
  }

  /** Decides who signed a form. Its signature is inside the body, which only the operation reads. @throws S3Error */
  ofForm({ facts }: Exchange, fields: SignedFields, sender: Principal): Principal {
    facts.key = fields.get('key');
    try {
      const verdict = authenticateForm(fields, this.options);
      if (verdict.kind === 'anonymous') return sender;
      if (sender.kind !== 'anonymous') {
        throw new S3Error('InvalidArgument', {
          message: 'Only one auth mechanism allowed',
          extra: { ArgumentName: 'policy' },
        });
      }
      const principal = principalOf(verdict);
      facts.auth = authFacts(verdict, principal);
      return principal;
    } catch (error) {
      facts.auth = refusedAuth(error);
      throw error;
    }
  }
}

const ANONYMOUS: Principal = { kind: 'anonymous' };

export function principalOf(verdict: AuthVerdict<Credential> | FormVerdict<Credential>): Principal {
  if (verdict.kind === 'anonymous') return ANONYMOUS;
  const {
    accessKeyId,
    credential: { account, user, session },
  } = verdict;
  return {
    kind: 'account',
    account,
    accessKeyId,
    ...(user !== undefined && { user }),
    ...(session !== undefined && { session }),
  };
}

export function authFacts(verdict: AuthVerdict<Credential> | FormVerdict<Credential>, identity: Principal): AuthFacts {
  return {
    method: verdict.kind === 'signed' ? verdict.method : 'anonymous',
    identity,
    failure: undefined,
    signature: undefined,
  };
}

/** What was computed is in the error itself where signatures differ. */
export function refusedAuth(error: unknown): AuthFacts {
  const failure = error instanceof S3Error ? error : undefined;
  const { CanonicalRequest: canonicalRequest, StringToSign: stringToSign } = failure?.extra ?? {};
  return {
    method: undefined,
    identity: undefined,
    failure,
    signature:
      typeof canonicalRequest === 'string' && typeof stringToSign === 'string'
        ? () => ({ canonicalRequest, stringToSign })
        : undefined,
  };
}
