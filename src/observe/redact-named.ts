import { fingerprint } from './fingerprint.ts';
import { redactAuthorization } from './redact-authorization.ts';
import { isSecretName, isSecretParameter } from './secret-names.ts';

/*
 * Credentials that stand in a text behind their name: `name=value`, `"name": "value"`, `name: 'value'`, `'name',
 * 'value'`, and lines of headers. A scanner goes from word to word and looks at every character a bounded number of
 * times. A pattern would take as long as the sender of the text chooses.
 */

const WORD = /[\w-]+/g;
/** What an escaped separator leaves before a name: `%26sig`, `%2526sig`. */
const ESCAPE_BEFORE = /^(?:25){0,3}[0-9a-f]{2}/i;
const LONGEST_NAME = 128;
/** `pw` */
const SHORTEST_NAME = 2;
/**
 * What the spelling of a list, or a slip, leaves behind a name: `sig[0]`, `token.1`, a character that cannot be seen.
 */
const DECORATION = /(?:\[[\w.-]{0,64}\]|\]|\.\d{1,6}|[!*$~\p{Cf}]|(?![\t\r\n])\p{Cc}){0,8}/uy;
const SEPARATOR = /%(?:25){0,3}3d|\\*["']?\s*(?:=>|=|:)\s*|\\*["']\s*,\s*/iy;
const LINE_SEPARATOR = /[ \t]*[:=][ \t]*/y;
/** The value goes on to the end of the line, wherever the name stands. */
const WHOLE_LINE = /(?:authorization|cookie)\d*(?![a-z0-9])/;
const LINE_END = /[\r\n]|$/g;
const MARK = /<\d{1,9} chars, sha256 [0-9a-f]{8}>/y;
/** A backslash belongs to a value unless it escapes a quote or a line break around it. */
const BARE = /(?:[^\s"'<>&,;(){}[\]\\]|\\+[^\\"'nrt\s<>&,;(){}[\]])+/y;
/** What may stand before a header in its line: indentation, and the marks of `curl -v` and of lists. */
const BEFORE_HEADER = ' \t<>*';

interface Value {
  readonly start: number;
  readonly end: number;
}

/** The text without the values that stand behind names of credentials. Linear in the text's length. */
export function redactNamed(text: string): string {
  let kept = '';
  let done = 0;
  WORD.lastIndex = 0;
  for (let found = WORD.exec(text); found !== null; found = WORD.exec(text)) {
    const end = WORD.lastIndex;
    const name = nameIn(text, found.index, found[0]);
    if (name.length < SHORTEST_NAME) continue;
    const value = findValue(text, { name, start: found.index, end, after: done });
    if (value !== undefined) {
      kept += text.slice(done, value.start) + redactValue(name, text.slice(value.start, value.end));
      done = value.end;
    }
    WORD.lastIndex = value?.end ?? end;
  }
  return done === 0 ? text : kept + text.slice(done);
}

function nameIn(text: string, start: number, word: string): string {
  const name = text[start - 1] === '%' ? word.replace(ESCAPE_BEFORE, '') : word;
  return name.slice(-LONGEST_NAME).toLowerCase();
}

interface Place {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** What lies before this place is dealt with. */
  readonly after: number;
}

/**
 * The value behind a word, without its quotes; undefined when the word is no name of a credential, or nothing follows
 * it.
 */
function findValue(text: string, { name, start, end: wordEnd, after }: Place): Value | undefined {
  const secret = name.endsWith('authorization') || isSecretName(name);
  if (!secret && !isSecretParameter(name)) return undefined;
  const end = wordEnd + match(DECORATION, text, wordEnd).length;
  if (secret && (WHOLE_LINE.test(name) || beginsLine(text, start, after))) {
    const line = restOfLine(text, end);
    if (line !== undefined) return line;
  }
  const separator = match(SEPARATOR, text, end);
  // `key: photos/cat.jpg` is said of objects.
  if (separator === '' || (!secret && !/[=%]/.test(separator) && (!/["']/.test(separator) || name.endsWith('key')))) {
    return undefined;
  }
  const at = end + separator.length;
  return match(MARK, text, at) === '' ? valueAt(text, at) : undefined;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function beginsLine(text: string, start: number, after: number): boolean {
  let at = start;
  while (at > after && BEFORE_HEADER.includes(text[at - 1] ?? '')) at -= 1;
  return at === 0 || text[at - 1] === '\n' || text[at - 1] === '\r';
}

function restOfLine(text: string, end: number): Value | undefined {
  const separator = match(LINE_SEPARATOR, text, end);
  const start = end + separator.length;
  if (separator === '' || '"\'\\'.includes(text[start] ?? '"')) return undefined;
  LINE_END.lastIndex = start;
  const lineEnd = LINE_END.exec(text)?.index ?? text.length;
  return lineEnd === start ? undefined : { start, end: lineEnd };
}

function valueAt(text: string, at: number): Value | undefined {
  let open = at;
  while (text[open] === '\\') open += 1;
  const quote = text[open];
  if (quote === '"' || quote === "'") {
    return { start: open + 1, end: closing(text, { quote, from: open + 1, depth: open - at }) };
  }
  const bare = match(BARE, text, at);
  return bare === '' ? undefined : { start: at, end: at + bare.length };
}

/**
 * Where a quoted value ends: before the quote that is escaped as often as the first; at the end of the text when there
 * is none.
 */
function closing(
  text: string,
  { quote, from, depth }: { readonly quote: string; readonly from: number; readonly depth: number },
): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > from && text[before - 1] === '\\') before -= 1;
    const escapes = at - before;
    if (depth === 0 ? escapes % 2 === 0 : escapes <= depth) return depth === 0 ? at : before;
  }
  return text.length;
}

function redactValue(name: string, value: string): string {
  return /(?<!proxy-)authorization$/.test(name) ? redactAuthorization(value) : fingerprint(value);
}
