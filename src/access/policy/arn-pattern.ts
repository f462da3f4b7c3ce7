import type { Pattern } from './document.ts';
import { type PatternOptions, compilePattern } from './pattern.ts';

const ARN_PARTS = 6;
/** The six parts of an ARN: `arn`, partition, service, region, account, resource. Undefined: it has fewer. */
export function arnParts(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  // A colon before the next `}` stands in a variable, unless another one begins between them.
  let [opens, closes] = [text.indexOf('{'), text.indexOf('}')];
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    if (opens >= 0 && opens < at) opens = text.indexOf('{', at);
    if (closes >= 0 && closes < at) closes = text.indexOf('}', at);
    if (closes >= 0 && (opens < 0 || closes < opens)) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
    if (parts.length === ARN_PARTS - 1) return [...parts, text.slice(from)];
  }
  return undefined;
}

/** The same of an ARN that has neither wildcards nor variables. */
function plainParts(arn: string): readonly string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  for (let at = arn.indexOf(':'); at >= 0; at = arn.indexOf(':', from)) {
    parts.push(arn.slice(from, at));
    from = at + 1;
    if (parts.length === ARN_PARTS - 1) return [...parts, arn.slice(from)];
  }
  return undefined;
}

/** Six patterns are tried, and the value is taken apart for them. */
const STEPS = 60;

/** A pattern of ARNs, part by part: a `*` reaches no further than its part. `*` alone is every ARN. */
export function compileArnPattern(text: string, options: PatternOptions): Pattern {
  if (text === '*') return { text, matches: () => true };
  const parts = arnParts(text);
  if (parts === undefined) return { text, matches: () => false };
  const head = parts.slice(0, ARN_PARTS - 1).join(':');
  const tail = compilePattern(parts.at(-1) ?? '', options);
  if (!/[*?$]/.test(head)) {
    const start = `${head}:`;
    if (/^[^*?$]*\*?$/.test(parts.at(-1) ?? '')) return plainPattern(text);
    return {
      text,
      ...(tail.resolves !== undefined && { resolves: tail.resolves }),
      matches: (value, keys) => value.startsWith(start) && tail.matches(value.slice(start.length), keys),
    };
  }
  const compiled = parts.map((part) => compilePattern(part, options));
  return {
    text,
    resolves: (keys) => compiled.every((pattern) => pattern.resolves?.(keys) ?? true),
    matches: (value, keys) => {
      keys.spend?.(STEPS);
      const given = plainParts(value);
      return given !== undefined && compiled.every((pattern, index) => pattern.matches(given[index] ?? '', keys));
    },
  };
}

/** One that says no more than what an ARN begins with, if it has a `*` at its end, or is. */
function plainPattern(text: string): Pattern {
  if (!text.endsWith('*')) return { text, matches: (value) => value === text };
  const start = text.slice(0, -1);
  const end = start.length - 1;
  const last = start.charCodeAt(end);
  // Most beginnings are of other keys, which one character shows: mostly the slash of a folder.
  return { text, matches: (value) => value.charCodeAt(end) === last && value.startsWith(start) };
}
