import { type ParseArgsConfig, parseArgs } from 'node:util';
import { StartError } from './start-error.ts';

/** The options of a command line. @throws StartError what is wrong with it, and `usage` */
export function parseCommandLine<T extends ParseArgsConfig>(config: T, usage: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new StartError([String(error instanceof Error ? error.message : error).split('\n')[0] ?? '', usage], error);
  }
}
