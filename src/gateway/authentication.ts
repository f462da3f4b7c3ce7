import type { AccountDirectory, Credential, Principal } from '../access/accounts.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { authenticate } from '../auth/authenticate.ts';
import { OtherRegions } from '../auth/other-regions.ts';
import { refuseStreamingPayload } from '../auth/payload-mode.ts';
import { type SignedFields, authenticateForm } from '../auth/post-form.ts';
import { SigningKeys } from '../auth/signing-key.ts';
import type { AuthOptions, AuthVerdict } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import { type HeadSampler, believeCaller } from '../observe/trace-context.ts';
import { authFacts, principalOf, refusedAuth } from './auth-facts.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './route.ts';

interface AuthenticationOptions {
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly region: string;
  /** Signatures for any region count. */
  readonly acceptAnyRegion?: boolean | undefined;
  /** Accept presigned URLs of signature version 2. */
  readonly presignedV2?: boolean | undefined;
  /** Whose traces are continued is known only with the sender. Absent: nothing is traced. */
  readonly sampler?: HeadSampler | undefined;
}

/** Who sent a request, or a form inside of one. */
export class Authentication {
  /** What signatures are checked against. */
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
      credentialFor: (accessKeyId) => accounts.byAccessKey(accessKeyId),
      sessionFor: (accessKeyId, token) => sessions.credentialFor(accessKeyId, token),
    };
  }

  /** Decides once who sent a request, before any handler, and writes it down. @throws S3Error */
  ofRequest(exchange: Exchange, route: Route): AuthVerdict<Credential> {
    const { facts } = exchange;
    try {
      const verdict = this.#verdict(exchange, route);
      facts.auth = authFacts(verdict, principalOf(verdict));
      if (verdict.kind === 'signed') believeCaller(facts.trace, exchange.headers.get('traceparent'), this.#sampler);
      return verdict;
    } catch (error) {
      facts.auth = refusedAuth(error);
      throw error;
    } finally {
      facts.authenticated = performance.now();
    }
  }

  #verdict(exchange: Exchange, { row, rawTarget, address, pairs: query }: Route): AuthVerdict<Credential> {
    // A preflight carries nobody's credentials; the URL may be one that was presigned for another method.
    if (row.method === 'OPTIONS') return { kind: 'anonymous', payload: { kind: 'unsigned' } };
    const { method = '', rawHeaders } = exchange.request;
    const virtualBucket = address.virtualHost ? address.bucket : undefined;
    const verdict = authenticate(
      { method, rawTarget, rawHeaders, query, now: exchange.facts.head.arrivedAt, virtualBucket },
      this.options,
    );
    if (!row.streamingPayload) refuseStreamingPayload(verdict.payload);
    if (verdict.kind === 'anonymous' && !row.anonymousAllowed) throw new S3Error('AccessDenied');
    return verdict;
  }

  /** A form is signed inside its body, which only its operation reads. @throws S3Error */
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
