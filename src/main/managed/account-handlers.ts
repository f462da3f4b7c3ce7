import { isDeepStrictEqual } from 'node:util';
import type { ManagedUserSettings } from '../../../config/schema-managed.ts';
import type { ShownUser } from '../../admin/manage/contract.ts';
import type { EndpointHandlers, ManagementAnswer } from '../../admin/manage/endpoints.ts';
import { ManagementError } from '../../admin/manage/management-error.ts';
import type { Edited, ManagedDocumentAccess } from './managed-accounts.ts';
import {
  type AccountView,
  allViews,
  missing,
  shownAccount,
  shownOwnUser,
  shownPolicies,
  shownUser,
  viewOfAccount,
  viewToAddTo,
  withAccount,
  withNamed,
} from './shown-accounts.ts';

type AccountHandlers = Pick<
  EndpointHandlers,
  | 'listAccounts'
  | 'getAccount'
  | 'listUsers'
  | 'getUser'
  | 'putUser'
  | 'deleteUser'
  | 'listPolicies'
  | 'getPolicy'
  | 'putPolicy'
  | 'deletePolicy'
>;

/** Accounts, which the operator's own files have, and users and policies, which the document adds to them. */
export function accountHandlers(managed: ManagedDocumentAccess): AccountHandlers {
  return { ...readings(managed), ...userChanges(managed), ...policyChanges(managed) };
}

type Readings = 'listAccounts' | 'getAccount' | 'listUsers' | 'getUser' | 'listPolicies' | 'getPolicy';

function readings(managed: ManagedDocumentAccess): Pick<EndpointHandlers, Readings> {
  return {
    async listAccounts() {
      return { status: 200, body: { accounts: allViews(await managed.view()).map(shownAccount) } };
    },
    async getAccount({ names: { account = '' } }) {
      return { status: 200, body: shownAccount(viewOfAccount(await managed.view(), account)) };
    },
    async listUsers({ names: { account = '' } }) {
      const view = viewOfAccount(await managed.view(), account);
      return {
        status: 200,
        body: { users: [...ownUsers(view), ...view.added.users.map((user) => shownUser(view, user))] },
      };
    },
    async getUser({ names: { account = '', user = '' } }) {
      const view = viewOfAccount(await managed.view(), account);
      return { status: 200, body: userNamed(view, user) };
    },
    async listPolicies({ names: { account = '' } }) {
      const policies = shownPolicies(viewOfAccount(await managed.view(), account));
      return {
        status: 200,
        body: { policies: policies.map(({ account: _account, policy: _policy, ...shown }) => shown) },
      };
    },
    async getPolicy({ names: { account = '', policy = '' } }) {
      const policies = shownPolicies(viewOfAccount(await managed.view(), account));
      return { status: 200, body: policies.find(({ name }) => name === policy) ?? missing('policy', policy) };
    },
  };
}

function userChanges(managed: ManagedDocumentAccess): Pick<EndpointHandlers, 'putUser' | 'deleteUser'> {
  return {
    putUser: ({ names: { account = '', user: name = '' }, body }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewToAddTo(accounts, account);
        requireOurs(view.own?.users, name, 'user');
        const known = view.added.users.find((user) => user.name === name);
        const settings = body as ManagedUserSettings;
        if (known !== undefined && isDeepStrictEqual(known.settings, settings)) {
          return { document: accounts.document, answer: { status: 200, body: shownUser(view, known) } };
        }
        const user = { name, settings, keys: known?.keys ?? [] };
        const shown = shownUser(view, user);
        const answer: ManagementAnswer =
          known === undefined
            ? { status: 201, body: shown, after: shown }
            : { status: 200, body: shown, before: shownUser(view, known), after: shown };
        return { document: withUsers(accounts, view, withNamed(view.added.users, name, user)), answer };
      }),

    deleteUser: ({ names: { account = '', user: name = '' } }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewOfAccount(accounts, account);
        const known = requireAdded(view.added.users, { own: view.own?.users, what: 'user', name });
        const document = withUsers(accounts, view, withNamed(view.added.users, name));
        return { document, answer: { status: 204, before: shownUser(view, known) }, isRemoval: true };
      }),
  };
}

function policyChanges(managed: ManagedDocumentAccess): Pick<EndpointHandlers, 'putPolicy' | 'deletePolicy'> {
  return {
    putPolicy: ({ names: { account = '', policy: name = '' }, body }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewToAddTo(accounts, account);
        requireOurs(ownPolicies(view), name, 'policy');
        const known = view.added.policies.find((policy) => policy.name === name);
        const policy = { name, policy: body as AccountView['added']['policies'][number]['policy'] };
        const shown = { account, ...policy, managed: true };
        if (isDeepStrictEqual(known, policy)) {
          return { document: accounts.document, answer: { status: 200, body: shown } };
        }
        const policies = withNamed(view.added.policies, name, policy);
        const status = known === undefined ? 201 : 200;
        return {
          document: withAccount(accounts.document, { ...view.added, policies }),
          answer: { status, body: shown, before: known, after: policy },
        };
      }),

    deletePolicy: ({ names: { account = '', policy: name = '' } }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewOfAccount(accounts, account);
        const own = ownPolicies(view);
        const known = requireAdded(view.added.policies, { own, what: 'policy', name });
        // Users that name one of the operator's have that.
        const isOwn = own.some((policy) => policy.name === name);
        const holder = isOwn ? undefined : view.added.users.find(({ settings }) => settings.policies.includes(name));
        if (holder !== undefined) {
          throw new ManagementError(
            'DeleteConflict',
            `${holder.name} has the policy ${name}: take it away there first`,
          );
        }
        const policies = withNamed(view.added.policies, name);
        return {
          document: withAccount(accounts.document, { ...view.added, policies }),
          answer: { status: 204, before: known },
          isRemoval: true,
        };
      }),
  };
}

function withUsers(
  { document }: Parameters<typeof viewOfAccount>[0],
  { added }: AccountView,
  users: AccountView['added']['users'],
): Edited<unknown>['document'] {
  return withAccount(document, { ...added, users });
}

function ownUsers({ own }: AccountView): ShownUser[] {
  return own?.users.map((user) => shownOwnUser(own, user)) ?? [];
}

/** That of the operator's own files, if they have one of this name. @throws ManagementError NoSuchEntity */
export function userNamed(view: AccountView, name: string): ShownUser {
  const own = ownUsers(view).find((user) => user.name === name);
  return own ?? shownUser(view, view.added.users.find((user) => user.name === name) ?? missing('user', name));
}

function ownPolicies({ own }: AccountView): { readonly name: string }[] {
  return Object.keys(own?.policies ?? {}).map((name) => ({ name }));
}

type Named = readonly { readonly name: string }[];

/** @throws ManagementError UnmodifiableEntity */
export function requireOurs(own: Named = [], name: string, what: string): void {
  if (!own.some((one) => one.name === name)) return;
  throw new ManagementError('UnmodifiableEntity', `the ${what} ${name} stands in the operator's own files`);
}

/**
 * What is to be removed: what the document holds counts, whatever the operator's own files say.
 * @throws ManagementError UnmodifiableEntity: only these have it; NoSuchEntity
 */
export function requireAdded<T extends { readonly name: string }>(
  added: readonly T[],
  { own, what, name }: { readonly own: Named | undefined; readonly what: string; readonly name: string },
): T {
  const known = added.find((one) => one.name === name);
  if (known !== undefined) return known;
  requireOurs(own, name, what);
  return missing(what, name);
}
