import { S3Error } from '../errors/s3-error.ts';
import type { AccessDecision, AccessRule } from '../observe/access-facts.ts';
import type { CallFacts } from '../observe/call-facts.ts';
import type { HeaderReader } from '../protocol/request.ts';
import { type Principal, permissionsOf } from './accounts.ts';
import { type OwnedResource, byOwnership } from './acl/by-ownership.ts';
import { inForce } from './acl/in-force.ts';
import { type Owned, owns } from './acl/permits.ts';
import { type BucketPolicy, policyOf } from './bucket-policy.ts';
import { S3_ACTIONS } from './policy/actions.ts';
import { policyCaller } from './policy-caller.ts';
import { ANY_RESOURCE, type ConditionKeys, type PolicyContext } from './policy/context.ts';
import { type Evaluation, type PolicyAnswer, evaluate } from './policy/evaluate.ts';
import type { NamedPolicy } from './policy/document.ts';
import { TooMuchWork } from './policy/work.ts';
import { type Side, explain } from './reasons.ts';
import { type AskedRequest, NO_REQUEST, decisionKeys } from './request-keys.ts';

export type { StartedUpload } from './acl/by-ownership.ts';

/** What an action touches. */
export interface Resource extends OwnedResource {
  /** Absent: that of the request. */
  readonly key?: string;
  /** Of an object that is not the request's own. */
  readonly versionId?: string | undefined;
  readonly object?: ReadObject;
  /** What the body of the request says, for conditions. */
  readonly says?: ConditionKeys;
  /** Headers of the request that created the upload which a part is for. */
  readonly creation?: HeaderReader;
}

interface ReadObject extends Owned {
  readonly tags?: readonly { readonly key: string; readonly value: string }[] | undefined;
}

/**
 * The one decision on what a caller may do, and what made it. Nothing is allowed unless something allows it:
 *
 * 1. If a statement in any policy in force denies the request, the request is refused.
 * 2. An account, and whoever acts as it, may do what the account owns or is granted by an ACL (`acl/by-ownership.ts`).
 *    A user of it also needs its own policies to allow it, and a session the session's policies, too.
 * 3. The bucket's policy lets in whom it names. Callers of the bucket's account then need no policy of their own;
 *    callers of other accounts need both.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 *
 * @param action IAM action, e.g. `s3:PutObject`
 * @param asked what the request says, for conditions
 */
export function decide(
  principal: Principal,
  action: string,
  resource: Resource = {},
  asked: AskedRequest = NO_REQUEST,
): AccessDecision {
  const owning = byOwnership(principal, action, resource);
  const policies = policiesInForce(principal, resource);
  if (policies === undefined) return owning;
  return byPolicies({ principal, action, resource, asked, owning, policies });
}

/** What a decision is made for, where that is known. */
interface Behind {
  readonly asked?: AskedRequest;
  readonly facts?: CallFacts;
}

/**
 * @param facts of the call that the decision is made for: it is noted there
 * @throws S3Error AccessDenied
 */
export function authorize(
  principal: Principal,
  action: string,
  resource: Resource = {},
  { asked, facts }: Behind = {},
): void {
  const decision = decide(principal, action, resource, asked);
  facts?.noteAuthorization(action, decision);
  if (!decision.allowed) {
    throw new S3Error('AccessDenied', { cause: new Error(`${describe(principal)} may not ${action}`) });
  }
}

/** Decides without refusing: for answers that only look different without the permission. */
export function isAllowed(principal: Principal, action: string, resource: Resource, asked?: AskedRequest): boolean {
  return decide(principal, action, resource, asked).allowed;
}

/** The documents that decide. `account`: no policy of the caller's own limits the caller. */
interface Policies {
  readonly identity: 'account' | readonly NamedPolicy[];
  readonly session: readonly NamedPolicy[] | undefined;
  readonly bucket: BucketPolicy | undefined;
}

