import type { AccountConfig } from '../../config/schema-accounts.ts';
import type { RoleConfig, TrustConfig } from '../../config/schema-identities.ts';
import { expandTrust, providerArn } from '../access/identities/trust.ts';
import type { PolicyDocument } from '../access/policy/document.ts';
import { type AccountSurroundings, roleArn, userArn } from './account-names.ts';
import { parsed, type PolicyShelf } from './policy-shelf.ts';
import { StartError } from './start-error.ts';

/** Who may assume a role, @throws StartError */
export function trustPolicy(
  { trust }: RoleConfig,
  shelf: PolicyShelf,
  surroundings: AccountSurroundings & { readonly config: AccountConfig },
): PolicyDocument {
  const { config, account, byName, where } = surroundings;
  if (!isShort(trust)) return shelf.documentOf(trust, `${where}.trust`, 'trust');
  const { users = [], roles = [], accounts = [], externalId, sessionTags, webIdentity = [] } = trust;
  const fault = (setting: string, message: string): never => {
    throw new StartError([`${where}.trust.${setting}: ${message}`]);
  };
  const arnOfUser = (name: string): string => {
    if (name.startsWith('arn:')) return name;
    const user =
      config.users.find((one) => one.name === name) ?? fault('users', `there is no user ${name} in this account`);
    return userArn(user, account);
  };
  const principals = [
    ...users.map(arnOfUser),
    ...roles.map((name) =>
      config.roles.some((role) => role.name === name)
        ? roleArn(name, account)
        : fault('roles', `there is no role ${name} in this account`),
    ),
    ...accounts.map(
      (name) =>
        `arn:aws:iam::${(byName.get(name) ?? fault('accounts', `there is no account ${name}`)).accountNumber}:root`,
    ),
  ];
  if (principals.length + webIdentity.length === 0) {
    fault('users', 'expected somebody: users, roles, accounts or webIdentity');
  }
  const text = expandTrust({
    principals,
    externalId,
    sessionTags,
    webIdentity: webIdentity.map((identity) => {
      const known = config.identityProviders.some(({ issuer }) => issuer === identity.issuer);
      return {
        ...identity,
        provider: known
          ? providerArn(account.accountNumber, identity.issuer)
          : fault('webIdentity', `there is no identity provider ${identity.issuer} in this account`),
      };
    }),
  });
  return parsed(text, 'trust', `${where}.trust`);
}

function isShort(trust: RoleConfig['trust']): trust is TrustConfig {
  return !('Statement' in trust) && !('file' in trust);
}
