import { hash } from 'node:crypto';
import { S3Error } from '../../errors/s3-error.ts';
import type { AccountDirectory, Credential, Session } from '../accounts.ts';
import type { Role } from '../identities/identities.ts';
import type { NamedPolicy, PolicyDocument } from '../policy/document.ts';
import { RememberedPolicies } from '../policy/remembered.ts';
import {
  type AskedClaims,
  decodeClaims,
  encodeClaims,
  type KeySession,
  type RoleSession,
  type SessionClaims,
} from './claims.ts';
import type { Opened, Sealed, SealingKeys } from './sealing-keys.ts';
import { keepNewest } from '../../observe/bounded-map.ts';

const TEMPORARY_KEY = /^ASIA[A-Z2-7]{16}$/;
/** Opening costs some ten microseconds, and clients send one token with every request. */
const MAX_REMEMBERED = 1000;

interface Remembered extends Opened {
  readonly claims: SessionClaims;
}

interface SessionsOptions {
  readonly accounts: AccountDirectory;
  /** Those of the moment; undefined: no sessions are made and none are taken. */
  readonly keys: () => SealingKeys | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Temporary credentials: made, and known again by any process that has the keys. Nothing of them is kept. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Tokens that were opened, by the keys that did it: those of others are forgotten with them. */
  readonly #remembered = new WeakMap<SealingKeys, Map<string, Remembered>>();
  readonly #documents = new RememberedPolicies('session');

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Whether sessions can be made. */
  get enabled(): boolean {
    return this.#options.keys() !== undefined;
  }

  /** @throws Error when there are no keys to seal it with; S3Error InvalidAccessKeyId: its access key is gone */
  issue(claims: AskedClaims): Sealed {
    const keys = this.#options.keys();
    if (keys === undefined) throw new Error('no keys are configured to seal sessions with');
    const { identity } = claims;
    return keys.seal(encodeClaims({ ...claims, identity: identity.kind === 'key' ? this.#bound(identity) : identity }));
  }

  /** Secrets are changed when others may know them: what was made with one ends with it. */
  #bound(identity: Omit<KeySession, 'secretHash'>): KeySession {
    const credential = this.#options.accounts.byAccessKey(identity.accessKeyId);
    if (credential === undefined) throw new S3Error('InvalidAccessKeyId');
    return { ...identity, secretHash: hashOf(credential.secretAccessKey) };
  }

  /**
   * The credential that a token stands for, its identity as the accounts have it at this moment.
   * @returns undefined: there is no such key
   * @throws S3Error InvalidToken (not ours, changed, of another key, or of an identity that is gone), ExpiredToken
   * (also: revoked)
   */
  credentialFor(accessKeyId: string, token: string): Credential | undefined {
    const opened = this.#open(token);
    if (opened === undefined) {
      if (TEMPORARY_KEY.test(accessKeyId)) throw new S3Error('InvalidToken');
      return undefined;
    }
    if (opened.accessKeyId !== accessKeyId) throw new S3Error('InvalidToken');
    const { claims } = opened;
    const now = this.#options.now?.() ?? Date.now();
    if (now >= claims.expiresAt * 1000) throw new S3Error('ExpiredToken');
    const { secretAccessKey } = opened;
    return { accessKeyId, secretAccessKey, ...this.#identityOf(claims, this.#documentsOf(claims)) };
  }

  #open(token: string): Remembered | undefined {
    const keys = this.#options.keys();
    if (keys === undefined) return undefined;
    const remembered = this.#remembered.get(keys) ?? new Map<string, Remembered>();
    this.#remembered.set(keys, remembered);
    const known = remembered.get(token);
    if (known !== undefined) return known;
    const opened = keys.open(token);
    if (opened === undefined) return undefined;
    const claims = decodeClaims(opened.payload);
    const whole = { ...opened, claims };
    keepNewest(remembered, token, whole, MAX_REMEMBERED);
    return whole;
  }

  /** One that was good when it was sealed, and is no longer, allows nothing. */
  #documentsOf({ policies = [] }: SessionClaims): PolicyDocument[] {
    return policies.map((text) => this.#documents.get(text) ?? NOTHING);
  }

  #identityOf(
    claims: SessionClaims,
    documents: readonly PolicyDocument[],
  ): Pick<Credential, 'account' | 'user' | 'session'> {
    const { identity } = claims;
    return identity.kind === 'role'
      ? this.#ofRole(identity, claims, documents)
      : this.#ofKey(identity, claims, documents);
  }

  #ofRole(
    identity: RoleSession,
    claims: SessionClaims,
    documents: readonly PolicyDocument[],
  ): Pick<Credential, 'account' | 'user' | 'session'> {
    const role = this.#options.accounts.role(identity.role);
    if (role === undefined) throw new S3Error('InvalidToken');
    refuseRevoked(claims, role.notBefore);
    const { name, arn } = role;
    const user = sessionUser(role, identity.name, claims.tags);
    return {
      account: role.account,
      user,
      session: this.#sessionOf(claims, { documents, role: { name, arn }, provider: identity.provider }),
    };
  }

