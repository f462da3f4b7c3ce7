import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { findAccounts, type FoundAccounts, WRITTEN_KEY } from './accounts-files.ts';
import { ConfigError } from './config-error.ts';
import { applyEnvironment } from './environment.ts';
import { CONFIG, type Config } from './schema.ts';
import { plainMessage, settingLines } from './setting-lines.ts';

export { ConfigError };

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute path of the file; relative paths in it start from its folder. */
  readonly file: string;
  readonly folder: string;
  /** Files and folders that accounts were read from besides, absolute paths. */
  readonly accountPlaces: readonly string[];
  /** All files, this one and theirs, that keys are written into. */
  readonly filesWithKeys: readonly string[];
}

/**
 * Reads a YAML file, lays `S3GW_...` variables over it and checks the whole.
 * @throws ConfigError
 */
export function loadConfig(fileName: string, environment: Environment): LoadedConfig {
  const file = resolve(fileName);
  const raw = applyEnvironment(readYaml(file), environment);
  const folder = dirname(file);
  const { whole, places, withKeys } = withAccounts(raw, folder);
  const filesWithKeys = JSON.stringify(raw).includes(WRITTEN_KEY) ? [file, ...withKeys] : withKeys;
  const parsed = CONFIG.safeParse(whole, { error: plainMessage });
  if (!parsed.success) throw new ConfigError(settingLines(parsed.error), parsed.error);
  return { config: parsed.data, file, folder, accountPlaces: places, filesWithKeys };
}

/** With the accounts of other files among its own. */
function withAccounts(raw: unknown, folder: string): Omit<FoundAccounts, 'accounts'> & { readonly whole: unknown } {
  if (typeof raw !== 'object' || raw === null || !('accountsFrom' in raw)) {
    return { whole: raw, places: [], withKeys: [] };
  }
  const own = 'accounts' in raw ? raw.accounts : undefined;
  const { accounts, places, withKeys } = findAccounts(own, raw.accountsFrom, folder);
  return { whole: { ...raw, accounts }, places, withKeys };
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
