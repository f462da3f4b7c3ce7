import { deflateRawSync } from 'node:zlib';
import type { AccountDirectory, Session, Tags } from '../../access/accounts.ts';
import type { Account } from '../../access/identities/account.ts';
import { parsePolicy } from '../../access/policy/parse.ts';
import type { SessionClaims } from '../../access/sessions/claims.ts';
import type { Sealed } from '../../access/sessions/sealing-keys.ts';
import { StsError } from '../../errors/sts-error.ts';
import { ARN, check, optional, POLICY, TAG_KEY, TAG_VALUE } from '../../protocol/sts/constraints.ts';
import type { StsResult } from '../../protocol/sts/document.ts';
import type { StsForm } from '../../protocol/sts/form.ts';

const MAX_POLICY_ARNS = 10;
const MAX_TAGS = 50;
/** Of session policies and tags, packed: the token that holds them must fit into a header beside others. */
const MAX_PACKED_BYTES = 4096;

/** What narrows a session. */
type Narrowing = Pick<SessionClaims, 'policies' | 'policyArns'>;

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

/** `Tags` and `TransitiveTagKeys`. */
export interface SessionTags {
  /** Those of this call. */
  readonly asked: Tags;
  /** With those that the caller's session hands on. */
  readonly all: Tags;
  readonly transitive: readonly string[];
}

/** @param session the caller's own, whose transitive tags last @throws StsError ValidationError */
export function sessionTags(form: StsForm, session: Session | undefined): SessionTags {
  const names = form.list('Tags', 'Key');
  const values = form.list('Tags', 'Value');
  const transitive = form.list('TransitiveTagKeys');
  if (names.length > MAX_TAGS) {
    throw new StsError(
      'ValidationError',
      `Value at 'tags' failed to satisfy constraint: Member must have length less than or equal to ${MAX_TAGS}`,
    );
  }
  if (names.length !== values.length) throw new StsError('ValidationError', 'Each tag must have a key and a value.');
  const handedOn = Object.entries(session?.tags ?? {}).filter(([name]) => includes(session?.transitive ?? [], name));
  const asked: [string, string][] = names.map((name, at) => [name, values[at] ?? '']);
  for (const [name, value] of asked) {
    check('Tags', name, TAG_KEY);
    check('Tags', value, TAG_VALUE);
    if (
      includes(
        handedOn.map(([known]) => known),
        name,
      )
    ) {
      throw new StsError(
        'ValidationError',
        "One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.",
      );
    }
  }
  if (new Set(names.map((name) => name.toLowerCase())).size !== names.length) {
    throw new StsError('ValidationError', 'Duplicate tag keys found. Please note that Tag keys are case insensitive.');
  }
  if (!transitive.every((name) => includes(names, name))) {
    throw new StsError('ValidationError', 'The specified transitive tag key must be included in the requested tags.');
  }
  return {
    asked: Object.fromEntries(asked),
    all: Object.fromEntries([...handedOn, ...asked]),
    transitive: [...handedOn.map(([name]) => name), ...transitive],
  };
}

function includes(names: readonly string[], name: string): boolean {
  return names.some((known) => known.toLowerCase() === name.toLowerCase());
}

/**
 * How much of the room for policies and tags is taken, per cent; undefined: there are none.
 * @throws StsError PackedPolicyTooLarge
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
): StsResult {
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(expiresAt * 1000).toISOString().replace('.000Z', 'Z'),
  };
}
