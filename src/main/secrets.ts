import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from './start-error.ts';

/** Where secrets come from: files (relative to the configuration's folder) and environment variables, nowhere else. */
export interface SecretSources {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of files with secrets in them; absent: nobody is. */
  readonly exposed?: ExposedSecrets;
  /** Told of each file that is read, absolute path: what is read again must be watched. */
  readonly noteFile?: (file: string) => void;
}

interface SecretReference {
  readonly file?: string | undefined;
  readonly variable?: string | undefined;
}

/** @param where path of the setting, for the message @throws StartError */
export function readSecret({ file, variable }: SecretReference, where: string, sources: SecretSources): string {
  if (file !== undefined) return readSecretFile(file, `${where}File`, sources).trim();
  const value = variable === undefined ? undefined : sources.environment[variable];
  if (value === undefined || value === '') {
    throw new StartError([`${where}Env: expected the environment variable ${variable ?? ''} to be set`]);
  }
  return value;
}

/** A file that no other user should be able to read. @throws StartError */
export function readSecretFile(file: string, where: string, sources: SecretSources): string {
  const text = readTextFile(file, where, sources);
  sources.exposed?.look(resolve(sources.folder, file), where);
  return text;
}

/** What becomes of files with secrets that every user of the machine can read: the setting `exposedSecrets`. */
export class ExposedSecrets {
  readonly #rule: 'warn' | 'refuse' | 'allow';
  readonly #lines = new Set<string>();

  constructor(rule: 'warn' | 'refuse' | 'allow') {
    this.#rule = rule;
  }

  /** A line for each file found. */
  get lines(): readonly string[] {
    return [...this.#lines];
  }

  /** @param where path of the setting that names the file @throws StartError where such files are refused */
  look(file: string, where: string): void {
    if (this.#rule === 'allow' || process.platform === 'win32' || (modeOf(file) & OTHERS_READ) === 0) return;
    const line = `every user of this machine can read ${file}, which ${where} names or holds: chmod o-r, or in Kubernetes defaultMode 0440 with an fsGroup (exposedSecrets says what becomes of this)`;
    if (this.#rule === 'refuse') throw new StartError([line]);
    this.#lines.add(line);
  }
}

const OTHERS_READ = 0o004;

/** The mode of the file itself, since mounted secrets are links. 0 for a file that is gone by now. */
function modeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
}

/** @throws StartError */
export function readTextFile(file: string, where: string, sources: SecretSources): string {
  sources.noteFile?.(resolve(sources.folder, file));
  try {
    return readFileSync(resolve(sources.folder, file), 'utf8');
  } catch (error) {
    throw new StartError(
      [`${where}: cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`],
      error,
    );
  }
}
