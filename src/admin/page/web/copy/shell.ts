/** Text that is safe to stand in a command line: made by `literal` or `quoted`, and by nothing else. */
export type ShellText = string & { readonly __brand: 'ShellText' };

/** Options and names of this page's own; never anything that came from a client. */
const LITERAL = /^[A-Za-z0-9][A-Za-z0-9.@/:_-]*$|^--?[a-z0-9][a-z0-9-]*$/;

/**
 * A word that is written here, as it stands.
 * @throws TypeError for anything that a shell could take for more than a word
 */
export function literal(text: string): ShellText {
  if (!LITERAL.test(text)) throw new TypeError(`not a word of our own: ${JSON.stringify(text)}`);
  return text as ShellText;
}

/**
 * What a terminal obeys instead of showing it, and what an eye misses: control characters, marks of direction and
 * width, separators of lines.
 */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Any text as one word of a shell (bash, zsh, ksh): nothing in it is expanded. What a terminal would obey while it is
 * pasted is written as `$'\xNN'`; shells that do not know that form see a longer word, and still nothing but a word.
 * @returns undefined for text with a NUL, which no program can be given
 */
export function quoted(text: string): ShellText | undefined {
  if (text.includes('\0')) return undefined;
  if (!UNSHOWN.test(text)) return `'${text.replaceAll("'", "'\\''")}'` as ShellText;
  const escaped = Array.from(text, (character) =>
    UNSHOWN.test(character) || character === "'" || character === '\\' ? bytesOf(character) : character,
  ).join('');
  return `$'${escaped}'` as ShellText;
}

/** As bytes, whatever the locale; and never a quote, which shells without this form would take for the end. */
function bytesOf(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/**
 * For an endpoint that is not known: whoever runs the command says it in this variable, which the AWS CLI reads too.
 * Without it the shell stops at the command.
 */
export const ENDPOINT = '"${AWS_ENDPOINT_URL:?}"' as ShellText;

/** A word of the endpoint and what follows it; undefined for text with a NUL. */
export function endpointWith(text: string): ShellText | undefined {
  const rest = quoted(text);
  return rest === undefined ? undefined : (`${ENDPOINT}${rest}` as ShellText);
}

/** An option with its value. Nothing when there is no way to say the value. */
export function option(name: string, value: string): readonly ShellText[] {
  const word = quoted(value);
  return word === undefined ? [] : [literal(name), word];
}

/** One option a line; groups without words are left out. */
export function shellCommand(groups: readonly (readonly ShellText[])[]): string {
  return groups
    .filter((words) => words.length > 0)
    .map((words) => words.join(' '))
    .join(' \\\n  ');
}
