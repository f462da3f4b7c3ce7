import { ANONYMOUS_ID } from '../protocol/acl/acl.ts';
import type { Account, AccountDirectory, AccountUser, Credential } from './accounts.ts';

/** A pair of access key and secret. */
export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** One account as it was configured, secrets resolved. */
export interface AccountSettings extends Account {
  readonly keys: readonly KeyPair[];
  readonly users: readonly UserSettings[];
}

export interface UserSettings extends AccountUser {
  readonly keys: readonly KeyPair[];
}

/**
 * Look-ups over a fixed set of accounts.
 * @throws Error naming the value when two accounts share a name, canonical id or account number, two keys an id, or an
 * account has the canonical id of anonymous callers
 */
export function createAccountDirectory(settings: readonly AccountSettings[]): AccountDirectory {
  const byKey = new Map<string, Credential>();
  const byName = new Map<string, Account>();
  const byCanonicalId = new Map<string, Account>();
  const byNumber = new Map<string, Account>();
  const byEmail = new Map<string, Account[]>();

  for (const { keys, users, ...fields } of settings) {
    const account: Account = Object.freeze(fields);
    if (account.canonicalId === ANONYMOUS_ID) throw new Error(`canonical id ${ANONYMOUS_ID} stands for anonymous callers`);
    addOnce(byName, account.name, account, 'account name');
    addOnce(byCanonicalId, account.canonicalId, account, 'canonical id');
    addOnce(byNumber, account.accountNumber, account, 'account number');
    const email = account.email.toLowerCase();
    byEmail.set(email, [...(byEmail.get(email) ?? []), account]);
    for (const key of keys) addOnce(byKey, key.accessKeyId, { ...key, account }, 'access key');
    for (const { keys: userKeys, ...user } of users) {
      for (const key of userKeys) addOnce(byKey, key.accessKeyId, { ...key, account, user }, 'access key');
    }
  }

  return {
    byAccessKey: (accessKeyId) => byKey.get(accessKeyId),
    byCanonicalId: (id) => byCanonicalId.get(id),
    byEmail: (email) => byEmail.get(email.toLowerCase()) ?? [],
    byName: (name) => byName.get(name),
    credentials: () => byKey.values(),
  };
}

function addOnce<V>(map: Map<string, V>, key: string, value: V, what: string): void {
  if (map.has(key)) throw new Error(`${what} ${key} stands twice`);
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
    credentials: () => current.credentials(),
    replace(next) {
      current = next;
    },
  };
}
