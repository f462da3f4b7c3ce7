import type { Credential, Principal } from '../access/accounts.ts';
import type { FormVerdict } from '../auth/post-form.ts';
import type { AuthVerdict } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import type { AuthFacts } from '../observe/request-facts.ts';

const ANONYMOUS: Principal = { kind: 'anonymous' };

export function principalOf(verdict: AuthVerdict<Credential> | FormVerdict<Credential>): Principal {
  if (verdict.kind === 'anonymous') return ANONYMOUS;
  const {
    accessKeyId,
    credential: { account, user, session },
  } = verdict;
  return {
    kind: 'account',
    account,
    accessKeyId,
    ...(user !== undefined && { user }),
    ...(session !== undefined && { session }),
  };
}

export function authFacts(verdict: AuthVerdict<Credential> | FormVerdict<Credential>, identity: Principal): AuthFacts {
  return {
    method: verdict.kind === 'signed' ? verdict.method : 'anonymous',
    identity,
    failure: undefined,
    signature: undefined,
  };
}

/** What was computed is in the error itself where signatures differ. */
export function refusedAuth(error: unknown): AuthFacts {
  const failure = error instanceof S3Error ? error : undefined;
  const { CanonicalRequest: canonicalRequest, StringToSign: stringToSign } = failure?.extra ?? {};
  return {
    method: undefined,
    identity: undefined,
    failure,
    signature:
      typeof canonicalRequest === 'string' && typeof stringToSign === 'string'
        ? () => ({ canonicalRequest, stringToSign })
        : undefined,
  };
}
