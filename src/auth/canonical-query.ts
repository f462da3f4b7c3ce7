import { canonicalEncoding } from './uri-encoding.ts';

/** One query parameter, name and value in canonical encoding. */
export interface QueryPair {
  readonly name: string;
  /** Empty for a parameter without `=`. */
  readonly value: string;
}

/** Cuts a raw query (without its `?`) into canonically encoded pairs, order and repeats kept. */
export function parseRawQuery(rawQuery: string): QueryPair[] {
  const pairs: QueryPair[] = [];
  for (const piece of rawQuery.split('&')) {
    if (piece === '') {
      continue;
    }
    const equals = piece.indexOf('=');
    const end = equals < 0 ? piece.length : equals;
    pairs.push({
      name: canonicalEncoding(piece.slice(0, end), 'query'),
      value: canonicalEncoding(piece.slice(end + 1), 'query'),
    });
  }
  return pairs;
}

/**
 * `name=value` joined by `&`, sorted by encoded name, then value. `without` names the one parameter that is left out.
 */
export function canonicalQuery(pairs: readonly QueryPair[], without?: string): string {
  let text = '';
  for (const { name, value } of pairs.toSorted(byNameThenValue)) {
    if (name !== without) text += text === '' ? `${name}=${value}` : `&${name}=${value}`;
  }
  return text;
}

/** Encoded text is ASCII, where comparing code units is comparing bytes. */
function byNameThenValue(a: QueryPair, b: QueryPair): number {
  if (a.name !== b.name) {
    return a.name < b.name ? -1 : 1;
  }
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/**
 * The decoded value of a parameter. Undefined when the parameter is absent; empty when its value is not UTF-8, since no
 * parameter that the gateway knows has such a value.
 */
export function queryValue(pairs: readonly QueryPair[], name: string): string | undefined {
  const pair = pairs.find((candidate) => candidate.name === name);
  if (pair === undefined) {
    return undefined;
  }
  try {
    return decodeURIComponent(pair.value);
  } catch {
    return '';
  }
}
