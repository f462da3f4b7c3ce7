import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../../src/access/accounts.ts';
import { decide } from '../../../../src/access/authorize.ts';
import { arnParts } from '../../../../src/access/policy/arn-pattern.ts';
import { PolicyWork } from '../../../../src/access/policy/work.ts';
import { type AskedRequest, NO_REQUEST } from '../../../../src/access/request-keys.ts';
import { cpuTimeOf } from '../../../support/cpu-time.ts';

/*
 * Owners of buckets write policies, and anybody's request is held against them: what the two make together must not
 * hold up everybody.
 * Each of these took a quarter of a second and more, up to a full one.
 */
const LONG = 'a'.repeat(15_000);
const POLICY_BYTES = 20_000;

const asMany = (text: string): string[] =>
  Array.from({ length: Math.floor(POLICY_BYTES / (text.length + 3)) }, () => text);

function policy(fields: object): string {
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: 'arn:aws:s3:::b/*',
    ...fields,
  };
  return JSON.stringify({ Version: '2012-10-17', Statement: statement });
}

const like = (patterns: string | string[]): object => ({ Condition: { StringLike: { 'aws:UserAgent': patterns } } });
const HOSTILE: Readonly<Record<string, object>> = {
  'one text with thousands of ?': like(`*${'a?'.repeat(9000)}b*`),
  'nothing but ?': like(`*${'?'.repeat(14_000)}b*`),
  'thousands of short texts': like(asMany('*ab*')),
  'thousands of short texts with ?': like(asMany('*a?b*')),
  'variables that stand for long texts': like(`*${'${aws:UserAgent}'.repeat(1200)}b`),
  ARNs: { Condition: { ArnLike: { 'aws:UserAgent': asMany('arn:aws:s3:::b/*a?b*') } } },
};

const STRANGER: Principal = {
  kind: 'account',
  account: { name: 's', canonicalId: 's', displayName: 's', email: 's@example.com', accountNumber: '999988887777' },
  accessKeyId: 'k',
};

function request(agent: string, work = new PolicyWork()): AskedRequest {
  const headers = { get: (name: string) => (name === 'user-agent' ? agent : undefined), startingWith: () => [] };
  return { ...NO_REQUEST, operation: 'GetObject', bucket: 'b', key: 'k', headers, work };
}

function decision(text: string, asked: AskedRequest, key = 'k') {
  const bucket = { name: 'b', ownerId: 'somebody', settings: { policy: text } };
  return decide(STRANGER, 's3:GetObject', { bucket, key }, asked);
}

describe('what policies may cost', () => {
  for (const [name, fields] of Object.entries(HOSTILE)) {
    it(`is cut off: ${name}`, () => {
      const agent = name === 'ARNs' ? `arn:aws:s3:::b/${LONG}` : LONG;
      expect(decision(policy(fields), request(agent))).toEqual({ allowed: false, rule: 'policyWork' });
      // Nothing is let through by it, and nothing that denies is passed over.
      const denying = policy({ ...fields, Effect: 'Deny' });
      expect(decision(denying, request(agent)).allowed).toBe(false);
    });
  }

  it('is one sum for all decisions of a request', () => {
    const text = policy(like(asMany('*ab*').slice(0, 40)));
    const work = new PolicyWork();
    const rules = Array.from({ length: 20 }, () => decision(text, request(LONG, work)).rule);
    expect(new Set(rules)).toEqual(new Set(['none', 'policyWork']));
  });

  it.each<[string, object]>([
    ['ARNs with wildcards in every part', { Condition: { ArnLike: { 'aws:UserAgent': asMany('arn:?:?:?:?:?') } } }],
    ['resources in any account', { Resource: asMany('arn:aws:s3:*:*:b/?') }],
    ['all but many resources', { Resource: undefined, NotResource: asMany('arn:aws:s3:*:*:b/?') }],
    ['variables', { Condition: { StringEquals: { 'aws:UserAgent': asMany('${aws:userid}') } } }],
  ])('counts what takes long because there is much of it: %s', (_, fields) => {
    const text = policy(fields);
    const work = new PolicyWork();
    const rules = Array.from(
      { length: 200 },
      (_none, at) => decision(text, request('arn:aws:iam::9:root', work), `key-${String(at)}`).rule,
    );
    expect(rules.at(-1)).toBe('policyWork');
  });

  it('is enough for a thousand keys and a hundred statements with wildcards', () => {
    const statements = Array.from({ length: 100 }, (_, index) => ({
      Effect: index === 99 ? 'Allow' : 'Deny',
      Principal: '*',
      Action: 's3:Get*',
      Resource: index === 99 ? 'arn:aws:s3:::b/*' : `arn:aws:s3:::b/team-${String(index)}/*/private-??/*`,
    }));
    const text = JSON.stringify({ Version: '2012-10-17', Statement: statements });
    const work = new PolicyWork();
    for (let key = 0; key < 1000; key += 1) {
      const path = `some/longer/path/with/folders/${String(key)}/${'x'.repeat(200)}`;
      expect(decision(text, request('agent', work), path).allowed).toBe(true);
    }
  });

  it('numbers and dates are no longer than numbers and dates are', () => {
    const text = policy({ Condition: { NumericNotEquals: { 'aws:UserAgent': '1' } } });
    expect(decision(text, request('1'.repeat(15_000))).allowed).toBe(true);
    expect(decision(text, request('1')).allowed).toBe(false);
  });
});

describe('the parts of an ARN', () => {
  it('are parted by colons outside of variables', () => {
    expect(arnParts('arn:aws:s3:::b/${aws:username}/*')).toEqual(['arn', 'aws', 's3', '', '', 'b/${aws:username}/*']);
    expect(arnParts('arn:aws:s3:${a:b}:${c}:d:e')).toEqual(['arn', 'aws', 's3', '${a:b}', '${c}', 'd:e']);
    expect(arnParts('arn:aws:s3::')).toBeUndefined();
  });

  it('are found in one pass over the text', () => {
    const text = `arn${':'.repeat(200_000)}}${'a'.repeat(200_000)}`;
    // Looked for anew from each colon: half a minute.
    expect(cpuTimeOf(() => expect(arnParts(text)).toBeUndefined())).toBeLessThan(2000);
  });
});
