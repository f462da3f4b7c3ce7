import { owns } from '../access/acl/permits.ts';
import type { Principal } from '../access/accounts.ts';
import { S3Error } from '../errors/s3-error.ts';
import type { Bucket } from '../manifest/index.ts';
import type { Occasion } from '../observe/call.ts';
import { ACCOUNT_HEADER } from '../protocol/address.ts';
import type { S3Request } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';
import { callerId, namedBucket } from './named-bucket.ts';
import type { AnyOperation, OperationContext, RequestContext } from './operation.ts';
import { requireAccess, waitsFor } from './permission.ts';

/**
 * Runs an operation: in the bucket that the request names, once it is found and the caller may, as far as that can be
 * known by now. @throws S3Error
 */
export async function perform(
  operation: AnyOperation,
  request: S3Request,
  context: RequestContext,
): Promise<S3Response> {
  if (typeof operation !== 'function') return operation.withoutBucket(request, context);
  return operation(request, await inBucket(request, context));
}

/**
 * Finds the bucket that a request names, and decides by the operation's row of the table whether the caller may. The
 * order of checks is S3's: the bucket exists, expected owner, permission. @throws S3Error NoSuchBucket, AccessDenied,
 * MethodNotAllowed (permitted, and for the owner's account alone), and as `namedBucket`
 */
export async function inBucket(request: S3Request, context: RequestContext): Promise<OperationContext> {
  const { operation } = context;
  if (operation.level === 'control') requireOwnAccount(request, context);
  const bucket = await namedBucket(request, context);
  const undecided = waitsFor(bucket, context);
  if (undecided === undefined) requireAccess({ bucket }, context);
  if (operation.ownersOnly) requireOwnersAccount(bucket, context);
  const { notifications } = bucket.settings;
  const call = notifications === undefined ? context.call : { ...context.call, occasion: occasionOf(context) };
  return { ...context, call, bucket, undecided };
}

/** What events say of the request. */
function occasionOf({ operation, principal, asked, hostId }: RequestContext): Occasion {
  const sourceAddress = asked.clientAddress ?? '';
  const principalId = principalIdOf(principal);
  const requester = principal.kind === 'anonymous' ? principalId : principal.account.accountNumber;
  return { operation: operation.name, principalId, requester, sourceAddress, hostId };
}

function principalIdOf(principal: Principal): string {
  if (principal.kind === 'anonymous') return 'Anonymous';
  return `AWS:${principal.user?.id ?? principal.account.accountNumber}`;
}

/** A call of S3 Control names an account, which must be the caller's own. @throws S3Error AccessDenied */
function requireOwnAccount({ headers }: S3Request, { principal }: RequestContext): void {
  const own = principal.kind === 'anonymous' ? undefined : principal.account.accountNumber;
  if (own === undefined || headers.get(ACCOUNT_HEADER) !== own) throw new S3Error('AccessDenied');
}

/** A bucket's policy is for its owner's account alone, whomever the policy lets. @throws S3Error MethodNotAllowed */
function requireOwnersAccount(bucket: Bucket, context: RequestContext): void {
  callerId(context);
  if (owns(context.principal, bucket)) return;
  throw new S3Error('MethodNotAllowed', {
    extra: { Method: context.operation.method, ResourceType: 'BUCKETPOLICY' },
    headers: { allow: '' },
  });
}
