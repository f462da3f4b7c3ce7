import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from './start-error.ts';

/** Where secrets come from: files (relative to the configuration's folder) and environment variables, nowhere else. */
export interface SecretSources {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface SecretReference {
  readonly file?: string | undefined;
  readonly variable?: string | undefined;
}

/** @param where path of the setting, for the message @throws StartError */
export function readSecret({ file, variable }: SecretReference, where: string, sources: SecretSources): string {
  if (file !== undefined) return readTextFile(file, `${where}File`, sources).trim();
  const value = variable === undefined ? undefined : sources.environment[variable];
  if (value === undefined || value === '') throw new StartError([`${where}Env: expected the environment variable ${variable ?? ''} to be set`]);
  return value;
}

/** @throws StartError */
export function readTextFile(file: string, where: string, sources: SecretSources): string {
  try {
    return readFileSync(resolve(sources.folder, file), 'utf8');
  } catch (error) {
    throw new StartError([`${where}: cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`], error);
  }
}
