import type { ConditionKeys } from './context.ts';
import { lookupName } from './context.ts';
import type { Pattern } from './document.ts';

/** A pattern consists of text, `*`, `?`, and variables, which become text once their value is known. */
type Token = { readonly text: string } | '*' | '?' | Variable;

interface Variable {
  readonly key: string;
  readonly fallback: string | undefined;
}

/** The part between two `*`: pieces of text, with one `?` between each two of them. */
type Chunk = readonly string[];

export interface PatternOptions {
  /** Replace `${key}`. Documents of version 2008-10-17 have no variables. */
  readonly variables: boolean;
  readonly ignoreCase?: boolean;
  /** `*` and `?` stand for themselves. */
  readonly literal?: boolean;
}

const VARIABLE = /\$\{([^{}]*)\}/y;
const WITH_DEFAULT = /^\s*([^,\s]+)\s*(?:,\s*'([^']*)'\s*)?$/;
/** `${*}`, `${?}` and `${$}` stand for the character itself. */
const ESCAPED: ReadonlySet<string> = new Set(['*', '?', '$']);

/** Characters that one step of work compares or copies. */
const CHARACTERS = 16;
/** The same when a piece is searched for, since its first letter may stand anywhere. */
const SEARCHED = 2;
/** The same for the values of variables, whose text is put together first. */
const SUBSTITUTED = 4;
/** Further steps to put a pattern with variables together. */
const SUBSTITUTION = 20;

/**
 * Compiles one pattern. Matching tries no place of the value twice between two `*`, but may look at each `?` there from
 * each place; it counts that work (`ConditionKeys.spend`).
 */
export function compilePattern(text: string, options: PatternOptions): Pattern {
  const fold =
    options.ignoreCase === true ? (value: string): string => value.toLowerCase() : (value: string): string => value;
  const tokens = tokenize(text, options);
  if (tokens.some(isVariable)) {
    return {
      text,
      resolves: (keys) => substitute(tokens, keys) !== undefined,
      matches: (value, keys) => {
        keys.spend?.(SUBSTITUTION);
        const known = substitute(tokens, keys);
        return known !== undefined && matchChunks(toChunks(known, fold), fold(value), keys);
      },
    };
  }
  const chunks = toChunks(tokens, fold);
  if (chunks.length === 1 && chunks[0]?.length === 1) {
    const exact = chunks[0][0];
    if (options.ignoreCase !== true) return { text, matches: (value) => value === exact };
    // Folding the case of some letters changes the length.
    return {
      text,
      matches(value, keys) {
        keys.spend?.(value.length / CHARACTERS);
        return fold(value) === exact;
      },
    };
  }
  return { text, matches: (value, keys) => matchChunks(chunks, fold(value), keys) };
}

/** Text that stands for itself in a pattern: `${*}`, `${?}` and `${$}` are the characters themselves. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[*?$]/g, (char) => `\${${char}}`);
}

/** The keys that the variables of a pattern name, as written. */
export function variablesOf(text: string): string[] {
  return tokenize(text, { variables: true })
    .filter(isVariable)
    .map(({ key }) => key);
}

function isVariable(token: Token): token is Variable {
  return typeof token === 'object' && 'key' in token;
}

function tokenize(text: string, { variables, literal = false }: PatternOptions): Token[] {
  const tokens: Token[] = [];
  let plain = '';
  const add = (token: Token): void => {
    if (plain !== '') tokens.push({ text: plain });
    plain = '';
    tokens.push(token);
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (!literal && (char === '*' || char === '?')) {
      // Several `*` in a row say no more than one.
      if (char === '?' || plain !== '' || tokens.at(-1) !== '*') add(char);
      continue;
    }
    const inner = variables && char === '$' ? variableAt(text, at) : undefined;
    if (inner === undefined) {
      plain += char;
      continue;
    }
    at += inner.length + '${}'.length - 1;
    if (ESCAPED.has(inner)) plain += inner;
    else add(toVariable(inner));
  }
  if (plain !== '') tokens.push({ text: plain });
  return tokens;
}

