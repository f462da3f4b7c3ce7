import type { AccountConfig } from '../../../config/schema-accounts.ts';
import type { UserConfig } from '../../../config/schema-identities.ts';
import type { ManagedAccount, ManagedDocument, ManagedUser } from '../../../config/schema-managed.ts';
import type { ShownAccount, ShownKey, ShownPolicy, ShownUser } from '../../admin/manage/contract.ts';
import { ManagementError } from '../../admin/manage/management-error.ts';
import { defined } from '../../observe/defined.ts';
import { accountOf, userArn } from '../accounts/account-names.ts';
import type { Faults } from '../accounts/managed-additions.ts';
import type { AccountsView } from './managed-accounts.ts';

/** One account: what the operator's own files say of it, and what the document adds. */
export interface AccountView {
  readonly name: string;
  /** Undefined: they do not have it (any more). What the document has of it is not in force. */
  readonly own: AccountConfig | undefined;
  readonly added: ManagedAccount;
  readonly faults: Faults;
}

/** @throws ManagementError NoSuchEntity: neither has it */
export function viewOfAccount({ document, operators, faults }: AccountsView, name: string): AccountView {
  const own = operators.find((account) => account.name === name);
  const added = document.accounts.find((account) => account.name === name);
  if (own === undefined && added === undefined) missing('account', name);
  return { name, own, added: added ?? { name, users: [], policies: [] }, faults };
}

/** The same, for what is to be added to it. @throws ManagementError NoSuchEntity: the operator's own files lack it */
export function viewToAddTo(accounts: AccountsView, name: string): AccountView {
  const view = viewOfAccount(accounts, name);
  if (view.own === undefined) missing('account', name);
  return view;
}

/** All accounts, those of the operator's own files first. */
export function allViews(accounts: AccountsView): AccountView[] {
  const { document, operators } = accounts;
  const names = new Set([...operators, ...document.accounts].map(({ name }) => name));
  return [...names].map((name) => viewOfAccount(accounts, name));
}

/** @throws ManagementError NoSuchEntity */
export function missing(what: string, name: string): never {
  throw new ManagementError('NoSuchEntity', `there is no ${what} ${name}`);
}

/** The document with another state of one account. */
export function withAccount(document: ManagedDocument, changed: ManagedAccount): ManagedDocument {
  const others = document.accounts.filter(({ name }) => name !== changed.name);
  const isEmpty = changed.users.length + changed.policies.length === 0 && changed.quota === undefined;
  return { ...document, accounts: isEmpty ? others : [...others, changed] };
}

/** The list with another state of what has its name, at its place; undefined: without it. */
export function withNamed<T extends { readonly name: string }>(list: readonly T[], name: string, changed?: T): T[] {
  const kept = list.flatMap((one) => (one.name !== name ? [one] : changed === undefined ? [] : [changed]));
  return changed === undefined || list.some((one) => one.name === name) ? kept : [...kept, changed];
}

export function shownAccount({ name, own, added, faults }: AccountView): ShownAccount {
  const { canonicalId, accountNumber, displayName } = own === undefined ? {} : accountOf(own);
  const quota = own?.quota ?? added.quota;
  return defined({
    name,
    canonicalId,
    accountNumber,
    displayName,
    users: (own?.users.length ?? 0) + added.users.length,
    policies: Object.keys(own?.policies ?? {}).length + added.policies.length,
    quota: quota && defined(quota),
    fault: faults.get(added)?.reason,
  });
}

export function shownUser({ name: account, own, faults }: AccountView, user: ManagedUser): ShownUser {
  const { name, settings, keys } = user;
  return defined({
    account,
    name,
    arn: own && userArn({ name }, accountOf(own)),
    managed: true,
    settings: defined(settings),
    keys: keys.map((key) => keyWithoutSecret(key, faults)),
    fault: faults.get(user)?.reason,
  });
}

/** A user of the operator's own files. */
export function shownOwnUser(own: AccountConfig, user: UserConfig): ShownUser {
  const { name, arn: _arn, keys, ...settings } = user;
  return {
    account: own.name,
    name,
    arn: userArn(user, accountOf(own)),
    managed: false,
    settings: defined(settings),
    keys: keys.map(({ accessKeyId }) => ({ accessKeyId })),
  };
}

/** Without its secret. */
export function keyWithoutSecret(key: ManagedUser['keys'][number], faults?: Faults): ShownKey {
  const { accessKeyId, createdAt } = key;
  return defined({ accessKeyId, createdAt, fault: faults?.get(key)?.reason });
}

/** All policies of an account, those of the operator's own files first. */
export function shownPolicies({ name: account, own, added, faults }: AccountView): ShownPolicy[] {
  const ofOwn = Object.entries(own?.policies ?? {}).map(([name, policy]) => ({
    account,
    name,
    policy,
    managed: false,
  }));
  const ofDocument = added.policies.map((policy) =>
    defined({ account, ...policy, managed: true, fault: faults.get(policy)?.reason }),
  );
  return [...ofOwn, ...ofDocument];
}
