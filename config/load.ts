import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { applyEnvironment } from './environment.ts';
import { CONFIG, type Config } from './schema.ts';

/** What is wrong with a configuration: one line for each setting, its path and what was expected. */
export class ConfigError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause });
    this.name = 'ConfigError';
    this.lines = lines;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute path of the file; relative paths in it start from its folder. */
  readonly file: string;
  readonly folder: string;
}

/**
 * Reads a YAML file, lays `S3GW_...` variables over it and checks the whole.
 * @throws ConfigError
 */
export function loadConfig(fileName: string, environment: Environment): LoadedConfig {
  const file = resolve(fileName);
  const raw = applyEnvironment(readYaml(file), environment);
  const parsed = CONFIG.safeParse(raw, { error: plainMessage });
  if (!parsed.success) throw new ConfigError(parsed.error.issues.flatMap(toLines), parsed.error);
  return { config: parsed.data, file, folder: dirname(file) };
}

function readYaml(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`], error);
  }
  try {
    return parseYaml(text) ?? {};
  } catch (error) {
    throw new ConfigError([`${file}: is not YAML: ${String(error).split('\n')[0] ?? ''}`], error);
  }
}

/** Says what was expected for a setting that is missing, instead of "received undefined". */
function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return `expected ${issue.expected}, but it is missing`;
  return undefined;
}

function toLines(issue: z.core.$ZodIssue): string[] {
  const where = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${where === '' ? key : `${where}.${key}`}: there is no such setting`);
  }
  return [`${where === '' ? 'configuration' : where}: ${issue.message.replace(/^Invalid (?:input|string|option): /, '')}`];
}
