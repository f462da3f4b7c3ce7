import { plainJson, terminalText } from '../observe/written-text.ts';

/**
 * Lines for a person. Names of blobs, words of policies and messages of clouds are in them: a terminal must not obey
 * them, and they must not look like further lines. So each of `lines` stays one line, whatever is in it.
 */
export function printLines(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  stream.write(lines.map((line) => `${terminalText(line)}\n`).join(''));
}

/** The same for programs. */
export function printJson(stream: NodeJS.WriteStream, value: unknown): void {
  stream.write(`${plainJson(JSON.stringify(value, undefined, 2))}\n`);
}
