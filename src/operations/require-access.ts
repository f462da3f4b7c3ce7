import { CREATION_KEYS } from '../access/creation-headers.ts';
import { type Resource, asksPolicies, authorize, isAllowed, namesKey } from '../access/authorize.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { OperationContext } from './operation.ts';

/**
 * Checks that the caller of an operation may do what it is about to do. Operations ask for permission here only.
 * @throws S3Error AccessDenied
 */
export function requireAccess(resource: Resource, context: OperationContext): void {
  const { principal, call, asked } = context;
  authorize(principal, ownAction(context), resource, { asked, facts: call.facts });
}

/**
 * The same for something that an operation does on the way, under another action that its row of the table names.
 * @throws S3Error AccessDenied
 */
export function requireAction(action: string, resource: Resource, context: OperationContext): void {
  const { principal, call, asked } = context;
  requireNamed(action, context.operation);
  authorize(principal, action, resource, { asked, facts: call.facts });
}

/** Whether the caller may do this: for behaviour that depends on a permission without being refused. */
export function mayAccess(action: string, resource: Resource, { principal, asked }: OperationContext): boolean {
  return isAllowed(principal, action, resource, asked);
}

/** The action of the operation, which may be another one when the request names a version. */
export function ownAction({ operation: { permission, versionPermission }, asked }: OperationContext): string {
  return versionPermission !== undefined && asked.query.get('versionId') !== undefined ? versionPermission : permission;
}

/** Chooses between the action for objects and the action for versions, by whether the request names a version. */
export function versioned(action: string, versionId: string | undefined): string {
  return versionId === undefined ? action : action.replace(/^(s3:(?:Get|Put|Delete)Object)/, '$1Version');
}

/** Whether policies apply to this caller and this bucket. If so, keys may be decided differently. */
export function dependsOnKeys(resource: Resource, { principal }: OperationContext): boolean {
  return asksPolicies(principal, resource);
}

/** Prefixes of condition keys: for the tags that an object has, and for those that a request would give it. */
export const EXISTING_TAG = 's3:existingobjecttag/';
export const REQUEST_TAG = 's3:requestobjecttag';
/** Prefixes of condition keys for the tags that a request would give a bucket, or take from it. */
const BUCKET_TAGS = ['aws:requesttag/', 'aws:tagkeys'];
export const OBJECT_LOCK = 's3:object-lock-';

/**
 * Whether a policy in force has a condition with such a key, so that its value has to be known before the decision.
 * @param prefix lower case
 */
export function dependsOn(prefix: string, resource: Resource, { principal }: OperationContext): boolean {
  return namesKey(principal, resource, [prefix]);
}

/**
 * Whether a policy in force asks of a part, or of the completion of an upload, what only the request that created the
 * upload could say.
 */
export function dependsOnCreation(resource: Resource, context: OperationContext): boolean {
  return ownAction(context) === 's3:PutObject' && namesKey(context.principal, resource, CREATION_KEYS);
}

/** Whether a policy in force asks for the tags that a request gives to a bucket. */
export function dependsOnBucketTags(resource: Resource, { principal }: OperationContext): boolean {
  return namesKey(principal, resource, BUCKET_TAGS);
}

/**
 * The operation table must name every action that an operation asks for, because the documentation is made from it.
 * @throws Error (a fault of the program)
 */
function requireNamed(action: string, { name, permission, versionPermission, adds }: OperationRow): void {
  if (action === permission || action === versionPermission || adds.some((added) => added.action === action)) return;
  throw new Error(`the operation table does not say that ${name} takes ${action}`);
}