/** Undefined: there is none, so ownership and ACLs alone decide. */
function policiesInForce(principal: Principal, { bucket }: Resource): Policies | undefined {
  // No policy of its own limits an account itself: policies belong to its users and sessions.
  const isUser = principal.kind === 'account' && principal.user !== undefined;
  const permissions = isUser ? permissionsOf(principal) : 'account';
  const session = principal.kind === 'account' ? principal.session : undefined;
  const ofBucket = bucket?.settings.policy === undefined ? undefined : policyOf(bucket);
  if (permissions === 'account' && session?.policies === undefined && ofBucket === undefined) return undefined;
  return {
    identity: permissions,
    session: session?.policies,
    bucket: ofBucket,
  };
}

/** Whether any document is asked about this caller and this bucket. */
export function asksPolicies(principal: Principal, resource: Resource): boolean {
  return policiesInForce(principal, resource) !== undefined;
}

/**
 * Whether a document in force has a condition on a key with one of these prefixes (lower case). If so, the caller must
 * find out what the key says before it asks for the decision.
 */
export function namesKey(principal: Principal, resource: Resource, prefixes: readonly string[]): boolean {
  const { identity = 'account', session = [], bucket } = policiesInForce(principal, resource) ?? {};
  const documents = [
    ...(identity === 'account' ? [] : identity),
    ...session,
    ...(bucket === undefined ? [] : [bucket]),
  ];
  const isMeant = (key: string): boolean => prefixes.some((prefix) => key.startsWith(prefix));
  return documents.some(({ document }) => document.keys.some(isMeant));
}

interface Question {
  readonly principal: Principal;
  readonly action: string;
  readonly resource: Resource;
  readonly asked: AskedRequest;
  readonly owning: AccessDecision;
  readonly policies: Policies;
}

const POLICY_ACTIONS: ReadonlySet<string> = new Set([
  's3:GetBucketPolicy',
  's3:PutBucketPolicy',
  's3:DeleteBucketPolicy',
]);

/** What the documents of each side come to; undefined: there are none on that side. */
type BySide = Readonly<Record<Side, Evaluation | undefined>>;

function byPolicies(question: Question): AccessDecision {
  const { principal, action } = question;
  const resource = arnOf(question);
  const context = { caller: policyCaller(principal), action, resource, keys: decisionKeys(action, question) };
  const bySide = askWithinBounds(question, context);
  if (bySide === undefined) return { allowed: false, rule: 'policyWork' };
  const { allowed, rule, by, lacking = [] } = conclude(bySide, question);
  const said = saidOf(bySide);
  return { allowed, rule, reasons: () => explain({ action, resource, said, by, lacking, principal }) };
}

function saidOf({ identity, session, bucket }: BySide): readonly PolicyAnswer[] {
  return [...(identity?.said ?? []), ...(session?.said ?? []), ...(bucket?.said ?? [])];
}

