import type { Quota } from '../manifest/index.ts';
import { ANONYMOUS_ID } from '../protocol/acl/acl.ts';
import type { Account, AccountDirectory, AccountUser, Credential, DirectoryUser } from './accounts.ts';
import type { IdentityProvider, Rates, Role } from './identities/identities.ts';
import type { NamedPolicy } from './policy/document.ts';

/** A pair of access key and secret. */
export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** One account as it was configured, secrets resolved. */
export interface AccountSettings extends Account {
  readonly keys: readonly KeyPair[];
  readonly users: readonly UserSettings[];
  readonly roles?: readonly Omit<Role, 'account'>[];
  /** All named ones. */
  readonly policies?: readonly NamedPolicy[];
  readonly providers?: readonly IdentityProvider[];
  readonly rates?: Rates | undefined;
  readonly quota?: Quota | undefined;
}

export interface UserSettings extends AccountUser {
  readonly keys: readonly KeyPair[];
  /** Sessions made before are refused; milliseconds since 1970. */
  readonly notBefore?: number | undefined;
  readonly rates?: Rates | undefined;
}

/**
 * Look-ups over a fixed set of accounts.
 * @throws Error naming the value when two accounts share a name, canonical id or account number, two keys an id, two
 * users or roles an ARN, an ARN names another account, or an account has the canonical id of anonymous callers
 */
export function createAccountDirectory(settings: readonly AccountSettings[]): AccountDirectory {
  const tables = new Tables();
  for (const account of settings) tables.add(account);
  const { byKey, byName, byCanonicalId, byNumber, byEmail, users, roles, policies, providers, rates, quotas } = tables;
  return {
    byAccessKey: (accessKeyId) => byKey.get(accessKeyId),
    byCanonicalId: (id) => byCanonicalId.get(id),
    byEmail: (email) => byEmail.get(email.toLowerCase()) ?? [],
    byName: (name) => byName.get(name),
    byNumber: (number) => byNumber.get(number),
    credentials: () => byKey.values(),
    user: (arn) => users.get(arn),
    role: (arn) => roles.get(arn),
    policy: (arn) => policies.get(arn),
    provider: (arn) => providers.get(arn),
    ratesOf: (id) => rates.get(id),
    quotaOf: (id) => quotas.get(id),
    policies: () => policies.values(),
  };
}

class Tables {
  readonly byKey = new Map<string, Credential>();
  readonly byName = new Map<string, Account>();
  readonly byCanonicalId = new Map<string, Account>();
  readonly byNumber = new Map<string, Account>();
  readonly byEmail = new Map<string, Account[]>();
  readonly users = new Map<string, DirectoryUser>();
  readonly roles = new Map<string, Role>();
  readonly policies = new Map<string, NamedPolicy>();
  readonly providers = new Map<string, IdentityProvider>();
  readonly rates = new Map<string, Rates>();
  readonly quotas = new Map<string, Quota>();

  add({ keys, users, roles = [], policies = [], providers = [], rates, quota, ...fields }: AccountSettings): void {
    const account: Account = Object.freeze(fields);
    if (account.canonicalId === ANONYMOUS_ID) {
      throw new Error(`canonical id ${ANONYMOUS_ID} stands for anonymous callers`);
    }
    addOnce(this.byName, account.name, account, 'account name');
    addOnce(this.byCanonicalId, account.canonicalId, account, 'canonical id');
    addOnce(this.byNumber, account.accountNumber, account, 'account number');
    const email = account.email.toLowerCase();
    this.byEmail.set(email, [...(this.byEmail.get(email) ?? []), account]);
    if (rates !== undefined) this.rates.set(account.canonicalId, rates);
    if (quota !== undefined) this.quotas.set(account.canonicalId, quota);
    for (const key of keys) addOnce(this.byKey, key.accessKeyId, { ...key, account }, 'access key');
    for (const user of users) this.#addUser(user, account);
    for (const role of roles) this.#addRole({ ...role, account }, account);
    for (const policy of policies) {
      addOnce(this.policies, `arn:aws:iam::${account.accountNumber}:policy/${policy.name}`, policy, 'policy');
    }
    for (const provider of providers) addOnce(this.providers, provider.arn, provider, 'identity provider');
  }

  #addUser({ keys, notBefore, rates, ...user }: UserSettings, account: Account): void {
    addOnce(this.users, ofAccount(user.arn, account), { user, account, notBefore }, 'user');
    if (rates !== undefined) this.rates.set(user.arn, rates);
    for (const key of keys) addOnce(this.byKey, key.accessKeyId, { ...key, account, user }, 'access key');
  }

  #addRole(role: Role, account: Account): void {
    addOnce(this.roles, ofAccount(role.arn, account), role, 'role');
    if (role.rates !== undefined) this.rates.set(role.arn, role.rates);
  }
}

/** Policies name users and roles by ARN: one that names another account would be taken for somebody there. */
function ofAccount(arn: string, { accountNumber, name }: Account): string {
  if (!arn.startsWith(`arn:aws:iam::${accountNumber}:`)) {
    throw new Error(`${arn} is not an ARN of account ${name}, which begin with arn:aws:iam::${accountNumber}:`);
  }
  return arn;
}

function addOnce<V>(map: Map<string, V>, key: string, value: V, what: string): void {
  if (map.has(key)) throw new Error(`${what} ${key} is there twice`);
  map.set(key, value);
}

/** A directory whose content can be replaced while requests use it; each look-up sees one state. */
export interface ReplaceableDirectory extends AccountDirectory {
  replace(next: AccountDirectory): void;
}

export function replaceableDirectory(first: AccountDirectory): ReplaceableDirectory {
  let current = first;
  return {
    byAccessKey: (accessKeyId) => current.byAccessKey(accessKeyId),
    byCanonicalId: (id) => current.byCanonicalId(id),
    byEmail: (email) => current.byEmail(email),
    byName: (name) => current.byName(name),
    byNumber: (number) => current.byNumber(number),
    credentials: () => current.credentials(),
    user: (arn) => current.user(arn),
    role: (arn) => current.role(arn),
    policy: (arn) => current.policy(arn),
    provider: (arn) => current.provider(arn),
    ratesOf: (id) => current.ratesOf(id),
    quotaOf: (id) => current.quotaOf(id),
    policies: () => current.policies(),
    replace(next) {
      current = next;
    },
  };
}
