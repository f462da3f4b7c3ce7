import type { ConditionKeys } from './context.ts';
import { lookupName } from './context.ts';
import type { Pattern } from './document.ts';
import { type Chunk, matchChunks } from './match-chunks.ts';

/** A pattern consists of text, `*`, `?`, and variables, which become text once their value is known. */
type Token = { readonly text: string } | '*' | '?' | Variable;

interface Variable {
  readonly key: string;
  readonly fallback: string | undefined;
}

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

/** Characters whose case one step folds. */
const FOLDED = 16;
/** Characters of the values of variables in one step: their text is put together first. */
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
        keys.spend?.(SUBSTITUTION + (options.ignoreCase === true ? value.length / FOLDED : 0));
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
        keys.spend?.(value.length / FOLDED);
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
