import { type Principal, type Tags, permissionsOf } from '../accounts.ts';
import type { Role } from '../identities/identities.ts';
import type { ConditionKeys, PolicyCaller } from '../policy/context.ts';
import { evaluate } from '../policy/evaluate.ts';
import { PolicyWork, TooMuchWork } from '../policy/work.ts';
import { tagOf } from '../tag-keys.ts';

/** What is asked of a role, and by whom. */
interface Assumption {
  readonly role: Role;
  readonly action: 'sts:AssumeRole' | 'sts:AssumeRoleWithWebIdentity' | 'sts:TagSession' | 'sts:SetSourceIdentity';
  readonly caller: PolicyCaller;
  /** Signed calls: who makes them. Web identities have none. */
  readonly principal?: Extract<Principal, { kind: 'account' }>;
  readonly keys: ConditionKeys;
}

/**
 * Whether a role may be assumed (or its session be tagged). A trust policy that names the caller itself is enough
 * within an account; one that names the account leaves it to the policies of the caller; of another account both must
 * allow it. Whatever denies is the end.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function mayAssume(assumption: Assumption): boolean {
  try {
    return isAllowed(assumption);
  } catch (error) {
    if (error instanceof TooMuchWork) return false;
    throw error;
  }
}

function isAllowed({ role, action, caller, principal, keys }: Assumption): boolean {
  const context = { caller, action, resource: role.arn, keys };
  const trust = evaluate([{ name: `trust policy of ${role.name}`, document: role.trust }], context);
  if (trust.effect !== 'allow') return false;
  if (principal === undefined) return true;
  const { session } = principal;
  const permissions = permissionsOf(principal);
  const own = permissions === 'account' ? 'allow' : evaluate(permissions, context).effect;
  const narrowed = session?.policies === undefined ? 'allow' : evaluate(session.policies, context).effect;
  if (own === 'deny' || narrowed === 'deny') return false;
  const isNamed = trust.through === 'caller' || trust.through === 'role';
  const isSame = caller.accountNumber === role.account.accountNumber;
  // A session that is named by its role only is held to what its own policy lets through.
  if (isSame && isNamed && (trust.through === 'caller' || narrowed === 'allow')) return true;
  return own === 'allow' && narrowed === 'allow';
}

/** What conditions ask for besides values. */
interface AssumptionTags {
  /** Those of the session that is to be made. */
  readonly asked: Tags;
  /** Those of the caller. */
  readonly principal?: Tags | undefined;
  /** Those of the role. */
  readonly role?: Tags | undefined;
  /** Names of keys that the call has with values which no condition can judge. */
  readonly unusable?: ReadonlySet<string>;
}

/**
 * What a call says for conditions.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awssecuritytokenservice.html
 * @param values by lower-case name
 */
export function assumptionKeys(
  values: Readonly<Record<string, string | readonly string[] | undefined>>,
  { asked, principal, role, unusable }: AssumptionTags,
): ConditionKeys {
  const work = new PolicyWork(() => JSON.stringify([values, asked, principal, role]).length);
  const byPrefix: ReadonlyMap<string, Tags | undefined> = new Map([
    ['aws:requesttag', asked],
    ['aws:principaltag', principal],
    ['aws:resourcetag', role],
    ['iam:resourcetag', role],
  ]);
  return {
    spend: (steps) => work.spend(steps),
    ...(unusable !== undefined && unusable.size > 0 && { isUnusable: (key: string) => unusable.has(key) }),
    get(key) {
      const slash = key.indexOf('/');
      const tags = slash < 0 ? undefined : byPrefix.get(key.slice(0, slash));
      if (tags !== undefined) return tagOf(tags, key.slice(slash + 1));
      if (key === 'aws:tagkeys') return Object.keys(asked).length === 0 ? undefined : Object.keys(asked);
      return Object.hasOwn(values, key) ? values[key] : undefined;
    },
  };
}
