import { isDeepStrictEqual } from 'node:util';
import type { ManagedDocument } from '../../../config/schema-managed.ts';
import { bucketNamed } from '../../admin/manage/bucket-handlers.ts';
import type { ShownQuota } from '../../admin/manage/contract.ts';
import type { EndpointHandlers, ManagementAnswer } from '../../admin/manage/endpoints.ts';
import { ManagementError } from '../../admin/manage/management-error.ts';
import type { Call } from '../../observe/call.ts';
import { defined } from '../../observe/defined.ts';
import type { AccountsView, Edited, ManagedDocumentAccess } from './managed-accounts.ts';
import { missing, viewOfAccount, viewToAddTo, withAccount, withNamed } from './shown-accounts.ts';

type QuotaHandlers = Pick<
  EndpointHandlers,
  | 'getAccountQuota'
  | 'putAccountQuota'
  | 'deleteAccountQuota'
  | 'getBucketQuota'
  | 'putBucketQuota'
  | 'deleteBucketQuota'
>;

type StoredQuota = NonNullable<ManagedDocument['accounts'][number]['quota']>;

/** Quotas of accounts and buckets. The operator's own quota of an account is read only. */
export function quotaHandlers(managed: ManagedDocumentAccess): QuotaHandlers {
  return { ...ofAccounts(managed), ...ofBuckets(managed) };
}

function ofAccounts(
  managed: ManagedDocumentAccess,
): Pick<QuotaHandlers, 'getAccountQuota' | 'putAccountQuota' | 'deleteAccountQuota'> {
  return {
    async getAccountQuota({ names: { account = '' } }) {
      const { own, added } = viewOfAccount(await managed.view(), account);
      return { status: 200, body: shownQuota(own?.quota ?? added.quota ?? missing('quota of account', account)) };
    },
    putAccountQuota: ({ names: { account = '' }, body }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const { own, added } = viewToAddTo(accounts, account);
        if (own?.quota !== undefined) throw unmodifiable(account);
        const quota = body as StoredQuota;
        return quotaChange(accounts, { before: added.quota, quota }, () =>
          withAccount(accounts.document, { ...added, quota }),
        );
      }),
    deleteAccountQuota: ({ names: { account = '' } }, call) =>
      managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const { own, added } = viewOfAccount(accounts, account);
        const { quota: before, ...others } = added;
        if (before === undefined && own?.quota !== undefined) throw unmodifiable(account);
        if (before === undefined) missing('quota of account', account);
        const document = withAccount(accounts.document, others);
        return { document, answer: { status: 204, before: shownQuota(before) }, isRemoval: true };
      }),
  };
}

function ofBuckets(
  managed: ManagedDocumentAccess,
): Pick<QuotaHandlers, 'getBucketQuota' | 'putBucketQuota' | 'deleteBucketQuota'> {
  return {
    async getBucketQuota(request) {
      const name = bucketNamed(request);
      const { document } = await managed.view();
      return { status: 200, body: shownQuota(quotaOfBucket(document, name) ?? missing('quota of bucket', name)) };
    },
    putBucketQuota(request, call) {
      const name = bucketNamed(request);
      const quota = request.body as StoredQuota;
      return managed.change(call, (accounts): Edited<ManagementAnswer> => {
        const { document } = accounts;
        return quotaChange(accounts, { before: quotaOfBucket(document, name), quota }, () => ({
          ...document,
          buckets: withNamed(document.buckets, name, { name, quota }),
        }));
      });
    },
    deleteBucketQuota(request, call) {
      const name = bucketNamed(request);
      return managed.change(call, ({ document }): Edited<ManagementAnswer> => {
        const before = quotaOfBucket(document, name) ?? missing('quota of bucket', name);
        return {
          document: { ...document, buckets: withNamed(document.buckets, name) },
          answer: { status: 204, before: shownQuota(before) },
          isRemoval: true,
        };
      });
    },
  };
}

/**
 * Takes the quota of a bucket away that has been removed: another one of the name, maybe of another account, begins
 * without. @throws ManagementError
 */
export async function dropBucketQuota(managed: ManagedDocumentAccess, name: string, call: Call): Promise<void> {
  await managed.change(call, ({ document }): Edited<undefined> => {
    if (quotaOfBucket(document, name) === undefined) return { document, answer: undefined };
    const buckets = withNamed(document.buckets, name);
    return { document: { ...document, buckets }, answer: undefined, isRemoval: true };
  });
}

function quotaOfBucket({ buckets }: ManagedDocument, name: string): StoredQuota | undefined {
  return buckets.find((bucket) => bucket.name === name)?.quota;
}

function unmodifiable(account: string): ManagementError {
  return new ManagementError(
    'UnmodifiableEntity',
    `the quota of account ${account} stands in the operator's own files`,
  );
}

/** The same quota again changes nothing. */
function quotaChange(
  { document }: AccountsView,
  { before, quota }: { readonly before: StoredQuota | undefined; readonly quota: StoredQuota },
  changed: () => ManagedDocument,
): Edited<ManagementAnswer> {
  const body = shownQuota(quota);
  if (isDeepStrictEqual(before, quota)) return { document, answer: { status: 200, body } };
  return { document: changed(), answer: { status: 200, body, before: before && shownQuota(before), after: body } };
}

function shownQuota(quota: StoredQuota): ShownQuota {
  return defined(quota);
}
