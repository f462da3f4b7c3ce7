import { type ConditionKeys, lookupName } from './context.ts';
import type { PolicyCondition } from './document.ts';
import { OPERATORS, type Operator, type Test } from './operators.ts';

type Quantifier = 'foranyvalue' | 'forallvalues';

const OPERATOR = /^(?:(ForAnyValue|ForAllValues):)?([A-Za-z]+?)(IfExists)?$/i;
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const MAX_LABEL = 256;

interface ConditionText {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

/** What is wrong with a condition: there is no such operator, or it cannot take this value. */
type ConditionFault = { readonly kind: 'operator' } | { readonly kind: 'value'; readonly value: string };

/** One operator and one key, ready to be asked. */
export function compileCondition(
  text: ConditionText,
  options: { readonly variables: boolean },
): PolicyCondition | ConditionFault {
  const [, quantifier, name = '', ifExists] = OPERATOR.exec(text.operator) ?? [];
  const lookup = lookupName(text.key);
  const told = { ...text, lookup, label: `${text.operator} ${text.key}`.slice(0, MAX_LABEL) };
  if (name.toLowerCase() === 'null' && ifExists === undefined && quantifier === undefined) {
    return compileNull(told);
  }
  const operator = OPERATORS.get(name.toLowerCase());
  if (operator === undefined) return { kind: 'operator' };
  const tests: Test[] = [];
  for (const value of text.values) {
    const test = operator.compile(value, options);
    if (test === undefined) return { kind: 'value', value };
    tests.push(test);
  }
  const asked = {
    operator,
    tests,
    ifExists: ifExists !== undefined,
    quantifier: quantifier?.toLowerCase() as Quantifier | undefined,
  };
  return {
    ...told,
    holds(keys) {
      keys.spend?.(PER_CONDITION);
      return ask(keys.get(lookup), asked, keys);
    },
  };
}

export function isConditionFault(compiled: PolicyCondition | ConditionFault): compiled is ConditionFault {
  return 'kind' in compiled;
}

function compileNull(told: Omit<PolicyCondition, 'holds'>): PolicyCondition | ConditionFault {
  const { values, lookup } = told;
  const wanted = values.map((value) => TRUTH.get(value.toLowerCase()));
  const wrong = wanted.indexOf(undefined);
  if (wrong >= 0) return { kind: 'value', value: values[wrong] ?? '' };
  return {
    ...told,
    holds(keys) {
      keys.spend?.(PER_CONDITION);
      return wanted.includes(isAbsent(keys.get(lookup)));
    },
  };
}

function isAbsent(given: string | readonly string[] | undefined): given is undefined {
  return given === undefined || (typeof given !== 'string' && given.length === 0);
}

/** Steps: what it takes to ask for a key, and to hold one value against another. What takes more counts that itself. */
const PER_CONDITION = 30;
const PER_TEST = 1;

interface Asked {
  readonly operator: Operator;
  readonly tests: readonly Test[];
  readonly ifExists: boolean;
  readonly quantifier: Quantifier | undefined;
}

/**
 * One of several values of the policy is enough, and for a negated operator none may fit. Without quantifier, a key of
 * several values is asked as by ForAnyValue, and as by ForAllValues where the operator is negated.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-logic-multiple-context-keys-or-values.html
 */
function ask(
  given: string | readonly string[] | undefined,
  { operator, tests, ifExists, quantifier }: Asked,
  keys: ConditionKeys,
): boolean {
  const { negated } = operator;
  if (isAbsent(given)) return ifExists || quantifier === 'forallvalues' || (quantifier === undefined && negated);
  if (typeof given === 'string') return fits(given, tests, keys) !== negated;
  const every = quantifier === undefined ? negated : quantifier === 'forallvalues';
  for (const value of given) if (fits(value, tests, keys) === (every === negated)) return !every;
  return every;
}

function fits(value: string, tests: readonly Test[], keys: ConditionKeys): boolean {
  keys.spend?.(tests.length * PER_TEST);
  for (const test of tests) if (test(value, keys)) return true;
  return false;
}
