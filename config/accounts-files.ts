import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, plainMessage, settingLines } from './setting-lines.ts';
import { readYaml } from './read-yaml.ts';
import { ACCOUNT, ACCOUNTS_FILE } from './schema-accounts.ts';

type Tree = Record<string, unknown>;

/** The accounts of several files, not yet checked as a whole, and the paths that must be watched for changes. */
export interface FoundAccounts {
  readonly accounts: readonly unknown[];
  /** Absolute paths of the files and folders that `accountsFrom` names. */
  readonly places: readonly string[];
  /** Absolute paths of the files that contain keys themselves. */
  readonly withKeys: readonly string[];
}

const ACCOUNTS_FILES = /\.(?:ya?ml|json)$/;
/**
 * Settings whose value is the name of a file. Relative names start from the folder of the file that has the setting.
 */
const FILE_SETTINGS: ReadonlySet<string> = new Set(['secretFile', 'file', 'caFile', 'jwksFile', 'tokenFile']);
/** The link under which Kubernetes keeps the present content of a mounted Secret or ConfigMap. It swaps the link. */
const MOUNTED = '..data';
const ATTEMPTS = 5;
/** The setting that holds a secret itself. */
export const WRITTEN_KEY = 'secretAccessKey';

/**
 * Reads the accounts of the files and folders that `accountsFrom` names, in order, after those of the configuration
 * itself. Entries with the same account name are merged.
 * @throws ConfigError naming the file and what is wrong in it
 */
export function findAccounts(own: unknown, from: unknown, folder: string): FoundAccounts {
  const named = typeof from === 'string' ? [from] : from;
  const places = Array.isArray(named)
    ? named.filter((place) => typeof place === 'string').map((place) => resolve(folder, place))
    : [];
  const read = places.flatMap(readPlace);
  const found = read.flatMap(accountsOf);
  const first: unknown[] = Array.isArray(own) ? own : [];
  const withKeys = read.filter(({ text }) => text.includes(WRITTEN_KEY)).map(({ file }) => file);
  return { accounts: found.length === 0 ? first : merged([...first, ...found]), places, withKeys };
}

interface ReadFile {
  readonly file: string;
  readonly text: string;
}

function readPlace(place: string): ReadFile[] {
  try {
    return statSync(place).isDirectory() ? readFolder(place) : [{ file: place, text: readFileSync(place, 'utf8') }];
  } catch (error) {
    throw new ConfigError(
      [`accountsFrom: cannot read ${place} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`],
      error,
    );
  }
}

/** All files are read from one state of the folder: while Kubernetes swaps a mount, old and new ones could be mixed. */
function readFolder(folder: string): ReadFile[] {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const state = stateOf(folder);
      const names = readdirSync(state)
        .filter((name) => !name.startsWith('.') && ACCOUNTS_FILES.test(name))
        .sort();
      const files = names.map((name) => ({ file: join(folder, name), text: readFileSync(join(state, name), 'utf8') }));
      if (stateOf(folder) === state || attempt === ATTEMPTS) return files;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

function stateOf(folder: string): string {
  const mounted = join(folder, MOUNTED);
  return existsSync(mounted) ? realpathSync(mounted) : folder;
}

function accountsOf({ file, text }: ReadFile): Tree[] {
  const parsed = ACCOUNTS_FILE.safeParse(readYaml(text, file) ?? { accounts: [] }, { error: plainMessage });
  if (!parsed.success) {
    throw new ConfigError(
      settingLines(parsed.error).map((line) => `${file}: ${line}`),
      parsed.error,
    );
  }
  parsed.data.accounts.forEach((account, index) => {
    const { success, error } = ACCOUNT.safeParse(account, { error: plainMessage });
    if (!success) {
      throw new ConfigError(
        settingLines(error).map((line) => `${file}: accounts.${index}.${line}`),
        error,
      );
    }
  });
  return parsed.data.accounts.map((account) => withAbsoluteFiles(account, dirname(file)) as Tree);
}

function withAbsoluteFiles(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withAbsoluteFiles(item, folder));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    FILE_SETTINGS.has(name) && typeof member === 'string' ? resolve(folder, member) : withAbsoluteFiles(member, folder),
  ]);
  return Object.fromEntries(entries) as Tree;
}

/** Users, roles, groups, keys and policies of one account may stand in several files: one for each team, say. */
function merged(accounts: readonly unknown[]): unknown[] {
  const byName = new Map<unknown, Tree>();
  const result: unknown[] = [];
  for (const account of accounts) {
    const name = (account as Tree | null)?.['name'];
    const known = byName.get(name);
    if (known !== undefined) {
      addTo(known, account as Tree);
      continue;
    }
    const copy = { ...(account as Tree) };
    byName.set(name, copy);
    result.push(copy);
  }
  return result;
}

function addTo(account: Tree, more: Tree): void {
  for (const [setting, value] of Object.entries(more)) {
    const known = account[setting];
    if (known === undefined) {
      account[setting] = value;
    } else if (Array.isArray(known) && Array.isArray(value)) {
      account[setting] = [...(known as unknown[]), ...(value as unknown[])];
    } else if (setting === 'policies') {
      account[setting] = bothPolicies(known as Tree, value as Tree, String(account['name']));
    } else if (known !== value) {
      throw new ConfigError([`accounts: ${setting} of account ${String(account['name'])} is there twice`]);
    }
  }
}

function bothPolicies(one: Tree, other: Tree, account: string): Tree {
  const twice = Object.keys(other).find((name) => Object.hasOwn(one, name));
  if (twice !== undefined) throw new ConfigError([`accounts: policy ${twice} of account ${account} is there twice`]);
  return { ...one, ...other };
}
