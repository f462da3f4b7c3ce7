import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../../../src/access/bucket-policy.ts';
import { RememberedPolicies } from '../../../../src/access/policy/remembered.ts';
import { ANONYMOUS_CALLER, NO_KEYS } from '../../../../src/access/policy/context.ts';
import { evaluate } from '../../../../src/access/policy/evaluate.ts';
import { Sessions } from '../../../../src/access/sessions/sessions.ts';
import { SealingKeys } from '../../../../src/access/sessions/sealing-keys.ts';
import type { AccountDirectory } from '../../../../src/access/accounts.ts';

/** Documents take far more than their text: what is remembered of them is bounded by bytes, whatever they hold. */
const MIB = 1024 * 1024;
/** 16 MiB are kept; measured with what else the process does meanwhile. */
const MOST = 40 * MIB;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function held(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

const asMany = (text: string, bytes: number): string[] =>
  Array.from({ length: Math.floor(bytes / (text.length + 3)) }, () => text);
const open = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' };

/** As large as a policy may be, of the kind that takes most. */
const KINDS: Readonly<Record<string, object>> = {
  values: { ...open, Condition: { StringLike: { 'aws:UserAgent': asMany('*a*', 19_500) } } },
  actions: { ...open, Action: asMany('s3:*', 19_500) },
  resources: { ...open, Resource: Array.from({ length: 800 }, (_, at) => `arn:aws:s3:::b/${at}*`) },
  numbers: { ...open, Condition: { NumericEquals: { 's3:signatureAge': Array.from({ length: 9500 }, () => 1) } } },
  wildcards: { ...open, Condition: { StringLike: { 'aws:UserAgent': '*'.repeat(19_000) } } },
};

describe('policies of buckets', () => {
  for (const [name, statement] of Object.entries(KINDS)) {
    it(`take no more than a bound: ${name}`, () => {
      const before = held();
      // As the buckets' records are kept, too.
      const records = Array.from({ length: 80 }, (_, index) => ({
        settings: { policy: JSON.stringify({ Id: `${name}${String(index)}`, Statement: statement }) },
      }));
      for (const record of records) {
        const policy = policyOf(record);
        const asked = { caller: ANONYMOUS_CALLER, action: 's3:GetObject', resource: 'arn:aws:s3:::b/1', keys: NO_KEYS };
        expect(evaluate(policy === undefined ? [] : [policy], asked).said[0]?.answers).toHaveLength(1);
      }
      expect(held() - before).toBeLessThan(MOST);
      expect(records).toHaveLength(80);
    });
  }

  it('are parsed once as long as they are remembered', () => {
    const record = { settings: { policy: JSON.stringify({ Statement: open }) } };
    expect(policyOf(record)).toBe(policyOf({ settings: { ...record.settings } }));
  });

  it('that are used are kept, those that are not make room', () => {
    const remembered = new RememberedPolicies('resource');
    const text = (id: number): string => JSON.stringify({ Id: String(id), Statement: KINDS['values'] });
    const first = remembered.get(text(0));
    for (let id = 1; id < 20; id += 1) {
      remembered.get(text(id));
      expect(remembered.get(text(0))).toBe(first);
    }
    expect(remembered.bytes).toBeLessThanOrEqual(16 * MIB);
  });
});

describe('policies of sessions', () => {
  it('take no more than a bound', () => {
    const account = { name: 'a', canonicalId: 'a', displayName: 'a', email: 'a', accountNumber: '111111111111' };
    const arn = 'arn:aws:iam::111111111111:role/r';
    const role = { arn, name: 'r', id: 'r', account, tags: {}, permissions: [] };
    const keys = new SealingKeys(['a-secret-of-thirty-two-characters-or-more']);
    const sessions = new Sessions({ accounts: { role: () => role } as unknown as AccountDirectory, keys: () => keys });
    const statement = { Effect: 'Allow', Action: asMany('a:*', 1800), Resource: '*' };
    const before = held();
    for (let index = 0; index < 400; index += 1) {
      const policies = [JSON.stringify({ Version: '2012-10-17', Id: String(index), Statement: statement })];
      const identity = { kind: 'role', role: arn, name: 's' } as const;
      const { accessKeyId, sessionToken } = sessions.issue({ issuedAt: 1, expiresAt: 9e9, identity, policies });
      expect(sessions.credentialFor(accessKeyId, sessionToken)?.session?.policies).toHaveLength(1);
    }
    expect(held() - before).toBeLessThan(MOST);
  });
});
