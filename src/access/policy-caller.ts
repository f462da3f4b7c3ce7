import type { Principal } from './accounts.ts';
import { ANONYMOUS_CALLER, type PolicyCaller } from './policy/context.ts';

/** The caller in the terms of policies: ARNs, account number, provider. */
export function policyCaller(principal: Principal): PolicyCaller {
  if (principal.kind === 'anonymous') return ANONYMOUS_CALLER;
  const { account, user, session } = principal;
  const { accountNumber, canonicalId } = account;
  const role = session?.role === undefined ? [] : [session.role.arn];
  return {
    accountNumber,
    canonicalId,
    isRoot: user === undefined,
    arns: user === undefined ? [`arn:aws:iam::${accountNumber}:root`] : [user.arn, ...role],
    ...(session?.provider !== undefined && { provider: session.provider }),
  };
}

/** The ARN by which a policy names a caller; for a session, the ARN of its role. Undefined: the caller is anonymous. */
export function principalArn(principal: Principal): string | undefined {
  const { arns } = policyCaller(principal);
  return arns.at(-1);
}
