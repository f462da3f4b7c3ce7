import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../../src/access/accounts.ts';
import { decide } from '../../../../src/access/authorize.ts';
import { STEADY_KEYS } from '../../../../src/access/policy/steady.ts';
import { PolicyWork } from '../../../../src/access/policy/work.ts';
import { explainedReasons } from '../../../../src/observe/packed-reasons.ts';
import { type AskedRequest, NO_REQUEST, decisionKeys } from '../../../../src/access/request-keys.ts';

const NUMBER = '111122223333';
const account = { name: 'a', canonicalId: 'c', displayName: 'a', email: 'a@b', accountNumber: NUMBER };
const other = { ...account, name: 'o', canonicalId: 'o', accountNumber: '444455556666' };
const ARN = `arn:aws:iam::${NUMBER}:user/u`;
const allowing = { name: 'mine', document: { version: '2012-10-17', statements: [], keys: [] } } as const;
const user = { name: 'u', arn: ARN, id: 'U', tags: { team: 'red' }, permissions: [allowing] };
const session = { issuedAt: 0, expiresAt: 9e12 };
const known = (fields: object): Principal => ({ kind: 'account', account, accessKeyId: 'k', ...fields });

/** The same user, read anew with another tag; sessions that share a user and say different things. */
const CALLERS: readonly Principal[] = [
  { kind: 'anonymous' },
  known({}),
  known({ account: other }),
  known({ user }),
  known({ user: { ...user, tags: { team: 'blue' } } }),
  known({ user: { ...user, arn: `${ARN}2`, name: 'u2' } }),
  known({ user, session }),
  known({ user, session: { ...session, sourceIdentity: 'anna' } }),
  known({ user, session: { ...session, role: { name: 'r', arn: `arn:aws:iam::${NUMBER}:role/r` } } }),
  known({ user, account: other }),
];

const NOON = Date.UTC(2030, 0, 1);
const CONDITIONS: readonly object[] = [
  { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } },
  { IpAddress: { 'aws:SourceIp': ['10.0.0.0/8', '127.0.0.1'] } },
  { NumericLessThan: { 's3:TlsVersion': '1.3' } },
  { Bool: { 'aws:SecureTransport': 'false' } },
  { DateGreaterThanEquals: { 'aws:CurrentTime': '2030-01-01T00:00:00Z' } },
  { NumericLessThan: { 'aws:EpochTime': String(NOON / 1000) } },
  { StringEquals: { 'aws:PrincipalTag/team': 'red' } },
  { StringEquals: { 'aws:RequestedRegion': '${aws:UserAgent}' } },
  { StringNotEquals: { 'aws:PrincipalAccount': NUMBER } },
  { StringLike: { 'aws:userid': ['U', NUMBER] } },
  { StringEquals: { 'aws:username': 'u' } },
  { StringEquals: { 'aws:PrincipalType': 'AssumedRole' } },
  { ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::*:root' } },
  { Null: { 'aws:SourceIdentity': 'true' } },
  { Bool: { 'aws:MultiFactorAuthPresent': 'false' } },
  { StringEquals: { 'aws:RequestedRegion': 'eu' } },
  { StringLike: { 'aws:UserAgent': 'curl*' } },
  { StringEquals: { 's3:ExistingObjectTag/open': 'yes' } },
  { StringEquals: { 's3:authType': 'REST-HEADER' } },
];
const PRINCIPALS: readonly object[] = [
  { Principal: '*' },
  { Principal: { AWS: NUMBER } },
  { Principal: { AWS: ARN } },
  { NotPrincipal: { AWS: [NUMBER, ARN] } },
];
const RESOURCES = ['b/*', 'b/x*', 'b/x1', 'b/*1', 'b/${aws:username}'].map((name) => `arn:aws:s3:::${name}`);

const oneOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const statements = fc.array(
  fc
    .record({
      Effect: oneOf(['Allow', 'Deny']),
      who: oneOf(PRINCIPALS),
      Resource: fc.oneof({ weight: 5, arbitrary: fc.constant('arn:aws:s3:::b/*') }, oneOf(RESOURCES)),
      conditions: fc.subarray([...CONDITIONS], { minLength: 1, maxLength: 2 }),
    })
    .map(({ who, conditions, ...fields }) => ({
      Action: 's3:GetObject',
      ...fields,
      ...who,
      ...(conditions.length > 0 && { Condition: Object.assign({}, ...conditions) as object }),
    })),
  { minLength: 1, maxLength: 3 },
);
const request = fc.record({
  principal: oneOf(CALLERS),
  key: oneOf(['x1', 'x2', 'u', 'y']),
  agent: oneOf(['curl', 'eu']),
  clientAddress: oneOf(['127.0.0.1', '10.1.1.1', '8.8.8.8', undefined]),
  tlsVersion: oneOf(['1.2', '1.3', undefined]),
  scheme: oneOf(['http', 'https']),
  region: oneOf(['eu', 'us']),
  now: oneOf([NOON - 1001, NOON - 1, NOON, NOON + 999, NOON + 1000]),
  open: fc.boolean(),
  authMethod: oneOf(['header', 'query'] as const),
  says: fc.boolean(),
});
type Asked = typeof request extends fc.Arbitrary<infer One> ? One : never;

/** Each differs from the one before in one field, or in none: what is remembered wrongly is told to the next. */
const requests = fc
  .tuple(request, fc.array(fc.tuple(request, fc.integer({ min: 0, max: 10 })), { minLength: 15, maxLength: 30 }))
  .map(([first, others]) => {
    const all = [first];
    for (const [next, field] of others) {
      const [name] = Object.entries(next)[field] ?? [];
      const last = all.at(-1) ?? first;
      all.push(name === undefined ? last : { ...last, [name]: next[name as keyof Asked] });
    }
    return all;
  });

function decided(text: string, { principal, key, agent, open, says, ...fields }: Asked): unknown {
  const bucket = { name: 'b', ownerId: account.canonicalId, settings: { policy: text } };
  const headers = { get: (name: string) => (name === 'user-agent' ? agent : undefined), startingWith: () => [] };
  const asked: AskedRequest = { ...NO_REQUEST, ...fields, operation: 'GetObject', bucket: 'b', key, headers };
  const object = { ownerId: account.canonicalId, tags: open ? [{ key: 'open', value: 'yes' }] : [] };
  const body = { get: (name: string) => (name === 'aws:sourceip' ? '9.9.9.9' : undefined) };
  const resource = { bucket, key, object, ...(says && { says: body }) };
  const { allowed, rule, reasons } = decide(principal, 's3:GetObject', resource, { ...asked, work: new PolicyWork() });
  return { allowed, rule, reasons: reasons && explainedReasons(reasons) };
}

describe('what is remembered of answers', () => {
  it('is what statements say that were never asked before', { timeout: 60_000 }, () => {
    let times = 0;
    fc.assert(
      fc.property(statements, requests, (Statement, asked) => {
        const policy = { Version: '2012-10-17', Statement };
        const text = JSON.stringify({ ...policy, Id: `remembered ${String((times += 1))}` });
        for (const one of asked) {
          const fresh = JSON.stringify({ ...policy, Id: `fresh ${String((times += 1))}` });
          expect(decided(text, one)).toEqual(decided(fresh, one));
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** What may be looked at to answer for a key. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  caller: [],
  address: ['clientAddress'],
  connection: ['scheme', 'tlsVersion', 'region'],
  second: ['now'],
  nothing: [],
};

function looksAt<T extends object>(target: T, allowed: readonly PropertyKey[]): T {
  return new Proxy(target, {
    get(from, name) {
      if (!allowed.includes(name)) throw new Error(`looks at ${String(name)}`);
      return Reflect.get(from, name) as unknown;
    },
  });
}

it.each([...STEADY_KEYS])('%s is made of the %s, and of nothing else', (key, part) => {
  const name = key.endsWith('/') ? `${key}team` : key;
  const asked = looksAt({ ...NO_REQUEST, now: NOON + 10 }, [...(PARTS[part] ?? []), 'work']);
  const resource = looksAt({}, ['says', 'creation']);
  for (const caller of CALLERS) {
    const principal = part === 'caller' ? caller : looksAt<Principal>(caller, []);
    const read = (request: AskedRequest) =>
      decisionKeys('s3:GetObject', { principal, resource, asked: request }).get(name);
    expect(() => read(asked)).not.toThrow();
    if (part === 'second') expect(read({ ...NO_REQUEST, now: NOON + 900 })).toBe(read(asked));
  }
});
