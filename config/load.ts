import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findAccounts, type FoundAccounts, WRITTEN_KEY } from './accounts-files.ts';
import { ConfigError, plainMessage, settingLines } from './setting-lines.ts';
import { applyEnvironment } from './environment.ts';
import { readYaml } from './read-yaml.ts';
import { CONFIG, type Config } from './schema.ts';

export { ConfigError };

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute path of the file; relative paths in it start from its folder. */
  readonly file: string;
  readonly folder: string;
  /** Absolute paths of the further files and folders that accounts were read from. */
  readonly accountPlaces: readonly string[];
  /** All files among them that contain a secret themselves, with the setting that holds it. */
  readonly writtenSecrets: readonly WrittenSecret[];
}

interface WrittenSecret {
  /** Absolute path. */
  readonly file: string;
  readonly setting: 'accounts.keys.secretAccessKey' | 'sts.keys';
}

/**
 * Reads a YAML file, applies the `S3GW_...` variables and checks the result.
 * @throws ConfigError
 */
export function loadConfig(fileName: string, environment: Environment): LoadedConfig {
  const file = resolve(fileName);
  const written = readYaml(readText(file), file) ?? {};
  const { settings: raw, variables } = applyEnvironment(written, environment);
  const folder = dirname(file);
  const { whole, places, withKeys } = withAccounts(raw, folder);
  const parsed = CONFIG.safeParse(whole, { error: plainMessage });
  if (!parsed.success) throw new ConfigError(settingLines(parsed.error, variables), parsed.error);
  const ofAccounts = withKeys.map((one): WrittenSecret => ({ file: one, setting: 'accounts.keys.secretAccessKey' }));
  return {
    config: parsed.data,
    file,
    folder,
    accountPlaces: places,
    writtenSecrets: [...secretsIn(written, file), ...ofAccounts],
  };
}

/** A value from the environment is in no file. */
function secretsIn(written: unknown, file: string): WrittenSecret[] {
  const { sts } = written as { readonly sts?: { readonly keys?: unknown } };
  return [
    ...(JSON.stringify(written).includes(WRITTEN_KEY)
      ? [{ file, setting: 'accounts.keys.secretAccessKey' } as const]
      : []),
    ...(sts?.keys === undefined ? [] : [{ file, setting: 'sts.keys' } as const]),
  ];
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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`], error);
  }
}
