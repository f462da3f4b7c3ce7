import { CREATION_KEYS } from '../access/creation-headers.ts';
import { type Resource, asksPolicies, authorize, isAllowed, namesKey } from '../access/authorize.ts';
import type { Bucket } from '../manifest/index.ts';
import type { Addition, DecidedOn } from '../protocol/operation-row.ts';
import type { OperationContext, RequestContext } from './operation.ts';

/*
 * Operations ask for permission here only. `perform.ts` decides by the row of the operation table whether the caller
 * may do what the operation is for, before it runs. Two things are left to operations: they make a decision that waited
 * for what only they find out (`requireDeferred`), and they say what a request asks for besides (`requireAlso`). The
 * row says which actions that takes.
 */

/** Prefixes of condition keys (lower case) that are asked of what a decision waits for. */
const EXISTING_TAG = 's3:existingobjecttag/';
const KEYS: Readonly<Record<DecidedOn, 'always' | 'any' | readonly string[]>> = {
  object: 'always',
  upload: 'always',
  creation: CREATION_KEYS,
  existingTags: [EXISTING_TAG],
  objectTags: [EXISTING_TAG, 's3:requestobjecttag'],
  bucketTags: ['aws:requesttag/', 'aws:tagkeys'],
  lock: ['s3:object-lock-'],
  inventoryFields: ['s3:inventoryaccessibleoptionalfields'],
  keys: 'any',
};

/** What the decision about this request waits for; undefined: nothing, it can be made now. */
export function waitsFor(
  bucket: Bucket,
  { operation: { decidedOn }, principal }: RequestContext,
): DecidedOn | undefined {
  if (decidedOn === undefined) return undefined;
  const keys = KEYS[decidedOn];
  const waits =
    keys === 'always' || (keys === 'any' ? asksPolicies(principal, { bucket }) : namesKey(principal, { bucket }, keys));
  return waits ? decidedOn : undefined;
}

/** Checks that the caller may do what the operation is for. @throws S3Error AccessDenied */
export function requireAccess(resource: Resource, context: RequestContext): void {
  const { principal, call, asked } = context;
  authorize(principal, ownAction(context), resource, { asked, facts: call.facts });
}

/** The same where that was not decided before the operation began. @throws S3Error AccessDenied */
export function requireDeferred(resource: Resource, context: OperationContext): void {
  if (context.undecided !== undefined) requireAccess(resource, context);
}

/**
 * Checks that the caller may do what this request asks for besides: the actions that the operation's row names for it.
 * @throws S3Error AccessDenied
 */
export function requireAlso(what: Addition, resource: Resource, context: RequestContext): void {
  const { principal, call, asked } = context;
  for (const action of addedActions(what, resource, context)) {
    authorize(principal, action, resource, { asked, facts: call.facts });
  }
}

/** Whether the caller may do that: for answers that leave something out without it. */
export function mayAlso(what: Addition, resource: Resource, context: RequestContext): boolean {
  return addedActions(what, resource, context).every((action) => mayAccess(action, resource, context));
}

/** Whether the caller may do this: for behaviour that depends on a permission without being refused. */
export function mayAccess(action: string, resource: Resource, { principal, asked }: RequestContext): boolean {
  return isAllowed(principal, action, resource, asked);
}

/** The action of the operation, which may be another one when the request names a version. */
export function ownAction({ operation: { permission, versionPermission }, asked }: RequestContext): string {
  return versionPermission !== undefined && asked.query.get('versionId') !== undefined ? versionPermission : permission;
}

/**
 * The actions that the row of the operation names for an addition: for versions if the resource is one.
 * @throws Error: it names none, which is a fault of the program
 */
function addedActions(
  what: Addition,
  { versionId }: Pick<Resource, 'versionId'>,
  { operation: { name, adds } }: RequestContext,
): string[] {
  const isVersion = versionId !== undefined;
  const rows = adds.filter((row) => row.for === what && (row.ofVersion === true) === isVersion);
  if (rows.length === 0) throw new Error(`the operation table does not say what ${what} takes of ${name}`);
  return rows.map(({ action }) => action);
}

/** Whether policies apply to this caller and this bucket. If so, keys may be decided differently. */
export function dependsOnKeys({ bucket, principal }: Pick<OperationContext, 'bucket' | 'principal'>): boolean {
  return asksPolicies(principal, { bucket });
}

/** Whether a policy in force asks for the tags that an object has. */
export function dependsOnExistingTags({ bucket, principal }: Pick<OperationContext, 'bucket' | 'principal'>): boolean {
  return namesKey(principal, { bucket }, [EXISTING_TAG]);
}

/** Whether a policy of the caller asks for the tags that a new bucket gets. */
export function dependsOnNewTags({ principal }: RequestContext): boolean {
  return namesKey(principal, {}, ['aws:requesttag/', 'aws:tagkeys']);
}
