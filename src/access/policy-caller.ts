import type { Principal } from './accounts.ts';
import { ANONYMOUS_CALLER, type PolicyCaller } from './policy/context.ts';

const ROOT = ':root';

/** Who a caller is in the words of policies. */
export function policyCaller(principal: Principal): PolicyCaller {
  if (principal.kind === 'anonymous') return ANONYMOUS_CALLER;
  const {
    account: { accountNumber, canonicalId },
    user,
    session,
  } = principal;
  const arns =
    user === undefined
      ? [`arn:aws:iam::${accountNumber}${ROOT}`]
      : [user.arn, ...(session?.role === undefined ? [] : [session.role.arn])];
  return { accountNumber, canonicalId, arns, isRoot: user === undefined };
}

/** The ARN that a policy would name a caller by: of a session that of its role. Undefined: nobody signed. */
export function principalArn(principal: Principal): string | undefined {
  const { arns } = policyCaller(principal);
  return arns.at(-1);
}
