import { resolveGrant } from '../../access/acl/resolve-grant.ts';
import { invalidArgument, S3Error } from '../../errors/s3-error.ts';
import { parseAclDocument } from '../../protocol/acl/acl-document.ts';
import type { Acl } from '../../protocol/acl/acl.ts';
import { type CannedTarget, expandCanned } from '../../protocol/acl/canned.ts';
import { hasGrantHeaders, parseGrantHeaders } from '../../protocol/acl/grant-headers.ts';
import type { RequestedGrant } from '../../protocol/acl/requested-grant.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import type { OperationContext } from '../operation.ts';

export const CANNED_HEADER = 'x-amz-acl';

/** What an ACL is for, and whose it will be. */
export interface AclTarget extends CannedTarget {
  /** Ignore `x-amz-grant-write`, which CopyObject does not have. */
  readonly ignoreWrite?: boolean;
}

/** The caller, and the accounts that grantees are looked up in. */
type AclAsker = Pick<OperationContext, 'accounts' | 'principal'>;

/**
 * The ACL that `x-amz-acl` or the `x-amz-grant-*` headers ask for; undefined when they are absent. Grants are the whole
 * ACL: nothing is added for the owner, who can always read and change it.
 * @throws S3Error InvalidRequest (both), InvalidArgument, MalformedACLError, UnresolvableGrantByEmailAddress,
 * AmbiguousGrantByEmailAddress
 */
export function headerAcl(headers: HeaderReader, target: AclTarget, asker: AclAsker): Acl | undefined {
  const canned = headers.get(CANNED_HEADER);
  const ignored = target.ignoreWrite === true ? 'WRITE' : undefined;
  if (canned !== undefined && hasGrantHeaders(headers, ignored)) {
    throw new S3Error('InvalidRequest', { message: 'Specifying both Canned ACLs and Header Grants is not allowed' });
  }
  if (canned !== undefined) return expandCanned(canned, target);
  const grants = parseGrantHeaders(headers, ignored);
  return grants && resolved(grants, target, asker);
}

interface AclRequest {
  readonly headers: HeaderReader;
  readonly body: Buffer;
}

/**
 * The ACL of a PutBucketAcl or PutObjectAcl, which stands either in headers or in the body.
 * @throws S3Error UnexpectedContent, MissingSecurityHeader, AccessDenied (another owner), and as `headerAcl`
 */
export function requestedAcl({ headers, body }: AclRequest, target: AclTarget, asker: AclAsker): Acl {
  // As on AWS, a request with both is refused before either is parsed.
  if (body.length > 0 && (headers.get(CANNED_HEADER) !== undefined || hasGrantHeaders(headers))) {
    throw new S3Error('UnexpectedContent');
  }
  const named = headerAcl(headers, target, asker);
  if (named !== undefined) return named;
  if (body.length === 0) throw new S3Error('MissingSecurityHeader', { extra: { MissingHeaderName: CANNED_HEADER } });
  const { ownerId, grants } = parseAclDocument(body);
  if (ownerId !== undefined && ownerId !== target.ownerId) throw anotherOwner(ownerId);
  return resolved(grants, target, asker);
}

const CANONICAL_ID = /^[0-9a-f]{64}$/;

/** The owner cannot be changed; what no account can have as its id is no owner at all. */
function anotherOwner(ownerId: string): S3Error {
  if (!CANONICAL_ID.test(ownerId)) return invalidArgument('CanonicalUser/ID', ownerId, 'Invalid id');
  return new S3Error('AccessDenied', { cause: new Error('the owner cannot be changed') });
}

function resolved(grants: readonly RequestedGrant[], { ownerId }: AclTarget, { accounts, principal }: AclAsker): Acl {
  const scope = { ownerId, accounts, isAnonymous: principal.kind === 'anonymous' };
  return grants.map((grant) => resolveGrant(grant, scope));
}

/** Three times the size of 100 grants with long names. */
export const MAX_ACL_BODY = 256 * 1024;