  #ofKey(
    { accessKeyId, holder, secretHash }: KeySession,
    claims: SessionClaims,
    documents: readonly PolicyDocument[],
  ): Pick<Credential, 'account' | 'user' | 'session'> {
    const { accounts } = this.#options;
    const credential = accounts.byAccessKey(accessKeyId);
    if (credential === undefined || (credential.user?.arn ?? credential.account.canonicalId) !== holder) {
      throw new S3Error('InvalidToken');
    }
    if (secretHash !== hashOf(credential.secretAccessKey)) {
      throw new S3Error('InvalidToken');
    }
    const { account, user } = credential;
    if (user !== undefined) refuseRevoked(claims, accounts.user(user.arn)?.notBefore);
    return { account, ...(user !== undefined && { user }), session: this.#sessionOf(claims, { documents }) };
  }

  #sessionOf(claims: SessionClaims, { documents, role, provider }: SessionParts): Session {
    const { policyArns = [], issuedAt, expiresAt, tags, transitive, sourceIdentity } = claims;
    const narrowed: NamedPolicy[] = [
      ...documents.map((document) => ({ name: 'session policy', document })),
      ...policyArns.map((arn) => this.#options.accounts.policy(arn) ?? { name: arn, document: NOTHING }),
    ];
    return {
      issuedAt: issuedAt * 1000,
      expiresAt: expiresAt * 1000,
      ...(narrowed.length > 0 && { policies: narrowed }),
      ...(role !== undefined && { role }),
      ...(provider !== undefined && { provider }),
      ...(tags !== undefined && { tags }),
      ...(transitive !== undefined && { transitive }),
      ...(sourceIdentity !== undefined && { sourceIdentity }),
    };
  }
}

interface SessionParts {
  readonly documents: readonly PolicyDocument[];
  readonly role?: NonNullable<Session['role']>;
  readonly provider?: string | undefined;
}

/** In the place of a policy that is gone: the session must not widen by that. */
const NOTHING: PolicyDocument = { version: '2012-10-17', statements: [], keys: [] };

/** Who acts in a session of a role. */
export function sessionUser(
  role: Role,
  name: string,
  tags: SessionClaims['tags'] = {},
): NonNullable<Credential['user']> {
  return {
    name: `${role.name}/${name}`,
    arn: `arn:aws:sts::${role.account.accountNumber}:assumed-role/${role.name}/${name}`,
    id: `${role.id}:${name}`,
    tags: { ...role.tags, ...tags },
    permissions: role.permissions,
  };
}

function hashOf(secret: string): string {
  return hash('sha256', `s3gw:secret:${secret}`, 'base64url');
}

/** SDKs that assumed the role themselves do it again after ExpiredToken, if they still may. */
function refuseRevoked({ issuedAt }: SessionClaims, notBefore: number | undefined): void {
  if (notBefore !== undefined && issuedAt * 1000 < notBefore) throw new S3Error('ExpiredToken');
}
