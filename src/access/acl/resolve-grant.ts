import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { ANONYMOUS_ID, type Grant, type Grantee, groupOfUri } from '../../protocol/acl/acl.ts';
import type { RequestedGrant, RequestedGrantee } from '../../protocol/acl/requested-grant.ts';
import type { AccountDirectory } from '../accounts.ts';

/** Where a grantee is looked up. */
interface GranteeScope {
  /** Canonical id of the owner of what the ACL is for. */
  readonly ownerId: string;
  readonly accounts: AccountDirectory;
  /** Nobody signed the request: it must not find out by an ACL who has an account here. */
  readonly isAnonymous: boolean;
}

/**
 * The grant with its grantee found: e-mail addresses become accounts, as they stand in every answer.
 * @throws S3Error InvalidArgument (no such account or group), UnresolvableGrantByEmailAddress,
 * AmbiguousGrantByEmailAddress
 */
export function resolveGrant({ grantee, permission }: RequestedGrant, scope: GranteeScope): Grant {
  return { grantee: RESOLVERS[grantee.type](grantee, scope), permission };
}

const RESOLVERS: Readonly<
  Record<RequestedGrantee['type'], (grantee: RequestedGrantee, scope: GranteeScope) => Grantee>
> = {
  id: ({ value, argument }, scope) => {
    // An owner may stand in an ACL although its account is no longer configured.
    const isKnown =
      value === scope.ownerId || value === ANONYMOUS_ID || scope.accounts.byCanonicalId(value) !== undefined;
    if (!isKnown) throw invalidArgument(argument, value, 'Invalid id');
    return accountGrantee(value, scope);
  },
  uri: ({ value, argument }) => {
    const group = groupOfUri(value);
    if (group === undefined) throw invalidArgument(argument, value, 'Invalid group uri');
    return { kind: 'group', group };
  },
  emailAddress: ({ value }, scope) => {
    const [account, another] = scope.isAnonymous ? [] : scope.accounts.byEmail(value);
    if (account === undefined) throw new S3Error('UnresolvableGrantByEmailAddress');
    if (another !== undefined) throw new S3Error('AmbiguousGrantByEmailAddress');
    return accountGrantee(account.canonicalId, scope);
  },
};

function accountGrantee(id: string, { ownerId }: GranteeScope): Grantee {
  return id === ownerId ? { kind: 'owner' } : { kind: 'account', id };
}
