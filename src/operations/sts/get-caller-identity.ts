import { StsError } from '../../errors/sts-error.ts';
import type { StsAction } from './action.ts';

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
