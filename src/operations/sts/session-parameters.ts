import type { Sessions } from '../../access/sessions/sessions.ts';
import { deflateRawSync } from 'node:zlib';
import type { AccountDirectory, Tags } from '../../access/accounts.ts';
import type { Account } from '../../access/identities/account.ts';
import { parsePolicy } from '../../access/policy/parse.ts';
import type { SessionClaims } from '../../access/sessions/claims.ts';
import type { Sealed } from '../../access/sessions/sealing-keys.ts';
import { StsError } from '../../errors/sts-error.ts';
import { ARN, check, optional, POLICY } from '../../protocol/sts/constraints.ts';
import type { XmlElements } from '../../protocol/xml/encode.ts';
import type { StsForm } from '../../protocol/sts/form.ts';

/** @throws StsError NotImplemented: there are no keys to seal tokens with */
export function requireSessions(sessions: Sessions): void {
  if (!sessions.enabled) {
    throw new StsError(
      'NotImplemented',
      'This service issues no temporary credentials: its setting sts.keysFile is not set.',
    );
  }
}

const MAX_POLICY_ARNS = 10;
/**
 * Session policies and tags together, packed. The token that holds them must fit into a header, beside other headers.
 */
const MAX_PACKED_BYTES = 4096;

/** The claims that limit what a session may do. */
export type Narrowing = Pick<SessionClaims, 'policies' | 'policyArns'>;

/** `Policy` and `PolicyArns`. @throws StsError MalformedPolicyDocument, ValidationError */
export function sessionPolicies(
  form: StsForm,
  { account, accounts }: { readonly account: Account; readonly accounts: AccountDirectory },
): Narrowing {
  const policy = optional(form, 'Policy', POLICY);
  if (policy !== undefined) {
    const { faults } = parsePolicy(policy, 'session');
    if (faults !== undefined) throw new StsError('MalformedPolicyDocument', faults[0].sentence);
  }
  const policyArns = form.list('PolicyArns', 'arn');
  if (policyArns.length > MAX_POLICY_ARNS) {
    throw new StsError(
      'ValidationError',
      `Value at 'policyArns' failed to satisfy constraint: at most ${MAX_POLICY_ARNS}`,
    );
  }
  for (const arn of policyArns) {
    check('PolicyArns', arn, ARN);
    if (!arn.startsWith(`arn:aws:iam::${account.accountNumber}:policy/`) || accounts.policy(arn) === undefined) {
      throw new StsError('ValidationError', `Policy ${arn} does not exist or is not attachable.`);
    }
  }
  return { ...(policy !== undefined && { policies: [policy] }), ...(policyArns.length > 0 && { policyArns }) };
}

/**
 * How much of the room for policies and tags they take, in per cent; undefined if there are none. @throws StsError
 * PackedPolicyTooLarge
 */
export function packedSize({ policies, policyArns }: Narrowing, tags: Tags): number | undefined {
  if (policies === undefined && policyArns === undefined && Object.keys(tags).length === 0) return undefined;
  const size = deflateRawSync(JSON.stringify({ policies, policyArns, tags })).length;
  if (size > MAX_PACKED_BYTES) {
    throw new StsError(
      'PackedPolicyTooLarge',
      `Packed policy consumes ${Math.ceil((100 * size) / MAX_PACKED_BYTES)}% of allotted space, please use smaller policy.`,
    );
  }
  return Math.ceil((100 * size) / MAX_PACKED_BYTES);
}

/** `Credentials` of an answer. */
export function credentialsElement(
  { accessKeyId, secretAccessKey, sessionToken }: Sealed,
  { expiresAt }: Pick<SessionClaims, 'expiresAt'>,
): XmlElements {
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(expiresAt * 1000).toISOString().replace('.000Z', 'Z'),
  };
}
