import { type ParseArgsConfig, parseArgs } from 'node:util';
import { StartError, firstLine } from './start-error.ts';
import { plainJson, terminalText } from '../observe/written-text.ts';

/** The options of a command line. @throws StartError what is wrong with it, and `usage` */
export function parseCommandLine<T extends ParseArgsConfig>(config: T, usage: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageError(firstLine(error), usage, error);
  }
}

/** Options of every command that works on the backends of a configuration. */
export const BACKEND_OPTIONS = {
  config: { type: 'string', short: 'c' },
  backend: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The configuration that such a command takes. @throws StartError neither command line nor environment names one */
export function configFile(
  { config }: { readonly config?: string },
  environment: Readonly<Record<string, string | undefined>>,
  usage: string,
): string {
  const file = config ?? environment['S3GW_CONFIG'];
  if (file === undefined) throw usageError('--config: expected the configuration file of the gateway', usage);
  return file;
}

/** What is wrong with a command line, and how it is used. @param usage may have several lines */
export function usageError(message: string, usage: string, cause?: unknown): StartError {
  return new StartError([message, ...usage.split('\n')], cause);
}

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
