/**
 * Text of strangers on its way out. Each language it is written in has one escaper: XML in `protocol/xml/encode.ts`,
 * shells in `admin/page/web/copy/shell.ts`, log lines in `access-log/`, terminals and lines of JSON here (record 0021).
 */

/**
 * What a terminal obeys instead of showing it: control characters, marks of direction and of width, separators of
 * lines, halves of pairs.
 */
const OBEYED = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** What `JSON.stringify` leaves as it is, and terminals and readers of lines take for more than text. */
const LEFT_BY_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text for a terminal: what cannot be seen is shown as `\u{...}`. */
export function terminalText(text: string): string {
  return text.replace(OBEYED, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * JSON text with the same meaning and no character in it that a terminal, or a reader of lines, could take for more
 * than text.
 */
export function plainJson(json: string): string {
  return json.replace(LEFT_BY_JSON, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