/** Asks all documents. Undefined: that takes more work than one decision may cost. */
function askWithinBounds(question: Question, context: PolicyContext): BySide | undefined {
  try {
    return ask(question, context);
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

function ask({ principal, action, resource, policies }: Question, context: PolicyContext): BySide {
  const locksOwnerOut = POLICY_ACTIONS.has(action) && isRootOf(principal, resource);
  return {
    identity: policies.identity === 'account' ? undefined : evaluate(policies.identity, context),
    session: policies.session && evaluate(policies.session, context),
    // A bucket's policy cannot keep the root of the owning account from reading, putting and deleting it: otherwise a
    // policy that denies everybody could never be removed.
    bucket: policies.bucket && !locksOwnerOut ? evaluate([policies.bucket], context) : undefined,
  };
}

interface Conclusion {
  readonly allowed: boolean;
  readonly rule: AccessRule;
  readonly by?: Evaluation['by'];
  /** The sides whose permission is missing; absent: none is. */
  readonly lacking?: readonly Side[];
}

function conclude(bySide: BySide, question: Question): Conclusion {
  if (bySide.identity?.effect === 'deny') return denial('identityPolicy', bySide.identity);
  if (bySide.session?.effect === 'deny') return denial('sessionPolicy', bySide.session);
  if (bySide.bucket?.effect === 'deny') return denial('bucketPolicy', bySide.bucket);
  return (
    byHimself(bySide, question) ??
    byBucket(bySide, question) ?? { allowed: false, rule: 'none', lacking: lackingSides(bySide, question) }
  );
}

function denial(rule: AccessRule, { by }: Evaluation): Conclusion {
  return { allowed: false, rule, by };
}

/**
 * Whether the caller's identity (`has`) and session (`within`) allow this. Accounts and anonymous callers have no
 * policies of their own, which counts as allowed.
 */
function own(bySide: BySide): { readonly has: boolean; readonly within: boolean } {
  return {
    has: bySide.identity === undefined || bySide.identity.effect === 'allow',
    within: bySide.session === undefined || bySide.session.effect === 'allow',
  };
}

/**
 * Allows what the caller's account owns or an ACL grants, if the caller's own policies allow it too. In buckets of the
 * caller's own account, a grant to everybody needs no policy of the caller's.
 */
function byHimself(bySide: BySide, { owning, principal, action, resource }: Question): Conclusion | undefined {
  if (!owning.allowed) return undefined;
  const { has, within } = own(bySide);
  if (has && within) {
    return {
      allowed: true,
      rule: bySide.identity === undefined ? owning.rule : 'identityPolicy',
      by: bySide.identity?.by,
    };
  }
  const ownsIt = resource.bucket !== undefined && owns(principal, resource.object ?? resource.bucket);
  const { rule } = byOwnership({ kind: 'anonymous' }, action, resource);
  return ownsIt && within && rule === 'aclAllUsers' ? { allowed: true, rule } : undefined;
}

function byBucket(
  bySide: BySide,
  { principal, resource: { bucket, object }, policies, action }: Question,
): Conclusion | undefined {
  if (bySide.bucket?.effect !== 'allow' || bucket === undefined) return undefined;
  const isOwn = principal.kind === 'account' && owns(principal, bucket);
  if (
    !isOwn &&
    policies.bucket?.isPublic === true &&
    bucket.settings.publicAccessBlock?.restrictPublicBuckets === true
  ) {
    return undefined;
  }
  // A bucket's policy covers only objects that the bucket's owner owns.
  const isForeign =
    object !== undefined && S3_ACTIONS.get(action) === 'object' && inForce(object, bucket).ownerId !== bucket.ownerId;
  if (isForeign) return undefined;
  const { has, within } = own(bySide);
  const { through, by } = bySide.bucket;
  const granted: Conclusion = { allowed: true, rule: 'bucketPolicy', by };
  if (has && within) return granted;
  if (!isOwn || through === 'account') return undefined;
  return within || through === 'caller' ? granted : undefined;
}

function lackingSides(bySide: BySide, { owning, principal, resource: { bucket } }: Question): Side[] {
  const { has, within } = own(bySide);
  const needsBucket =
    !owning.allowed &&
    bucket !== undefined &&
    bySide.bucket?.effect !== 'allow' &&
    !(principal.kind === 'account' && owns(principal, bucket));
  return [
    ...(has ? [] : (['identity'] as const)),
    ...(within ? [] : (['session'] as const)),
    ...(needsBucket ? (['bucket'] as const) : []),
  ];
}

function isRootOf(principal: Principal, { bucket }: Resource): boolean {
  return (
    principal.kind === 'account' &&
    principal.user === undefined &&
    principal.session?.policies === undefined &&
    bucket !== undefined &&
    owns(principal, bucket)
  );
}

/** The ARN of the resource that the action touches. */
function arnOf({ action, resource: { bucket, key }, asked }: Question): string {
  const level = S3_ACTIONS.get(action);
  const name = bucket?.name ?? (action === 's3:CreateBucket' ? asked.bucket : undefined);
  if (name === undefined || level === 'other' || level === undefined) return ANY_RESOURCE;
  if (level === 'bucket') return `arn:aws:s3:::${name}`;
  const named = key ?? asked.key;
  if (named === undefined) throw new Error(`${action} is asked without a key`);
  return `arn:aws:s3:::${name}/${named}`;
}

/** Who the caller is, for the cause in logs: an answer never says why it refuses. */
function describe(principal: Principal): string {
  if (principal.kind === 'anonymous') return 'an anonymous caller';
  return principal.user === undefined ? `account ${principal.account.name}` : `user ${principal.user.arn}`;
}
