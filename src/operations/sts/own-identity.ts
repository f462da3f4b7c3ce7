import { StsError } from '../../errors/sts-error.ts';
import { seconds } from '../../protocol/sts/constraints.ts';
import type { StsAction } from './action.ts';
import { credentialsElement, requireSessions } from './session-parameters.ts';

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
const DEFAULT_SECONDS = 12 * HOUR;

/**
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html: the session has the caller's own rights
 * and ends when the caller's key is removed, at the latest.
 */
export const getSessionToken: StsAction = (form, { principal, sessions, request }) => {
  if (principal.kind === 'anonymous') throw new StsError('MissingAuthenticationToken');
  if (principal.session !== undefined) {
    throw new StsError('AccessDenied', 'Cannot call GetSessionToken with session credentials');
  }
  requireSessions(sessions);
  if (form.has('SerialNumber') || form.has('TokenCode')) {
    throw new StsError('AccessDenied', 'MultiFactorAuthentication failed with invalid MFA one time pass code.');
  }
  const { account, user, accessKeyId } = principal;
  const asked = seconds(form, 'DurationSeconds', { min: 900, max: MAX_SECONDS, fallback: DEFAULT_SECONDS });
  // AWS limits sessions of an account's root to an hour.
  const lasts = user === undefined ? Math.min(asked, HOUR) : asked;
  const issuedAt = Math.floor(request.now / 1000);
  const expiresAt = issuedAt + lasts;
  const sealed = sessions.issue({
    issuedAt,
    expiresAt,
    identity: { kind: 'key', accessKeyId, holder: user?.arn ?? account.canonicalId },
  });
  return { Credentials: credentialsElement(sealed, { expiresAt }) };
};
