import { randomBytes } from 'node:crypto';
import type { ManagedUser } from '../../../config/schema-managed.ts';
import type { EndpointHandlers, ManagementAnswer } from '../../admin/manage/endpoints.ts';
import { ManagementError } from '../../admin/manage/management-error.ts';
import { requireAdded, requireOurs, userNamed } from './account-handlers.ts';
import type { AccountsView, Edited, ManagedDocumentAccess } from './managed-accounts.ts';
import {
  type AccountView,
  missing,
  keyWithoutSecret,
  viewOfAccount,
  viewToAddTo,
  withAccount,
  withNamed,
} from './shown-accounts.ts';

type KeyHandlers = Pick<EndpointHandlers, 'listKeys' | 'createKey' | 'putKey' | 'deleteKey'>;
type ManagedKey = ManagedUser['keys'][number];

/** What ids of keys are made of: 32 characters, so that a random byte gives five bits of one. */
const ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Access keys of managed users. Only the answer to `createKey` has a secret. */
export function keyHandlers(managed: ManagedDocumentAccess): KeyHandlers {
  return {
    async listKeys({ names: { account = '', user: name = '' } }) {
      const { keys } = userNamed(viewOfAccount(await managed.view(), account), name);
      return { status: 200, body: { keys } };
    },

    createKey({ names: { account = '', user: name = '' } }, call) {
      const key = { accessKeyId: newKeyId(), secretAccessKey: randomBytes(30).toString('base64'), createdAt: now() };
      return managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewToAddTo(accounts, account);
        const user = userToAddTo(view, name);
        const document = withKeys(accounts, view, { ...user, keys: [...user.keys, key] });
        return { document, answer: { status: 201, body: key, after: keyWithoutSecret(key) } };
      });
    },

    putKey({ names: { account = '', user: name = '', accessKeyId = '' }, body }, call) {
      const { secretAccessKey } = body as Pick<ManagedKey, 'secretAccessKey'>;
      const key = { accessKeyId, secretAccessKey, createdAt: now() };
      return managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewToAddTo(accounts, account);
        const user = userToAddTo(view, name);
        const known = user.keys.find((one) => one.accessKeyId === accessKeyId);
        if (known?.secretAccessKey === secretAccessKey) {
          return { document: accounts.document, answer: { status: 200, body: keyWithoutSecret(known, view.faults) } };
        }
        if (isTaken(accounts, accessKeyId)) {
          throw new ManagementError(
            'EntityAlreadyExists',
            `there is a key ${accessKeyId} already, which is another one`,
          );
        }
        const document = withKeys(accounts, view, { ...user, keys: [...user.keys, key] });
        return { document, answer: { status: 201, body: keyWithoutSecret(key), after: keyWithoutSecret(key) } };
      });
    },

    deleteKey: ({ names: { account = '', user: name = '', accessKeyId = '' } }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const view = viewOfAccount(accounts, account);
        const user = requireAdded(view.added.users, { own: view.own?.users, what: 'user', name });
        const known = user.keys.find((one) => one.accessKeyId === accessKeyId) ?? missing('key', accessKeyId);
        const document = withKeys(accounts, view, { ...user, keys: user.keys.filter((one) => one !== known) });
        return { document, answer: { status: 204, before: keyWithoutSecret(known) }, isRemoval: true };
      }),
  };
}

function now(): string {
  return new Date().toISOString();
}

/** 80 random bits behind letters that no key of AWS begins with. */
function newKeyId(): string {
  return `S3GW${Array.from(randomBytes(16), (byte) => ID_CHARACTERS.charAt(byte & 31)).join('')}`;
}

/** @throws ManagementError UnmodifiableEntity, NoSuchEntity */
function userToAddTo({ own, added }: AccountView, name: string): ManagedUser {
  requireOurs(own?.users, name, 'user');
  return added.users.find((user) => user.name === name) ?? missing('user', name);
}

function isTaken({ document, operators }: AccountsView, accessKeyId: string): boolean {
  const own = operators.flatMap(({ keys, users }) => [...keys, ...users.flatMap((user) => user.keys)]);
  const added = document.accounts.flatMap(({ users }) => users.flatMap((user) => user.keys));
  return [...own, ...added].some((key) => key.accessKeyId === accessKeyId);
}

function withKeys({ document }: AccountsView, { added }: AccountView, user: ManagedUser): Edited<unknown>['document'] {
  return withAccount(document, { ...added, users: withNamed(added.users, user.name, user) });
}
