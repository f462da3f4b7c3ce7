import { S3Error } from '../../errors/s3-error.ts';
import { type S3LifecycleRule, ruleScope, TRANSITION_CLASSES } from './lifecycle.ts';

/** Days that an object must have been stored before it may move to one of these classes. */
const INFREQUENT_DAYS = 30;
const INFREQUENT: readonly string[] = ['STANDARD_IA', 'ONEZONE_IA'];
const ARCHIVES: readonly string[] = ['GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'];

type Noncurrent = 'Noncurrent' | '';

/** One move of a rule, of current or of noncurrent versions. */
interface Move {
  readonly days?: number;
  readonly date?: number;
  readonly storageClass: string;
}

/**
 * The moves of a rule, and how they go with its expiration.
 * @throws S3Error MalformedXML, InvalidRequest, InvalidArgument
 */
export function checkTransitions(rule: S3LifecycleRule): void {
  const { transitions = [], expiration, noncurrentTransitions = [], noncurrentExpiration } = rule;
  const filter = `filter '(prefix=${ruleScope(rule).prefix})'`;
  for (const move of transitions) if (Object.keys(move).length !== 2) throw new S3Error('MalformedXML');
  const kinds = new Set([...transitions, expiration ?? {}].flatMap(kindOf));
  if (transitions.length > 0 && kinds.size > 1) {
    throw invalid(
      'InvalidRequest',
      `Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule for ${filter}`,
    );
  }
  checkMoves(transitions, '', filter);
  checkMoves(noncurrentTransitions, 'Noncurrent', filter);
  for (const kind of ['days', 'date'] as const) {
    const end = expiration?.[kind];
    if (end === undefined || transitions.every((move) => (move[kind] ?? 0) < end)) continue;
    throw outOfOrder(kind === 'days' ? 'Days' : 'Date', '', filter);
  }
  const end = noncurrentExpiration?.days;
  if (end !== undefined && noncurrentTransitions.some(({ days }) => days >= end)) {
    throw outOfOrder('NoncurrentDays', 'NoncurrentVersion', filter);
  }
}

function kindOf({ days, date }: Pick<Move, 'days' | 'date'>): readonly string[] {
  return [...(days === undefined ? [] : ['days']), ...(date === undefined ? [] : ['date'])];
}

function outOfOrder(element: string, of: string, filter: string): S3Error {
  return invalid(
    'InvalidArgument',
    `'${element}' in the ${of}Expiration action for ${filter} must be greater than '${element}' in the ${of}Transition action`,
  );
}

function checkMoves(moves: readonly Move[], of: Noncurrent, filter: string): void {
  const [days, action] = of === '' ? ['Days', 'Transition'] : ['NoncurrentDays', 'NoncurrentVersionTransition'];
  for (const { storageClass, days: age = INFREQUENT_DAYS } of moves) {
    if (!TRANSITION_CLASSES.includes(storageClass)) throw new S3Error('MalformedXML');
    if (age < 0) throw invalid('InvalidArgument', `'${days}' for ${action} action must be nonnegative`);
    if (!INFREQUENT.includes(storageClass) || age >= INFREQUENT_DAYS) continue;
    throw invalid(
      'InvalidArgument',
      `'${days}' in ${action} action must be greater than or equal to ${String(INFREQUENT_DAYS)} for storageClass '${storageClass}'`,
    );
  }
  if (new Set(moves.map(({ storageClass }) => storageClass)).size < moves.length) {
    throw invalid(
      'InvalidRequest',
      `'StorageClass' must be different for '${action}' actions in same 'Rule' with ${filter}`,
    );
  }
  checkOrder(moves, { days, action }, filter);
}

/** The colder the class, the later; from infrequent access to an archive it takes 30 days. */
function checkOrder(
  moves: readonly Move[],
  { days, action }: { readonly days: string; readonly action: string },
  filter: string,
): void {
  const byClass = moves.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const [index, move] of byClass.entries()) {
    const next = byClass[index + 1];
    if (next === undefined) continue;
    const element = move.date === undefined ? days : 'Date';
    const said = `'${element}' in the '${action}' action for StorageClass '${next.storageClass}' for ${filter}`;
    const before = `'${element}' in the '${action}' action for StorageClass '${move.storageClass}'`;
    if ((next.days ?? next.date ?? 0) <= (move.days ?? move.date ?? 0)) {
      throw invalid('InvalidArgument', `${said} must be greater than ${before}`);
    }
    const isArchived = INFREQUENT.includes(move.storageClass) && ARCHIVES.includes(next.storageClass);
    if (isArchived && (next.days ?? Infinity) < (move.days ?? 0) + INFREQUENT_DAYS) {
      throw invalid('InvalidArgument', `${said} must be ${String(INFREQUENT_DAYS)} days more than ${before}`);
    }
  }
}

function rankOf({ storageClass }: Move): number {
  return TRANSITION_CLASSES.indexOf(storageClass);
}

function invalid(code: 'InvalidRequest' | 'InvalidArgument', message: string): S3Error {
  return new S3Error(code, { message });
}
