import {
  type ConditionKeys,
  type PolicyCaller,
  type PolicyContext,
  NO_KEYS,
  lookupName,
} from '../../../../src/access/policy/context.ts';
import type { NamedPolicy, PolicyKind } from '../../../../src/access/policy/document.ts';
import { type Evaluation, evaluate } from '../../../../src/access/policy/evaluate.ts';
import { parsePolicy } from '../../../../src/access/policy/parse.ts';

export const USER: PolicyCaller = {
  accountNumber: '111122223333',
  canonicalId: 'c1',
  arns: ['arn:aws:iam::111122223333:user/anna'],
  isRoot: false,
};

/** A document of one statement; what is not named is whatever the kind needs. */
export function statement(fields: object, kind: PolicyKind = 'identity'): string {
  const given = {
    Effect: 'Allow',
    Action: 's3:GetObject',
    ...(kind !== 'trust' && { Resource: 'arn:aws:s3:::bucket/*' }),
    ...((kind === 'resource' || kind === 'trust') && { Principal: '*' }),
    ...fields,
  };
  const kept = Object.entries(given).filter(([, value]: readonly [string, unknown]) => value !== undefined);
  return JSON.stringify({ Version: '2012-10-17', Statement: [Object.fromEntries(kept)] });
}

export function named(text: string, kind: PolicyKind = 'identity', name = 'test'): NamedPolicy {
  const { document, faults } = parsePolicy(text, kind);
  if (document === undefined) throw new Error(faults.map(({ path, sentence }) => `${path}: ${sentence}`).join('; '));
  return { name, document };
}

export function keysOf(values: Readonly<Record<string, string | readonly string[]>>): ConditionKeys {
  return new Map(Object.entries(values).map(([key, value]) => [lookupName(key), value]));
}

export function asked(text: string, context: Partial<PolicyContext> = {}, kind: PolicyKind = 'identity'): Evaluation {
  return evaluate([named(text, kind)], {
    caller: USER,
    action: 's3:GetObject',
    resource: 'arn:aws:s3:::bucket/key',
    keys: NO_KEYS,
    ...context,
  });
}
