import type { AccountConfig } from '../../../config/schema-accounts.ts';
import type { KeyConfig, ProviderConfig, RoleConfig, UserConfig } from '../../../config/schema-identities.ts';
import type { AccountDirectory } from '../../access/accounts.ts';
import {
  type AccountSettings,
  createAccountDirectory,
  type KeyPair,
  type UserSettings,
} from '../../access/directory.ts';
import { uniqueId } from '../../access/identities/derived-ids.ts';
import type { IdentityProvider, Role } from '../../access/identities/identities.ts';
import type { NamedPolicy } from '../../access/policy/document.ts';
import { providerArn } from '../../access/identities/trust.ts';
import { accountOf, type AccountSurroundings, roleArn, userArn } from './account-names.ts';
import { PolicyShelf } from './policy-shelf.ts';
import { readSecret, readSecretFile, readTextFile, type SecretSources } from '../secrets.ts';
import { StartError } from '../start-error.ts';
import { trustPolicy } from './trust-policy.ts';

/** An account of the operator's own files, its secrets and policies read. */
export interface OwnAccount {
  readonly settings: AccountSettings;
  readonly shelf: PolicyShelf;
}

/** The directory that a configuration describes, secrets read. @throws StartError */
export function accountDirectory(accounts: readonly AccountConfig[], sources: SecretSources): AccountDirectory {
  return directoryOf(readAccounts(accounts, sources).map(({ settings }) => settings));
}

/** @throws StartError a secret or policy that cannot be read, something that is named and not there */
export function readAccounts(accounts: readonly AccountConfig[], sources: SecretSources): OwnAccount[] {
  const named = accounts.map((config) => ({ config, account: accountOf(config) }));
  const byName = new Map(named.map(({ account }) => [account.name, account]));
  return named.map(({ config, account }, index) =>
    ownAccount(config, { account, byName, where: `accounts.${index}`, sources }),
  );
}

/** @throws StartError something is there twice */
export function directoryOf(settings: readonly AccountSettings[]): AccountDirectory {
  try {
    return createAccountDirectory(settings);
  } catch (error) {
    throw new StartError([`accounts: ${error instanceof Error ? error.message : String(error)}`], error);
  }
}

function ownAccount(config: AccountConfig, surroundings: AccountSurroundings): OwnAccount {
  const { account, where, sources } = surroundings;
  const shelf = new PolicyShelf(config, where, sources);
  const settings = {
    ...account,
    keys: keyPairs(config.keys, `${where}.keys`, sources),
    users: config.users.map((user, at) => userOf(user, shelf, { ...surroundings, where: `${where}.users.${at}` })),
    roles: config.roles.map((role, at) =>
      roleOf(role, shelf, { config, ...surroundings, where: `${where}.roles.${at}` }),
    ),
    policies: shelf.named,
    providers: config.identityProviders.map((provider, at) =>
      providerOf(provider, { ...surroundings, where: `${where}.identityProviders.${at}` }),
    ),
    rates: config.rates,
    quota: config.quota,
  };
  return { settings, shelf };
}

interface UserSurroundings extends Pick<AccountSurroundings, 'account' | 'where' | 'sources'> {
  /** Policies that the user may name besides those on the shelf. */
  readonly added?: ReadonlyMap<string, NamedPolicy>;
}

/** @throws StartError */
export function userOf(
  user: UserConfig,
  shelf: PolicyShelf,
  { account, where, sources, added }: UserSurroundings,
): UserSettings {
  const arn = userArn(user, account);
  return {
    name: user.name,
    arn,
    id: uniqueId('AIDA', arn),
    tags: user.tags ?? {},
    permissions: shelf.permissionsOf(user, where, user.groups, added),
    keys: keyPairs(user.keys, `${where}.keys`, sources),
    notBefore: moment(user.notBefore),
    rates: user.rates,
  };
}

function roleOf(
  role: RoleConfig,
  shelf: PolicyShelf,
  surroundings: AccountSurroundings & { readonly config: AccountConfig },
): Omit<Role, 'account'> {
  const arn = roleArn(role.name, surroundings.account);
  return {
    name: role.name,
    arn,
    id: uniqueId('AROA', arn),
    tags: role.tags ?? {},
    permissions: shelf.permissionsOf(role, surroundings.where),
    trust: trustPolicy(role, shelf, surroundings),
    maxSessionMs: role.maxSessionSeconds * 1000,
    notBefore: moment(role.notBefore),
    rates: role.rates,
  };
}

function providerOf(provider: ProviderConfig, { account, where, sources }: AccountSurroundings): IdentityProvider {
  const { issuer, audiences, jwksUri, jwksFile, caFile, tokenFile } = provider;
  const text = (file: string | undefined, setting: string): string | undefined =>
    file === undefined ? undefined : readTextFile(file, `${where}.${setting}`, sources);
  // Both are looked at now: a file that is not there is told at the start.
  if (tokenFile !== undefined) readSecretFile(tokenFile, `${where}.tokenFile`, sources);
  return {
    issuer,
    arn: providerArn(account.accountNumber, issuer),
    audiences,
    jwksUri,
    jwks: text(jwksFile, 'jwksFile'),
    ca: text(caFile, 'caFile'),
    token: tokenFile === undefined ? undefined : () => readSecretFile(tokenFile, `${where}.tokenFile`, sources).trim(),
  };
}

function moment(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function keyPairs(keys: readonly KeyConfig[], where: string, sources: SecretSources): KeyPair[] {
  return keys.map(({ accessKeyId, secretAccessKey, secretFile, secretEnv }, index) => ({
    accessKeyId,
    secretAccessKey:
      secretAccessKey ?? readSecret({ file: secretFile, variable: secretEnv }, `${where}.${index}.secret`, sources),
  }));
}
