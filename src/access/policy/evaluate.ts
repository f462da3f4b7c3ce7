import { type ConditionKeys, lookupName, type PolicyContext } from './context.ts';
import type { Condition, Effect, NamedPolicy, PatternSet } from './document.ts';
import { variablesOf } from './pattern.ts';
import { isNarrower, namedBy } from './principal.ts';
import { type Answer, type Candidate, type Evaluation, type Found, Said, evaluationOf, speaks } from './said.ts';
import { indexOf } from './statement-index.ts';
import { SteadyAnswer } from './steady.ts';

/**
 * Evaluates the policies of one side. The first statement that denies the request decides; without one, a statement
 * that allows it does (of several, the one that names the caller most narrowly).
 */
export function evaluate(policies: readonly NamedPolicy[], context: PolicyContext): Evaluation {
  const [only] = policies;
  if (only !== undefined && policies.length === 1) return evaluateOne(only, context);
  const said: Said[] = [];
  let allowing: Said | undefined;
  for (const policy of policies) {
    const one = askAll(policy, context);
    said.push(one);
    if (one.effect === 'deny') return evaluationOf(one, said);
    if (one.effect === 'none') continue;
    const isFirst = allowing === undefined;
    if (isFirst || (one.through !== undefined && isNarrower(one.through, allowing?.through))) allowing = one;
  }
  return allowing === undefined ? { effect: 'none', said } : evaluationOf(allowing, said);
}

export function evaluateOne(policy: NamedPolicy, context: PolicyContext): Evaluation {
  return askAll(policy, context).alone;
}

const NO_ANSWERS: readonly Answer[] = [];

/**
 * Asks the statements of one document, or takes their last answers where a request with the same facts was asked
 * before.
 */
function askAll(policy: NamedPolicy, context: PolicyContext): Said {
  const found = indexOf(policy.document).find(context.action, context.resource);
  const { steady: facts } = context;
  if (facts === undefined) return askEach(policy, found, context);
  const known = found.steady?.get(policy, facts);
  if (known !== undefined) return known;
  const said = askEach(policy, found, context);
  (found.steady ??= new SteadyAnswer(found.candidates)).keep(said, facts);
  return said;
}

/**
 * Asks each candidate. Makes a new list of answers only when they differ from the last ones; most requests get the same
 * answers.
 */
function askEach(policy: NamedPolicy, found: Found, context: PolicyContext): Said {
  const last = found.said?.policy === policy ? found.said : undefined;
  const known = last?.answers ?? NO_ANSWERS;
  let others: Answer[] | undefined;
  let at = 0;
  for (const candidate of found.candidates) {
    const answer = ask(candidate, context);
    if (others !== undefined) others.push(answer);
    else if (known[at] !== answer) others = [...known.slice(0, at), answer];
    at += 1;
    if (candidate.statement.effect === 'Deny' && speaks(answer)) break;
  }
  if (last !== undefined && others === undefined) return last;
  const said = new Said(policy, found, others ?? NO_ANSWERS);
  found.said = said;
  return said;
}

/** Asks one statement whose action fits. */
function ask({ statement, isAbout }: Candidate, context: PolicyContext): Answer {
  const { resources, principals, effect, conditions } = statement;
  if (!isAbout && resources !== undefined && !speaksOf(resources, effect, context)) return 'r';
  const through = principals && namedBy(principals, context.caller, effect);
  if (principals !== undefined && through === undefined) return 'p';
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
function namesUnusable({ lookup, values }: Condition, keys: ConditionKeys): boolean {
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
  return includes(resources, context.resource.text, context);
}

function includes({ not, patterns }: PatternSet, value: string, { keys }: PolicyContext): boolean {
  keys.spend?.(patterns.length);
  for (const pattern of patterns) {
    const { start, behind } = pattern;
    if (start !== undefined) {
      if (behind === 'nothing' ? value.length !== start.length : value.length < start.length) continue;
      if (!value.startsWith(start)) continue;
    }
    if (behind !== undefined || pattern.matches(value, keys)) return !not;
  }
  return not;
}
