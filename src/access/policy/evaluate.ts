import type { PolicyContext } from './context.ts';
import type { Condition, Effect, NamedPolicy, PatternSet, Statement } from './document.ts';
import { type Through, isNarrower, namedBy } from './principal.ts';

/** Why a statement does not speak about a request. */
type Mismatch = 'principal' | 'action' | 'resource' | 'condition';

/** One statement that was asked. */
export interface LookedAt {
  readonly policy: NamedPolicy;
  readonly statement: Statement;
  /** Undefined: it speaks about the request. */
  readonly mismatch: Mismatch | undefined;
  /** With `condition`: the first that does not hold. */
  readonly condition?: Condition;
}

export interface Evaluation {
  /** `none`: nothing speaks about the request. */
  readonly effect: 'deny' | 'allow' | 'none';
  /** The statement that made it so. */
  readonly by?: LookedAt;
  /** How the statement that allows names the caller; absent in policies without principals. */
  readonly through?: Through;
  /** In order; nothing behind a statement that denies. */
  readonly looked: readonly LookedAt[];
}

/**
 * What documents of one kind say to a request: the first statement that denies it, else the one that allows it (of
 * several, the one that names the caller most narrowly).
 */
export function evaluate(policies: readonly NamedPolicy[], context: PolicyContext): Evaluation {
  const looked: LookedAt[] = [];
  let by: LookedAt | undefined;
  let through: Through | undefined;
  for (const policy of policies) {
    for (const statement of policy.document.statements) {
      const asked = ask(policy, statement, context);
      looked.push(asked);
      if (asked.mismatch !== undefined) continue;
      if (statement.effect === 'Deny') return { effect: 'deny', by: asked, looked };
      const named = asked.through;
      if (by === undefined || (named !== undefined && isNarrower(named, through))) {
        by = asked;
        through = named;
      }
    }
  }
  if (by === undefined) return { effect: 'none', looked };
  return { effect: 'allow', by, ...(through !== undefined && { through }), looked };
}

interface Asked extends LookedAt {
  readonly through?: Through;
}

function ask(policy: NamedPolicy, statement: Statement, context: PolicyContext): Asked {
  const { action, keys, caller } = context;
  const { principals } = statement;
  if (!includes(statement.actions, action.toLowerCase(), context)) return { policy, statement, mismatch: 'action' };
  if (statement.resources !== undefined && !speaksOf(statement.resources, statement.effect, context)) {
    return { policy, statement, mismatch: 'resource' };
  }
  const through = principals && namedBy(principals, caller, statement.effect);
  if (principals !== undefined && through === undefined) return { policy, statement, mismatch: 'principal' };
  for (const condition of statement.conditions) {
    if (!condition.holds(keys)) return { policy, statement, mismatch: 'condition', condition };
  }
  return { policy, statement, mismatch: undefined, ...(through !== undefined && { through }) };
}

/** What a variable without value leaves out, nobody knows: an Allow that leaves it out allows nothing. */
function speaksOf(resources: PatternSet, effect: Effect, context: PolicyContext): boolean {
  if (
    resources.not &&
    effect === 'Allow' &&
    resources.patterns.some(({ resolves }) => resolves?.(context.keys) === false)
  ) {
    return false;
  }
  return includes(resources, context.resource, context);
}

function includes({ not, patterns }: PatternSet, value: string, { keys }: PolicyContext): boolean {
  for (const pattern of patterns) {
    if (pattern.matches(value, keys)) return !not;
  }
  return not;
}