function variableAt(text: string, at: number): string | undefined {
  VARIABLE.lastIndex = at;
  return VARIABLE.exec(text)?.[1];
}

function toVariable(inner: string): Variable {
  const [, key = inner, fallback] = WITH_DEFAULT.exec(inner) ?? [];
  return { key, fallback };
}

/** Undefined: a variable has no value, or several. A value is plain text: `*` and `?` in it are no wildcards. */
function substitute(tokens: readonly Token[], keys: ConditionKeys): Token[] | undefined {
  const known: Token[] = [];
  for (const token of tokens) {
    if (!isVariable(token)) {
      known.push(token);
      continue;
    }
    const given = keys.get(lookupName(token.key));
    const value = typeof given === 'string' ? given : token.fallback;
    if (value === undefined) return undefined;
    keys.spend?.(1 + value.length / SUBSTITUTED);
    known.push({ text: value });
  }
  return known;
}

function toChunks(tokens: readonly Token[], fold: (text: string) => string): Chunk[] {
  const chunks: string[][] = [['']];
  for (const token of tokens) {
    const chunk = chunks.at(-1) ?? [];
    if (token === '*') chunks.push(['']);
    else if (token === '?') chunk.push('');
    else if ('text' in token) chunk.push((chunk.pop() ?? '') + fold(token.text));
  }
  return chunks;
}

/**
 * The first chunk stands at the start, the last at the end, those between at the first place where they fit: no place
 * is tried twice.
 */
function matchChunks(chunks: readonly Chunk[], value: string, keys: ConditionKeys): boolean {
  keys.spend?.(chunks.length);
  const [first = [''], ...others] = chunks;
  const last = others.pop();
  let at = endOf(first, value, { start: 0, keys });
  if (last === undefined) return at === value.length;
  for (const chunk of others) {
    if (at < 0) return false;
    at = find(chunk, value, { start: at, keys });
  }
  return at >= 0 && standsAtEnd(last, value, { start: at, keys });
}

interface Place {
  readonly start: number;
  /** Counts the work. */
  readonly keys: ConditionKeys;
}

/** Where a chunk that begins here ends; -1: it does not stand here. */
function endOf(chunk: Chunk, value: string, { start, keys }: Place): number {
  let at = start;
  let steps = 0;
  for (const piece of chunk) {
    if (steps > 0) {
      const code = value.codePointAt(at);
      if (code === undefined) at = -1;
      else at += code > 0xffff ? 2 : 1;
    }
    steps += 1;
    if (at < 0 || !value.startsWith(piece, at)) {
      keys.spend?.(steps);
      return -1;
    }
    at += piece.length;
  }
  keys.spend?.(steps);
  return at;
}

/** Where the first occurrence of a chunk ends; -1: there is none. */
function find(chunk: Chunk, value: string, { start: from, keys }: Place): number {
  const [head = ''] = chunk;
  keys.spend?.((value.length - from) / SEARCHED);
  for (
    let start = value.indexOf(head, from);
    start >= 0 && start <= value.length;
    start = value.indexOf(head, start + 1)
  ) {
    const end = endOf(chunk, value, { start, keys });
    if (end >= 0) return end;
    if (start === value.length) return -1;
  }
  return -1;
}

function standsAtEnd(chunk: Chunk, value: string, { start: from, keys }: Place): boolean {
  const [only = '', ...more] = chunk;
  if (more.length === 0) return value.length - only.length >= from && value.endsWith(only);
  // A character may be one unit or two: as many starts are tried as there are wildcards.
  const units = chunk.reduce((sum, piece) => sum + piece.length, 0);
  for (let wide = 0; wide <= more.length; wide += 1) {
    const start = value.length - units - more.length - wide;
    if (start < from) return false;
    if (endOf(chunk, value, { start, keys }) === value.length) return true;
  }
  return false;
}
