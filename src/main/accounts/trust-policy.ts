import type { AccountConfig } from '../../../config/schema-accounts.ts';
import type { RoleConfig, TrustConfig } from '../../../config/schema-identities.ts';
import { expandTrust, providerArn } from '../../access/identities/trust.ts';
import type { PolicyDocument } from '../../access/policy/document.ts';
import { type AccountSurroundings, roleArn, userArn } from './account-names.ts';
import { parsed, type PolicyShelf } from './policy-shelf.ts';
import { StartError } from '../start-error.ts';

type RoleSurroundings = AccountSurroundings & { readonly config: AccountConfig };
type Fault = (setting: keyof TrustConfig, message: string) => never;

/** Who may assume a role, @throws StartError */
export function trustPolicy({ trust }: RoleConfig, shelf: PolicyShelf, surroundings: RoleSurroundings): PolicyDocument {
  const { config, account, where } = surroundings;
  if (!isShort(trust)) return shelf.documentOf(trust, `${where}.trust`, 'trust');
  const fault: Fault = (setting, message) => {
    throw new StartError([`${where}.trust.${setting}: ${message}`]);
  };
  const principals = principalsOf(trust, surroundings, fault);
  const webIdentity = (trust.webIdentity ?? []).map((identity) => {
    const known = config.identityProviders.some(({ issuer }) => issuer === identity.issuer);
    return {
      ...identity,
      provider: known
        ? providerArn(account.accountNumber, identity.issuer)
        : fault('webIdentity', `there is no identity provider ${identity.issuer} in this account`),
    };
  });
  if (principals.length + webIdentity.length === 0) {
    fault('users', 'expected somebody: users, roles, accounts or webIdentity');
  }
  const { externalId, sessionTags } = trust;
  return parsed(expandTrust({ principals, externalId, sessionTags, webIdentity }), 'trust', `${where}.trust`);
}

/** ARNs of the users, roles and accounts that a short form names. */
function principalsOf(
  { users = [], roles = [], accounts = [] }: TrustConfig,
  { config, account, byName }: RoleSurroundings,
  fault: Fault,
): string[] {
  const arnOfUser = (name: string): string => {
    if (name.startsWith('arn:')) return name;
    const user =
      config.users.find((one) => one.name === name) ?? fault('users', `there is no user ${name} in this account`);
    return userArn(user, account);
  };
  const arnOfRole = (name: string): string =>
    config.roles.some((role) => role.name === name)
      ? roleArn(name, account)
      : fault('roles', `there is no role ${name} in this account`);
  const arnOfAccount = (name: string): string => {
    const { accountNumber } = byName.get(name) ?? fault('accounts', `there is no account ${name}`);
    return `arn:aws:iam::${accountNumber}:root`;
  };
  return [...users.map(arnOfUser), ...roles.map(arnOfRole), ...accounts.map(arnOfAccount)];
}

function isShort(trust: RoleConfig['trust']): trust is TrustConfig {
  return !('Statement' in trust) && !('file' in trust);
}
