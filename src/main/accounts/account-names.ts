import type { AccountConfig } from '../../../config/schema-accounts.ts';
import type { UserConfig } from '../../../config/schema-identities.ts';
import type { Account } from '../../access/accounts.ts';
import { derivedIds } from '../../access/identities/derived-ids.ts';
import type { SecretSources } from '../secrets.ts';

/** What identifies an account; made of its name where it is not given. */
export function accountOf({ name, canonicalId, displayName, email, accountNumber }: AccountConfig): Account {
  const derived = derivedIds(name);
  return {
    name,
    canonicalId: canonicalId ?? derived.canonicalId,
    displayName: displayName ?? derived.displayName,
    email: email ?? derived.email,
    accountNumber: accountNumber ?? derived.accountNumber,
  };
}

/** One account, and what its settings may name. */
export interface AccountSurroundings {
  readonly account: Account;
  readonly byName: ReadonlyMap<string, Account>;
  /** Path of the setting, for messages. */
  readonly where: string;
  readonly sources: SecretSources;
}

export function userArn({ name, arn }: Pick<UserConfig, 'name' | 'arn'>, { accountNumber }: Account): string {
  return arn ?? `arn:aws:iam::${accountNumber}:user/${name}`;
}

export function roleArn(name: string, { accountNumber }: Account): string {
  return `arn:aws:iam::${accountNumber}:role/${name}`;
}
