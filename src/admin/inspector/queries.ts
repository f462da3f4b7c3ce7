import { FILTER_NAMES, FilterError, type FilterTexts, type RequestMatcher, requestMatcher } from '../journal/filter.ts';
import { SCOPES, type ReplicaScope } from '../replicas/replicas.ts';

/** Query parameters as Fastify hands them over: a repeated one is a list. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 200;

/** What a list, stream or archive is asked for. */
export interface RequestSelection {
  readonly matcher: RequestMatcher;
  readonly texts: FilterTexts;
  readonly scope: ReplicaScope;
}

/** @throws FilterError for what cannot be understood, an unknown parameter included: it would seem to filter */
export function requestSelectionOf(
  query: RawQuery,
  { slowMs, others = [] }: { readonly slowMs: number; readonly others?: readonly string[] },
): RequestSelection {
  checkNames(query, [...FILTER_NAMES, 'scope', ...others]);
  const texts: FilterTexts = textsOf(query, FILTER_NAMES);
  return { matcher: requestMatcher(texts, slowMs), texts, scope: scopeOf(query) };
}

/** @throws FilterError for a parameter of another name: it would seem to do something */
export function checkNames(query: RawQuery, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new FilterError(unknown, `one of ${known.join(', ')}`);
}

/** @throws FilterError */
export function scopeOf(query: RawQuery, otherwise: ReplicaScope = 'own'): ReplicaScope {
  const text = textOf(query, 'scope') ?? otherwise;
  const scope = SCOPES.find((one) => one === text);
  if (scope === undefined) throw new FilterError('scope', `one of ${SCOPES.join(', ')}`);
  return scope;
}

/** @throws FilterError */
export function limitOf(query: RawQuery, name: 'limit' | 'recent' | 'rate', otherwise = DEFAULT_LIMIT): number {
  const text = textOf(query, name);
  if (text === undefined) return otherwise;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 0 || limit > MAX_LIMIT) {
    throw new FilterError(name, `a number up to ${MAX_LIMIT}`);
  }
  return limit;
}

/**
 * Those of these parameters that say something: forms send empty ones for what was not filled in.
 * @throws FilterError
 */
export function textsOf<Name extends string>(query: RawQuery, names: readonly Name[]): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = textOf(query, name);
    if (text !== undefined && text !== '') texts[name] = text;
  }
  return texts;
}

function textOf(query: RawQuery, name: string): string | undefined {
  const value = query[name];
  if (typeof value === 'string' || value === undefined) return value;
  throw new FilterError(name, 'one value');
}
