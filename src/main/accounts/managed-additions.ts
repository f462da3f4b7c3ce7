import type { ManagedAccount, ManagedDocument, ManagedUser } from '../../../config/schema-managed.ts';
import type { AccountSettings, UserSettings } from '../../access/directory.ts';
import type { NamedPolicy } from '../../access/policy/document.ts';
import { StartError, wordsOf } from '../start-error.ts';
import { userArn } from './account-names.ts';
import { type OwnAccount, userOf } from './account-settings.ts';

/** Why an entry of the document is not in force. */
interface Fault {
  /** The entry, for the log: `user alice of account team`. */
  readonly what: string;
  readonly reason: string;
}

/** Faults by the entries of the document: accounts, users, keys and policies, the objects themselves. */
export type Faults = ReadonlyMap<object, Fault>;

/** The accounts with what the document adds to them. */
interface EnlargedAccounts {
  readonly settings: readonly AccountSettings[];
  readonly faults: Faults;
}

/** Names that are taken, for the look at one entry after the other. */
interface Taken {
  /** Ids of keys in the operator's own files. */
  readonly ownKeys: ReadonlySet<string>;
  /** Ids of keys that the document has more than once. */
  readonly keysTwice: ReadonlySet<string>;
}

/**
 * Adds the document to the operator's own accounts. An entry that does not fit is left out, and no other one for it: a
 * user without a group that it names may do nothing, but all others are followed. The operator's own entries win over
 * those of the same name. What is there twice is left out both times, as neither is the right one. Never throws.
 */
export function enlargedAccounts(own: readonly OwnAccount[], document: ManagedDocument): EnlargedAccounts {
  const faults = new Map<object, Fault>();
  const names = new Set(own.map(({ settings }) => settings.name));
  for (const account of document.accounts) if (!names.has(account.name)) leaveOutAll(account, faults);
  const added = new Map(document.accounts.map((account) => [account.name, account]));
  const taken = takenKeys(own, document);
  const settings = own.map((account) => {
    const more = added.get(account.settings.name);
    return more === undefined ? account.settings : new Enlarged(account, taken, faults).with(more);
  });
  return { settings, faults };
}

function takenKeys(own: readonly OwnAccount[], { accounts }: ManagedDocument): Taken {
  const ownKeys = own.flatMap(({ settings: { keys, users } }) => [...keys, ...users.flatMap((user) => user.keys)]);
  const added = accounts.flatMap(({ users }) => users.flatMap(({ keys }) => keys));
  return {
    ownKeys: new Set(ownKeys.map(({ accessKeyId }) => accessKeyId)),
    keysTwice: namesTwice(added.map(({ accessKeyId }) => accessKeyId)),
  };
}

function namesTwice(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

function leaveOutAll(account: ManagedAccount, faults: Map<object, Fault>): void {
  const { name, users, policies } = account;
  const leaveOut = (entry: object, what: string): void =>
    void faults.set(entry, { what, reason: `there is no account ${name} in the operator's own files` });
  leaveOut(account, `account ${name}`);
  for (const user of users) leaveOut(user, `user ${user.name} of account ${name}`);
  for (const policy of policies) leaveOut(policy, `policy ${policy.name} of account ${name}`);
}

/** One account of the operator's own, and what fits of the document's. */
class Enlarged {
  readonly #own: OwnAccount;
  readonly #taken: Taken;
  readonly #faults: Map<object, Fault>;

  constructor(own: OwnAccount, taken: Taken, faults: Map<object, Fault>) {
    this.#own = own;
    this.#taken = taken;
    this.#faults = faults;
  }

  with({ users, policies, quota }: ManagedAccount): AccountSettings {
    const { settings } = this.#own;
    const named = this.#policies(policies);
    const usersTwice = namesTwice(users.map(({ name }) => name));
    const fitting = users.flatMap(
      (user) =>
        this.#attempt(user, `user ${user.name}`, () => {
          if (usersTwice.has(user.name)) throw new StartError(['it is there twice']);
          return this.#user(user, named);
        }) ?? [],
    );
    return {
      ...settings,
      users: [...settings.users, ...fitting],
      policies: [...(settings.policies ?? []), ...named.values()],
      // The operator's own quota decides.
      quota: settings.quota ?? quota,
    };
  }

  #policies(policies: ManagedAccount['policies']): ReadonlyMap<string, NamedPolicy> {
    const own = new Set(this.#own.settings.policies?.map(({ name }) => name));
    const twice = namesTwice(policies.map(({ name }) => name));
    const fitting = policies.flatMap((policy): NamedPolicy[] => {
      const { name } = policy;
      const document = this.#attempt(policy, `policy ${name}`, () => {
        if (own.has(name)) throw new StartError([OPERATORS]);
        if (twice.has(name)) throw new StartError(['it is there twice']);
        return this.#own.shelf.documentOf(policy.policy, `policies.${name}`);
      });
      return document === undefined ? [] : [{ name, document }];
    });
    return new Map(fitting.map((policy) => [policy.name, policy]));
  }

  /** @throws StartError it does not fit */
  #user({ name, settings, keys }: ManagedUser, added: ReadonlyMap<string, NamedPolicy>): UserSettings {
    const { settings: account, shelf } = this.#own;
    const arn = userArn({ name }, account);
    if (account.users.some((own) => own.name === name || own.arn === arn)) throw new StartError([OPERATORS]);
    const surroundings = { account, where: `users.${name}`, sources: NO_SOURCES, added };
    const user = userOf({ ...settings, name, keys: [] }, shelf, surroundings);
    return { ...user, keys: keys.filter((key) => this.#isFree(key, name)) };
  }

  #isFree(key: ManagedUser['keys'][number], user: string): boolean {
    const { accessKeyId } = key;
    const free = this.#attempt(key, `key ${accessKeyId} of user ${user}`, () => {
      if (this.#taken.ownKeys.has(accessKeyId)) throw new StartError([OPERATORS]);
      if (this.#taken.keysTwice.has(accessKeyId)) throw new StartError(['it is there twice']);
      return true;
    });
    return free === true;
  }

  /** Undefined: the entry is left out. Whatever is wrong with it, all others are followed. */
  #attempt<T>(entry: object, what: string, make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      const reason = error instanceof StartError ? error.lines.join('; ') : wordsOf(error);
      this.#faults.set(entry, { what: `${what} of account ${this.#own.settings.name}`, reason });
      return undefined;
    }
  }
}

const OPERATORS = "one of this name stands in the operator's own files";
/** Nothing of the document names a file or a variable. */
const NO_SOURCES = { folder: '/', environment: {} };
