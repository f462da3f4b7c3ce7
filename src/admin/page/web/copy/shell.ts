/** A word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}

/** One option a line. */
export function shellCommand(words: readonly (readonly string[])[]): string {
  return words.map((group) => group.join(' ')).join(' \\\n  ');
}
