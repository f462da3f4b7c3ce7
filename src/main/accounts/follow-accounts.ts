import { type Environment, loadConfig, type LoadedConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import type { Log } from '../../observe/log.ts';
import { openIdentities, type ReplaceableIdentities } from './identities.ts';
import { watchPlaces } from '../watch-places.ts';

interface FollowOptions {
  readonly loaded: LoadedConfig;
  readonly identities: ReplaceableIdentities;
  readonly environment: Environment;
  readonly log: Log;
}

/**
 * Takes accounts, keys, policies and the keys of sessions from their files whenever one of these changes; everything
 * else waits for a restart. What is wrong changes nothing. @returns ends it
 */
export function followAccounts({ loaded, identities, environment, log }: FollowOptions): () => void {
  let unwatch = (): void => undefined;
  let ended = false;
  const follow = (places: readonly string[]): void => {
    unwatch();
    if (!ended) unwatch = watchPlaces([...new Set([loaded.file, ...places])], reload);
  };
  const reload = (): void => {
    let accountPlaces: readonly string[] = identities.places;
    try {
      const next = loadConfig(loaded.file, environment);
      accountPlaces = [...accountPlaces, ...next.accountPlaces];
      const { config } = next;
      const opened = openIdentities(next, { folder: next.folder, environment });
      identities.replace(opened);
      follow(opened.places);
      log.info({ file: loaded.file, accounts: config.accounts.length, users: usersOf(config) }, 'accounts reloaded');
    } catch (error) {
      follow(accountPlaces);
      const reason = error instanceof Error ? error.message.replaceAll('\n', '; ') : String(error);
      log.error({ file: loaded.file, reason }, 'the changed configuration is wrong; the accounts stay as they were');
    }
  };
  follow(identities.places);
  return () => {
    ended = true;
    unwatch();
  };
}

function usersOf({ accounts }: Config): number {
  return accounts.reduce((sum, { users }) => sum + users.length, 0);
}
