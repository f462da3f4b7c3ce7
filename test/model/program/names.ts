import { ANY, type Facts, type Json } from '../reference/answer.ts';
import { UNKNOWN_VERSION } from '../reference/state.ts';

/**
 * Which names of the server (version ids, upload ids, tokens, ETags that cannot be computed) stand for which of the
 * reference.
 */
export class Names {
  readonly #theirs: Map<string, string>;
  readonly #ours: Map<string, string>;

  /** @param unknownVersion an id that the server could have issued, but did not */
  constructor(unknownVersion: string) {
    this.#theirs = new Map([[UNKNOWN_VERSION, unknownVersion]]);
    this.#ours = new Map([[unknownVersion, UNKNOWN_VERSION]]);
  }

  /** Whether the server has told its name for this: a delete without answer tells none of its markers. */
  knows(ours: string): boolean {
    return this.#theirs.has(ours);
  }

  /** The same with the server's names. A name that it has not told yet stays as it is. */
  toServer<T>(value: T): T {
    if (typeof value === 'string') return (this.#theirs.get(value) ?? value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.toServer(item)) as T;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]: [string, unknown]) => [name, this.toServer(item)]),
    ) as T;
  }

  /**
   * Compares, and learns the names that the server tells for the first time: but for ETags, the same may not stand for
   * two things.
   * @returns what is different, a line each
   */
  differences(expected: Json | undefined, actual: Json | undefined, path = ''): string[] {
    if (expected === ANY) return [];
    if (typeof expected === 'string' && expected.startsWith('@') && typeof actual === 'string') {
      return this.#learn(expected, actual, path);
    }
    if (!isTree(expected) || !isTree(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
      return expected === actual ? [] : [difference(path, expected, actual)];
    }
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) =>
      this.differences(member(expected, name), member(actual, name), `${path}/${name}`),
    );
  }

  #learn(ours: string, theirs: string, path: string): string[] {
    const known = this.#theirs.get(ours);
    if (known === theirs) return [];
    if (known !== undefined || theirs === 'null') return [difference(path, known ?? ours, theirs)];
    const other = this.#ours.get(theirs);
    if (other !== undefined && !ours.startsWith('@e')) {
      return [difference(path, `${ours}, a new one`, `${theirs}, which is ${other}`)];
    }
    this.#theirs.set(ours, theirs);
    this.#ours.set(theirs, ours);
    return [];
  }
}

type Tree = readonly Json[] | Facts;

function isTree(value: Json | undefined): value is Tree {
  return typeof value === 'object' && value !== null;
}

function member(tree: Tree, name: string): Json | undefined {
  return (tree as Facts)[name];
}

function difference(path: string, expected: Json | undefined, actual: Json | undefined): string {
  return `${path}: expected ${brief(expected)}, got ${brief(actual)}`;
}

/** JSON that a reader can take in: long texts are cut. */
export function brief(value: unknown): string {
  if (value === undefined) return 'nothing';
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' && item.length > 60 ? `${item.slice(0, 8)}...(${item.length})` : item,
  );
}
