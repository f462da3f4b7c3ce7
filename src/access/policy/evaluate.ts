import { type ConditionKeys, lookupName, type PolicyContext } from './context.ts';
import type { PolicyCondition, Effect, NamedPolicy, PatternSet, Statement } from './document.ts';
import { variablesOf } from './pattern.ts';
import { type Through, isNarrower, namedBy } from './principal.ts';

/**
 * What one statement answers: that it does not apply, because of the action, the resource, the principal or a
 * condition; or how it names the caller (`unnamed` where policies have no principals).
 */
export type Answer = Mismatch | PolicyCondition | Through | 'unnamed';

type Mismatch = 'otherAction' | 'otherResource' | 'otherPrincipal';

/** The answers of one document. */
export interface PolicyAnswer {
  readonly policy: NamedPolicy;
  /** Of its statements, in their order. Nothing is asked behind a statement that denies. */
  readonly answers: readonly Answer[];
}

/** A statement that applies to a request, with the policy that it stands in. */
export interface Spoken {
  readonly policy: NamedPolicy;
  readonly statement: Statement;
}

export interface Evaluation {
  /** `none`: no statement applies to the request. */
  readonly effect: 'deny' | 'allow' | 'none';
  /** The statement that decided. */
  readonly by?: Spoken;
  /** How the statement that allows names the caller; absent in policies without principals. */
  readonly through?: Through;
  /** The answers of each document that was asked. */
  readonly said: readonly PolicyAnswer[];
}

/**
 * Evaluates the policies of one side. The first statement that denies the request decides; without one, a statement
 * that allows it does (of several, the one that names the caller most narrowly).
 */
export function evaluate(policies: readonly NamedPolicy[], context: PolicyContext): Evaluation {
  const action = context.action.toLowerCase();
  const said: PolicyAnswer[] = [];
  let allowing: { readonly by: Spoken; readonly through?: Through } | undefined;
  for (const policy of policies) {
    const answers: Answer[] = [];
    said.push({ policy, answers });
    for (const statement of policy.document.statements) {
      const answer = ask(statement, action, context);
      answers.push(answer);
      if (!applies(answer)) continue;
      const by = { policy, statement };
      if (statement.effect === 'Deny') return { effect: 'deny', by, said };
      if (answer === 'unnamed') allowing ??= { by };
      else if (allowing === undefined || isNarrower(answer, allowing.through)) allowing = { by, through: answer };
    }
  }
  return allowing === undefined ? { effect: 'none', said } : { effect: 'allow', ...allowing, said };
}

export function applies(answer: Answer): answer is Through | 'unnamed' {
  return typeof answer === 'string' && !isMismatch(answer);
}

function isMismatch(answer: Answer): answer is Mismatch {
  return answer === 'otherAction' || answer === 'otherResource' || answer === 'otherPrincipal';
}

/** @param action lower case */
function ask(statement: Statement, action: string, context: PolicyContext): Answer {
  const { actions, resources, principals, effect, conditions } = statement;
  if (!includes(actions, action, context)) return 'otherAction';
  if (resources !== undefined && !speaksOf(resources, effect, context)) return 'otherResource';
  context.keys.spend?.(principals?.entries.length ?? 0);
  const through = principals && namedBy(principals, context.caller, effect);
  if (principals !== undefined && through === undefined) return 'otherPrincipal';
  for (const condition of conditions) {
    if (context.keys.isUnusable !== undefined && namesUnusable(condition, context.keys)) {
      if (effect === 'Allow') return condition;
      continue;
    }
    if (!condition.holds(context.keys)) return condition;
  }
  return through ?? 'unnamed';
}

/** Whether a condition asks for a key, or has a variable of one, whose value it cannot judge. */
function namesUnusable({ lookup, values }: PolicyCondition, keys: ConditionKeys): boolean {
  return [lookup, ...values.flatMap(variablesOf).map(lookupName)].some((key) => keys.isUnusable?.(key) === true);
}

/**
 * Whether a statement's resources take in the resource. With NotResource and a variable that has no value, nobody knows
 * what is left out, so an Allow does not count.
 */
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
  keys.spend?.(patterns.length);
  for (const pattern of patterns) if (pattern.matches(value, keys)) return !not;
  return not;
}
