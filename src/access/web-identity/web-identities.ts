import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { StsError } from '../../errors/sts-error.ts';
import type { AccountDirectory } from '../accounts.ts';
import type { IdentityProvider } from '../identities/identities.ts';
import { providerArn } from '../identities/trust.ts';
import { IssuerKeys } from './issuer-keys.ts';

/** Signatures with a public key only. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Clocks of issuer and gateway, seconds. */
const TOLERANCE = 30;
/** How often a token is looked at when the accounts are read anew meanwhile. */
const MAX_TURNS = 4;

/** Whom a token speaks of. */
export interface WebIdentity {
  readonly provider: IdentityProvider;
  readonly subject: string;
  /** Those of the token that the provider's settings name. */
  readonly audiences: readonly string[];
  readonly claims: JWTPayload;
}

interface VerifyOptions {
  /** Of the role that the token is shown for. */
  readonly accountNumber: string;
  readonly accounts: AccountDirectory;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Tokens of the identity providers that accounts name: no other issuer is ever asked for anything. */
export class WebIdentities {
  /** By provider; one that was read anew from the configuration asks anew. */
  readonly #keys = new WeakMap<IdentityProvider, IssuerKeys>();

  /**
   * Whom a token speaks of, once its signature, issuer, audience and times are verified.
   * @throws StsError InvalidIdentityToken, ExpiredTokenException, IDPCommunicationError
   */
  async verify(token: string, { accountNumber, accounts, now }: VerifyOptions): Promise<WebIdentity> {
    const issuer = issuerOf(token);
    const arn = providerArn(accountNumber, issuer);
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const provider = accounts.provider(arn);
      if (provider?.issuer !== issuer) {
        throw new StsError(
          'InvalidIdentityToken',
          'No OpenIDConnect provider found in your account for the issuer of the token',
        );
      }
      const claims = await this.#verified(token, provider, now);
      // A provider that was taken away while it was asked for its keys vouches for nobody.
      if (accounts.provider(arn) === provider) return identityOf(provider, claims);
    }
    throw new StsError('IDPCommunicationError');
  }

  async #verified(token: string, provider: IdentityProvider, now: number): Promise<JWTPayload> {
    try {
      return await this.#attempt(token, provider, { anew: false, now });
    } catch (error) {
      // Issuers change their keys: perhaps it was signed with a new one.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw refused(error);
    }
    try {
      return await this.#attempt(token, provider, { anew: true, now });
    } catch (error) {
      throw refused(error);
    }
  }

  async #attempt(
    token: string,
    provider: IdentityProvider,
    wanted: { readonly anew: boolean; readonly now: number },
  ): Promise<JWTPayload> {
    const known = this.#keys.get(provider) ?? new IssuerKeys(provider);
    this.#keys.set(provider, known);
    const keys = await known.keys(wanted).catch((error: unknown) => {
      throw new StsError('IDPCommunicationError', undefined, { cause: error });
    });
    const { payload } = await jwtVerify(token, keys, {
      issuer: provider.issuer,
      audience: [...provider.audiences],
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE,
      requiredClaims: ['sub', 'aud', 'exp', 'iat'],
      currentDate: new Date(wanted.now),
    });
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new StsError('InvalidIdentityToken');
    return payload;
  }
}

function identityOf(provider: IdentityProvider, claims: JWTPayload): WebIdentity {
  const named = typeof claims.aud === 'string' ? [claims.aud] : (claims.aud ?? []);
  const { sub = '' } = claims;
  return { provider, subject: sub, audiences: named.filter((one) => provider.audiences.includes(one)), claims };
}

function issuerOf(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string') return iss;
  } catch (error) {
    throw new StsError(
      'InvalidIdentityToken',
      'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)',
      { cause: error },
    );
  }
  throw new StsError('InvalidIdentityToken', 'The token names no issuer');
}

function refused(error: unknown): StsError {
  if (error instanceof StsError) return error;
  if (error instanceof errors.JWTExpired) {
    return new StsError(
      'ExpiredTokenException',
      'Token expired: current date/time must be before the expiration date/time',
      { cause: error },
    );
  }
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return new StsError('InvalidIdentityToken', 'Incorrect token audience', { cause: error });
  }
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf') {
    return new StsError('InvalidIdentityToken', 'Token is not valid yet', { cause: error });
  }
  // Whatever else is wrong with the token, keys that cannot be used, and what else the library meets in it.
  return new StsError('InvalidIdentityToken', undefined, { cause: error });
}
