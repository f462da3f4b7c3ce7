import { decodePercent } from '../percent.ts';
import type { QueryReader } from '../request.ts';

const EMPTY: QueryReader = {
  has: () => false,
  get: () => undefined,
  names: () => [],
};

/**
 * Query parameters, decoded once: `+` is a space here, unlike in the path. A request has a handful
 * at most, so two flat arrays beat a map.
 */
class ParsedQuery implements QueryReader {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  constructor(raw: string) {
    for (const pair of raw.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      this.#names.push(decode(equals < 0 ? pair : pair.slice(0, equals)));
      this.#values.push(equals < 0 ? '' : decode(pair.slice(equals + 1)));
    }
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  get(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    return index < 0 ? undefined : this.#values[index];
  }

  names(): Iterable<string> {
    return this.#names;
  }
}

function decode(raw: string): string {
  return decodePercent(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/** @param raw query of the request target, without `?` @throws S3Error InvalidURI */
export function readQuery(raw: string): QueryReader {
  return raw === '' ? EMPTY : new ParsedQuery(raw);
}
