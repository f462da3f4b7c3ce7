import type { Principal } from './accounts.ts';
import { ANONYMOUS_CALLER, type PolicyCaller } from './policy/context.ts';

const ROOT = ':root';

/** Who a caller is in the words of policies. */
export function policyCaller(principal: Principal): PolicyCaller {
  if (principal.kind === 'anonymous') return ANONYMOUS_CALLER;
  return new AccountCaller(principal);
}

/** Most statements do not ask for ARNs. */
class AccountCaller implements PolicyCaller {
  readonly #principal: Extract<Principal, { kind: 'account' }>;
  readonly accountNumber: string;
  readonly canonicalId: string;
  readonly isRoot: boolean;
  readonly provider?: string;

  constructor(principal: Extract<Principal, { kind: 'account' }>) {
    const { account, user, session } = principal;
    this.#principal = principal;
    this.accountNumber = account.accountNumber;
    this.canonicalId = account.canonicalId;
    this.isRoot = user === undefined;
    if (session?.provider !== undefined) this.provider = session.provider;
  }

  get arns(): readonly string[] {
    const { user, session } = this.#principal;
    if (user === undefined) return [`arn:aws:iam::${this.accountNumber}${ROOT}`];
    return session?.role === undefined ? [user.arn] : [user.arn, session.role.arn];
  }
}

/** The ARN that a policy would name a caller by: of a session that of its role. Undefined: nobody signed. */
export function principalArn(principal: Principal): string | undefined {
  const { arns } = policyCaller(principal);
  return arns.at(-1);
}
