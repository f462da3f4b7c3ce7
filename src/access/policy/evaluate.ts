import type { PolicyContext } from './context.ts';
import type { Mismatch } from '../../observe/packed-reasons.ts';
import type { Condition, Effect, NamedPolicy, PatternSet, PolicyDocument, Statement } from './document.ts';
import { type Through, isNarrower, namedBy } from './principal.ts';

/** One statement that speaks about a request. */
export interface Spoken {
  readonly policy: NamedPolicy;
  readonly statement: Statement;
}

/** What the statements of one document said. */
export interface Said {
  readonly policy: NamedPolicy;
  /** A letter for each that was looked at (`MISMATCHES`), in order; nothing behind a statement that denies. */
  readonly letters: readonly Mismatch[];
  /** Of those with `c` the first condition that does not hold. */
  readonly failed: readonly Condition[];
}

export interface Evaluation {
  /** `none`: nothing speaks about the request. */
  readonly effect: 'deny' | 'allow' | 'none';
  /** The statement that made it so. */
  readonly by?: Spoken;
  /** How the statement that allows names the caller; absent in policies without principals. */
  readonly through?: Through;
  /** By document. */
  readonly said: readonly Said[];
}

/**
 * What documents of one kind say to a request: the first statement that denies it, else the one that allows it (of
 * several, the one that names the caller most narrowly).
 */
export function evaluate(policies: readonly NamedPolicy[], context: PolicyContext): Evaluation {
  const said: Said[] = [];
  let by: Spoken | undefined;
  let through: Through | undefined;
  for (const policy of policies) {
    const letters: Mismatch[] = [];
    const failed: Condition[] = [];
    said.push({ policy, letters, failed });
    const named = speaking(policy.document, context);
    let at = 0;
    for (const statement of policy.document.statements) {
      const asked = named[at++] === true ? ask(statement, context) : 'a';
      if (typeof asked === 'object') {
        letters.push('c');
        failed.push(asked);
        continue;
      }
      if (asked === 'a' || asked === 'r' || asked === 'p') {
        letters.push(asked);
        continue;
      }
      letters.push('-');
      if (statement.effect === 'Deny') return { effect: 'deny', by: { policy, statement }, said };
      if (by === undefined || (asked !== 'unnamed' && isNarrower(asked, through))) {
        by = { policy, statement };
        through = asked === 'unnamed' ? undefined : asked;
      }
    }
  }
  if (by === undefined) return { effect: 'none', said };
  return { effect: 'allow', by, ...(through !== undefined && { through }), said };
}

/** Actions of a document's statements that are remembered: most requests for a bucket take the same few. */
const MAX_ACTIONS = 8;
const byDocument = new WeakMap<PolicyDocument, Map<string, readonly boolean[]>>();

/** Which statements name the action, by place: patterns of actions have no variables, so that it is always the same. */
function speaking(document: PolicyDocument, context: PolicyContext): readonly boolean[] {
  const known = byDocument.get(document) ?? new Map<string, readonly boolean[]>();
  const { action } = context;
  const found = known.get(action);
  if (found !== undefined) return found;
  const lower = action.toLowerCase();
  const named = document.statements.map(({ actions }) => includes(actions, lower, context));
  if (known.size >= MAX_ACTIONS) known.clear();
  byDocument.set(document, known.set(action, named));
  return named;
}

/** Why it does not speak about the request, the condition that does not hold, or how it names the caller. */
type Asked = 'a' | 'r' | 'p' | Condition | Through | 'unnamed';

/** Its action fits. */
function ask({ resources, principals, effect, conditions }: Statement, context: PolicyContext): Asked {
  if (resources !== undefined && !speaksOf(resources, effect, context)) return 'r';
  const through = principals && namedBy(principals, context.caller, effect);
  if (principals !== undefined && through === undefined) return 'p';
  for (const condition of conditions) {
    if (!condition.holds(context.keys)) return condition;
  }
  return through ?? 'unnamed';
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
    const { start } = pattern;
    if ((start === undefined || value.startsWith(start)) && pattern.matches(value, keys)) return !not;
  }
  return not;
}
