import { type ParseArgsConfig, parseArgs } from 'node:util';
import { firstLine, StartError } from './start-error.ts';

/** The options of a command line. @throws StartError what is wrong with it, and `usage` */
export function parseCommandLine<T extends ParseArgsConfig>(config: T, usage: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageError(firstLine(error), usage, error);
  }
}

/** What is wrong with a command line, and how it is used. @param usage may have several lines */
export function usageError(message: string, usage: string, cause?: unknown): StartError {
  return new StartError([message, ...usage.split('\n')], cause);
}
