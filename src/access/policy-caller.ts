import type { Principal } from './accounts.ts';
import { ANONYMOUS_CALLER, type PolicyCaller } from './policy/context.ts';

const ROOT = ':root';

/** The caller in the terms of policies: ARNs, account number, provider. */
export function policyCaller(principal: Principal): PolicyCaller {
  if (principal.kind === 'anonymous') return ANONYMOUS_CALLER;
  return new AccountCaller(principal);
}

/** Makes ARNs only when a statement asks for them; most do not. */
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

/** The ARN by which a policy names a caller; for a session, the ARN of its role. Undefined: the caller is anonymous. */
export function principalArn(principal: Principal): string | undefined {
  const { arns } = policyCaller(principal);
  return arns.at(-1);
}
