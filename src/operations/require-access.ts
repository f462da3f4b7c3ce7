import { type Resource, asksPolicies, authorize, isAllowed, namesKey } from '../access/authorize.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { OperationContext } from './operation.ts';

/**
 * Where operations ask whether their caller may do what they are about to do.
 * @throws S3Error AccessDenied
 */
export function requireAccess(resource: Resource, context: OperationContext): void {
  requireAction(ownAction(context), resource, context);
}

/** The same for what an operation does on the way, under an action that its row names. @throws S3Error AccessDenied */
export function requireAction(action: string, resource: Resource, context: OperationContext): void {
  const { principal, call, asked } = context;
  requireNamed(action, context.operation);
  authorize(principal, action, resource, { asked, facts: call.facts });
}

/** The same for what depends on it without being refused. */
export function mayAccess(action: string, resource: Resource, { principal, asked }: OperationContext): boolean {
  return isAllowed(principal, action, resource, asked);
}

/** The action of the operation, which may be another one when the request names a version. */
export function ownAction({ operation: { permission, versionPermission }, asked }: OperationContext): string {
  return versionPermission !== undefined && asked.query.get('versionId') !== undefined ? versionPermission : permission;
}

/** Of two actions, the one that fits what is named. */
export function versioned(action: string, versionId: string | undefined): string {
  return versionId === undefined ? action : action.replace(/^(s3:(?:Get|Put|Delete)Object)/, '$1Version');
}

/** Whether policies have a say about this caller and this bucket: then keys differ. */
export function dependsOnKeys(resource: Resource, { principal }: OperationContext): boolean {
  return asksPolicies(principal, resource);
}

/** Conditions on the tags that an object has, and on those that a request would give it, by prefix of their key. */
export const EXISTING_TAG = 's3:existingobjecttag/';
export const REQUEST_TAG = 's3:requestobjecttag';
export const OBJECT_LOCK = 's3:object-lock-';

/**
 * Whether a policy in force names such a key, so that what it says has to be known before the decision.
 * @param prefix lower case
 */
export function dependsOn(prefix: string, resource: Resource, { principal }: OperationContext): boolean {
  return namesKey(principal, resource, prefix);
}

/**
 * What is asked of callers stands in the operation table, from which the documentation is made.
 * @throws Error (a fault of the program)
 */
function requireNamed(action: string, { name, permission, versionPermission, adds }: OperationRow): void {
  if (action === permission || action === versionPermission || adds.some((added) => added.action === action)) return;
  throw new Error(`the operation table does not say that ${name} takes ${action}`);
}
