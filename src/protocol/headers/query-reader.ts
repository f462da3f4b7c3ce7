import { parseRawQuery, type QueryPair } from '../../auth/canonical-query.ts';
import { coveredByV2, queryMethod, type QueryMethod } from '../../auth/query-method.ts';
import { invalidArgument, S3Error } from '../../errors/s3-error.ts';
import type { QueryReader } from '../request.ts';

const NO_ESCAPE = /%(?![0-9a-f]{2})/i;
/** Parameters that are sets: their order says nothing. */
const REPEATABLE: ReadonlySet<string> = new Set(['tagKeys']);

/** The parameters of one request: the signature is computed over the same list that operations read. */
export interface Query extends QueryReader {
  /** In canonical encoding, order and repeats kept. */
  readonly pairs: readonly QueryPair[];
  /** How the query claims to be signed; undefined: not at all. */
  readonly method: QueryMethod | undefined;
}

const EMPTY: Query = {
  pairs: [],
  method: undefined,
  has: () => false,
  get: () => undefined,
  all: () => [],
  names: () => [],
};

/**
 * Query parameters, decoded once: `+` is a space here, unlike in the path. A request has a handful
 * at most, so two flat arrays beat a map.
 */
class ParsedQuery implements Query {
  readonly pairs: readonly QueryPair[];
  readonly method: QueryMethod | undefined;
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  constructor(pairs: readonly QueryPair[]) {
    this.pairs = pairs;
    for (const { name, value } of pairs) {
      this.#names.push(decode(name));
      this.#values.push(decode(value));
    }
    this.method = queryMethod(pairs);
    if (pairs.length > 1) refuseRepeats(this.#names, this.#values);
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  get(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    return index < 0 ? undefined : this.#values[index];
  }

  all(name: string): readonly string[] {
    return this.#values.filter((_value, index) => this.#names[index] === name);
  }

  names(): Iterable<string> {
    return this.#names;
  }
}

/**
 * Of a query signed by version 2, what the signature covers. What it does not cover is no parameter, and whoever needs
 * one refuses.
 */
class CoveredQuery implements QueryReader {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** @throws S3Error AccessDenied */
  has(name: string): boolean {
    if (!this.#query.has(name)) return false;
    if (!coveredByV2(name)) throw notCovered(name);
    return true;
  }

  /** @throws S3Error AccessDenied */
  get(name: string): string | undefined {
    return this.has(name) ? this.#query.get(name) : undefined;
  }

  /** @throws S3Error AccessDenied */
  all(name: string): readonly string[] {
    return this.has(name) ? this.#query.all(name) : [];
  }

  *names(): Iterable<string> {
    for (const name of this.#query.names()) if (coveredByV2(name)) yield name;
  }
}

/**
 * @param raw query of the request target, without `?`
 * @throws S3Error InvalidURI, InvalidArgument (one parameter with two values)
 */
export function readQuery(raw: string): Query {
  if (raw === '') return EMPTY;
  if (NO_ESCAPE.test(raw)) throw new S3Error('InvalidURI', { extra: { URI: raw } });
  return new ParsedQuery(parseRawQuery(raw));
}

/** The parameters that may have an effect: all of them, but for queries signed by version 2. */
export function effectiveQuery(query: Query): QueryReader {
  return query.method === 'v2' ? new CoveredQuery(query) : query;
}

/** @param encoded in canonical form, in which each escape is well-formed */
function decode(encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    throw new S3Error('InvalidURI', { extra: { URI: encoded }, cause: error });
  }
}

/**
 * Canonical queries are sorted: of two values of one parameter, it is unknown which one came first when it was signed.
 * Headers that are hoisted have names without case.
 */
function refuseRepeats(names: readonly string[], values: readonly string[]): void {
  const known = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (REPEATABLE.has(name)) continue;
    const lower = name.toLowerCase();
    const key = lower.startsWith('x-amz-') ? lower : name;
    const value = values[index] ?? '';
    if ((known.get(key) ?? value) !== value) {
      throw invalidArgument(name, value, `The query parameter ${name} was given twice.`);
    }
    known.set(key, value);
  }
}

function notCovered(name: string): S3Error {
  return new S3Error('AccessDenied', {
    message: `The query parameter ${name} is not covered by a signature of version 2.`,
  });
}
