import type { LoadedConfig } from '../../../config/load.ts';
import type { AccountDirectory } from '../../access/accounts.ts';
import { replaceableDirectory } from '../../access/directory.ts';
import { SealingKeys } from '../../access/sessions/sealing-keys.ts';
import { directoryOf, type OwnAccount, readAccounts } from './account-settings.ts';
import { readSecret, type SecretSources } from '../secrets.ts';
import { StartError } from '../start-error.ts';

/** The identities as the files say them at the moment. */
export interface Identities {
  readonly accounts: AccountDirectory;
  /** What session tokens are sealed with; undefined: there are none. */
  readonly sealing: SealingKeys | undefined;
  /** Files and folders besides the configuration that it was read from, absolute paths. */
  readonly places: readonly string[];
}

/** Those of the operator's own files alone. */
export interface OwnIdentities extends Identities {
  /** What the directory was made of. */
  readonly own: readonly OwnAccount[];
}

/** The same, replaced as a whole when the files change. */
export interface ReplaceableIdentities {
  /** Each look-up sees the state of the moment. */
  readonly accounts: AccountDirectory;
  readonly sealing: () => SealingKeys | undefined;
  readonly places: readonly string[];
  replace(next: Identities): void;
}

/** @throws StartError */
export function openIdentities({ config, accountPlaces }: LoadedConfig, sources: SecretSources): OwnIdentities {
  const files: string[] = [];
  const noted = { ...sources, noteFile: (file: string) => void files.push(file) };
  const own = readAccounts(config.accounts, noted);
  const { keys, keysFile, keysEnv } = config.sts;
  const given =
    keysFile === undefined && keysEnv === undefined
      ? keys
      : readSecret({ file: keysFile, variable: keysEnv }, 'sts.keys', noted)
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '');
  return {
    own,
    accounts: directoryOf(own.map(({ settings }) => settings)),
    sealing: given === undefined ? undefined : sealingKeys(given),
    places: [...accountPlaces, ...files],
  };
}

function sealingKeys(keys: readonly string[]): SealingKeys {
  try {
    return new SealingKeys(keys);
  } catch (error) {
    throw new StartError([`sts.keys: ${error instanceof Error ? error.message : String(error)}`], error);
  }
}

export function replaceableIdentities(first: Identities): ReplaceableIdentities {
  let current = first;
  const accounts = replaceableDirectory(first.accounts);
  return {
    accounts,
    sealing: () => current.sealing,
    get places() {
      return current.places;
    },
    replace(next) {
      current = next;
      accounts.replace(next.accounts);
    },
  };
}
