import type { AccountConfig, KeyConfig } from '../../config/schema-accounts.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import { type AccountSettings, createAccountDirectory, type KeyPair } from '../access/directory.ts';
import { readSecret, type SecretSources } from './secrets.ts';
import { StartError } from './start-error.ts';

/** The directory that a configuration describes, secrets read. @throws StartError */
export function accountDirectory(accounts: readonly AccountConfig[], sources: SecretSources): AccountDirectory {
  const settings = accounts.map((account, index): AccountSettings => ({
    ...account,
    keys: keyPairs(account.keys, `accounts.${index}.keys`, sources),
    users: account.users.map((user, at) => ({ ...user, keys: keyPairs(user.keys, `accounts.${index}.users.${at}.keys`, sources) })),
  }));
  try {
    return createAccountDirectory(settings);
  } catch (error) {
    throw new StartError([`accounts: ${error instanceof Error ? error.message : String(error)}`], error);
  }
}

function keyPairs(keys: readonly KeyConfig[], where: string, sources: SecretSources): KeyPair[] {
  return keys.map(({ accessKeyId, secretAccessKey, secretFile, secretEnv }, index) => ({
    accessKeyId,
    secretAccessKey: secretAccessKey ?? readSecret({ file: secretFile, variable: secretEnv }, `${where}.${index}.secret`, sources),
  }));
}
