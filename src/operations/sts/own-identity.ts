import type { Principal } from '../../access/accounts.ts';
import { StsError } from '../../errors/sts-error.ts';
import { EXTERNAL_ID, optional, seconds, SESSION_NAME } from '../../protocol/sts/constraints.ts';
import type { StsForm } from '../../protocol/sts/form.ts';
import type { XmlElements } from '../../protocol/xml/encode.ts';
import type { StsAction, StsContext } from './action.ts';
import {
  credentialsElement,
  type Narrowing,
  packedSize,
  requireSessions,
  sessionPolicies,
} from './session-parameters.ts';

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html: needs no permission. */
export const getCallerIdentity: StsAction = (_form, { principal }) => {
  if (principal.kind === 'anonymous') throw new StsError('MissingAuthenticationToken');
  const {
    account: { accountNumber },
    user,
  } = principal;
  return {
    Arn: user?.arn ?? `arn:aws:iam::${accountNumber}:root`,
    UserId: user === undefined ? accountNumber : user.id,
    Account: accountNumber,
  };
};

const HOUR = 3600;
const MAX_SECONDS = 36 * HOUR;

/**
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html: the session has the caller's own rights
 * and ends when the caller's key is removed, at the latest.
 */
export const getSessionToken: StsAction = (form, context) => {
  const caller = longTermCaller('GetSessionToken', context);
  requireSessions(context.sessions);
  refuseSecondFactor(form);
  const lasts = duration(form, caller, 12 * HOUR);
  return { Credentials: credentialsOf(caller, { context, lasts, narrowing: {} }) };
};

/** What only a role gives a meaning to: its trust policy, or conditions on tags of its sessions. */
const OF_A_ROLE = ['Tags', 'TransitiveTagKeys', 'SourceIdentity'] as const;

/**
 * AssumeRole without `RoleArn`, as catalogs call it that were written for MinIO (Polaris, Lakekeeper): a session of the
 * caller itself, within `Policy` and `PolicyArns`. Nobody needs a permission to narrow their own rights. An external id
 * and a session name say nothing about a caller who signed, so they are checked and have no effect.
 * https://github.com/minio/minio/blob/master/docs/sts/assume-role.md
 */
export const assumeOwnIdentity: StsAction = (form, context) => {
  const caller = longTermCaller('AssumeRole without RoleArn', context);
  const { account, user } = caller;
  requireSessions(context.sessions);
  optional(form, 'RoleSessionName', SESSION_NAME);
  optional(form, 'ExternalId', EXTERNAL_ID);
  for (const name of OF_A_ROLE) {
    // Some clients send a list of nothing as an empty text.
    if (form.has(name) && form.get(name) !== '') throw new StsError('ValidationError', `${name} needs a RoleArn.`);
  }
  refuseSecondFactor(form);
  const lasts = duration(form, caller, HOUR);
  const narrowing = sessionPolicies(form, { account, accounts: context.accounts });
  const packed = packedSize(narrowing, {});
  return {
    AssumedRoleUser: {
      AssumedRoleId: user?.id ?? account.accountNumber,
      Arn: user?.arn ?? `arn:aws:iam::${account.accountNumber}:root`,
    },
    Credentials: credentialsOf(caller, { context, lasts, narrowing }),
    PackedPolicySize: packed,
  };
};

type Caller = Extract<Principal, { kind: 'account' }>;

/** @throws StsError MissingAuthenticationToken; AccessDenied: a session would outlive itself by making another one */
function longTermCaller(what: string, { principal }: StsContext): Caller {
  if (principal.kind === 'anonymous') throw new StsError('MissingAuthenticationToken');
  if (principal.session !== undefined) {
    throw new StsError('AccessDenied', `Cannot call ${what} with session credentials`);
  }
  return principal;
}

/** @throws StsError AccessDenied: there are no second factors here */
export function refuseSecondFactor(form: StsForm): void {
  if (form.has('SerialNumber') || form.has('TokenCode')) {
    throw new StsError('AccessDenied', 'MultiFactorAuthentication failed with invalid MFA one time pass code.');
  }
}

/** Seconds. AWS limits sessions of an account's root to an hour. @throws StsError ValidationError */
function duration(form: StsForm, { user }: Caller, fallback: number): number {
  const asked = seconds(form, 'DurationSeconds', { min: 900, max: MAX_SECONDS, fallback });
  return user === undefined ? Math.min(asked, HOUR) : asked;
}

function credentialsOf(
  { account, user, accessKeyId }: Caller,
  { context, lasts, narrowing }: { context: StsContext; lasts: number; narrowing: Narrowing },
): XmlElements {
  const issuedAt = Math.floor(context.request.now / 1000);
  const expiresAt = issuedAt + lasts;
  const sealed = context.sessions.issue({
    issuedAt,
    expiresAt,
    identity: { kind: 'key', accessKeyId, holder: user?.arn ?? account.canonicalId },
    ...narrowing,
  });
  return credentialsElement(sealed, { expiresAt });
}
