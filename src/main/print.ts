import { plainJson, terminalText } from '../observe/written-text.ts';

/** Lines for a person. Names of blobs and messages of clouds are in them, which a terminal must not obey. */
export function printLines(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  stream.write(
    lines
      .flatMap((line) => line.split('\n'))
      .map((line) => `${terminalText(line)}\n`)
      .join(''),
  );
}

/** The same for programs. */
export function printJson(stream: NodeJS.WriteStream, value: unknown): void {
  stream.write(`${plainJson(JSON.stringify(value, undefined, 2))}\n`);
}
