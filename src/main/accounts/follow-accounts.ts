import { type Environment, loadConfig } from '../../../config/load.ts';
import type { Log } from '../../observe/log.ts';
import type { AccountsInForce } from './accounts-in-force.ts';
import { watchPlaces } from '../watch-places.ts';

interface FollowOptions {
  readonly inForce: AccountsInForce;
  readonly environment: Environment;
  readonly log: Log;
}

/**
 * Takes accounts, keys, policies and the keys of sessions from their files whenever one of these changes; everything
 * else waits for a restart. What is wrong changes nothing. @returns ends it
 */
export function followAccounts({ inForce, environment, log }: FollowOptions): () => void {
  const { identities } = inForce;
  const { file } = inForce.loaded;
  let unwatch = (): void => undefined;
  let ended = false;
  const follow = (places: readonly string[]): void => {
    unwatch();
    if (!ended) unwatch = watchPlaces([...new Set([file, ...places])], reload);
  };
  const reload = (): void => {
    let accountPlaces: readonly string[] = identities.places;
    try {
      const loaded = loadConfig(file, environment);
      accountPlaces = [...accountPlaces, ...loaded.accountPlaces];
      inForce.replaceFiles(loaded);
      follow(identities.places);
      const { accounts } = loaded.config;
      const users = accounts.reduce((sum, account) => sum + account.users.length, 0);
      log.info({ file, accounts: accounts.length, users }, 'accounts reloaded');
    } catch (error) {
      follow(accountPlaces);
      const reason = error instanceof Error ? error.message.replaceAll('\n', '; ') : String(error);
      log.error({ file, reason }, 'the changed configuration is wrong; the accounts stay as they were');
    }
  };
  follow(identities.places);
  return () => {
    ended = true;
    unwatch();
  };
}
