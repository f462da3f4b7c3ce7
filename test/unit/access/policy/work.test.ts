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
  'a long text with a ? behind it': like(`*${'a'.repeat(9000)}?b*`),
  'texts of which all but the last letter stands everywhere': like(asMany(`*${'a'.repeat(18)}b*`)),
  'texts in any case, put together': {
    Condition: { StringEqualsIgnoreCase: { 'aws:UserAgent': asMany('${aws:userid}') } },
  },
  'variables that stand for long texts': like(`*${'${aws:UserAgent}'.repeat(1200)}b`),
  ARNs: { Condition: { ArnLike: { 'aws:UserAgent': asMany('arn:aws:s3:::b/*a?b*') } } },
};

const numbered = (text: (at: number) => string): string[] => {
  const all: string[] = [];
  for (let bytes = 0; bytes < POLICY_BYTES - 200; bytes += (all.at(-1) ?? '').length + 3) all.push(text(all.length));
  return all;
};

/** A text of this length, that goes on with the same. */
const filled = (start: string, more: string, length: number): string =>
  (start + more.repeat(Math.ceil(length / more.length))).slice(0, length);

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36';

const STRANGER: Principal = {
  kind: 'account',
  account: { name: 's', canonicalId: 's', displayName: 's', email: 's@example.com', accountNumber: '999988887777' },
  accessKeyId: 'k',
};

function request(agent: string, work?: PolicyWork): AskedRequest {
  return saying({ 'user-agent': agent }, work);
}

/** @param work absent: what every request gets for what it says */
function saying(said: Readonly<Record<string, string>>, work?: PolicyWork): AskedRequest {
  const headers = { get: (name: string) => said[name], startingWith: () => Object.entries(said) };
  return { ...NO_REQUEST, operation: 'GetObject', bucket: 'b', key: 'k', headers, work };
}

/** Adds the steps up. */
class CountedWork extends PolicyWork {
  steps = 0;

  override spend(steps: number): void {
    this.steps += steps;
    super.spend(steps);
  }
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

  it('is in proportion to the policy, where it names other actions and principals', () => {
    const ids = numbered((at) => `arn:aws:iam::${String(100_000_000_000 + at)}:root`);
    const others = { actions: { Action: asMany('s3:*?*?*?*ng') }, principals: { Principal: { AWS: ids } } };
    for (const fields of Object.values(others)) {
      const work = new CountedWork(() => 1e9);
      decision(policy(fields), request('agent', work));
      expect(work.steps).toBeGreaterThan(500);
      expect(work.steps).toBeLessThan(125_000);
    }
  });

  it('counts a text that nearly fits everywhere at each place, with what is compared there', () => {
    const work = new CountedWork(() => 1e9);
    decision(policy(like(`*${'a'.repeat(18)}b*`)), request(LONG, work));
    expect(work.steps).toBeGreaterThan(10 * LONG.length);
  });

  it('is one sum for all decisions of a request', () => {
    const text = policy(like(asMany('*ab*').slice(0, 10)));
    const asked = request(LONG);
    const rules = Array.from({ length: 20 }, () => decision(text, asked).rule);
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

  it.each(Object.entries(HOSTILE))('is in proportion to what the request says: %s', (name, fields) => {
    const prefix = name === 'ARNs' ? 'arn:aws:s3:::b/' : '';
    for (const length of [100, 1000, 15_000]) {
      const agent = prefix + LONG.slice(0, length);
      const asked = request(agent, new CountedWork(() => agent.length));
      decision(policy(fields), asked);
      // What goes over the bound is counted, too: one search, over the whole of the value at most.
      expect((asked.work as CountedWork).steps).toBeLessThan(125_000 + 20 * agent.length);
    }
  });

  /** As people write them, and as many as a policy of a bucket can have. */
  const HONEST: Readonly<Record<string, { fields: object; said?: Readonly<Record<string, string>>; most: number }>> = {
    'a site and its subdomains as referer': {
      fields: { Condition: { StringLike: { 'aws:Referer': ['https://example.com/*', 'https://*.example.com/*'] } } },
      most: 1000,
    },
    'as many domains as there is room for as referer': {
      fields: { Condition: { StringLike: { 'aws:Referer': numbered((at) => `https://*.site-${at}.example.com/*`) } } },
      most: 50_000,
    },
    'the same over any protocol': {
      fields: { Condition: { StringLike: { 'aws:Referer': numbered((at) => `*://*.site-${at}.example.com/*`) } } },
      most: 60_000,
    },
    'as many clients as there is room for': {
      fields: { Condition: { StringLike: { 'aws:UserAgent': numbered((at) => `*crawler-${at}*`) } } },
      most: 60_000,
    },
    'as many networks as there is room for': {
      fields: { Condition: { IpAddress: { 'aws:SourceIp': numbered((at) => `10.${at >> 8}.${at & 255}.0/24`) } } },
      most: 5000,
    },
    'as many roles as there is room for, in any account': {
      fields: { Condition: { ArnLike: { 'aws:PrincipalArn': numbered((at) => `arn:aws:iam::*:role/team-${at}`) } } },
      most: 60_000,
    },
    'as many endings of keys as there is room for': {
      fields: { Resource: numbered((at) => `arn:aws:s3:::b/*.ext${at}`) },
      most: 10_000,
    },
    'as many folders at any depth as there is room for': {
      fields: { Resource: numbered((at) => `arn:aws:s3:::b/*/team-${at}/*`) },
      most: 75_000,
    },
    'as many folders in folders at any depth': {
      fields: { Resource: numbered((at) => `arn:aws:s3:::b/*/team-${at}/*/private/*`) },
      most: 75_000,
    },
    'all but many folders at any depth': {
      fields: { Resource: undefined, NotResource: numbered((at) => `arn:aws:s3:::b/*/team-${at}/*`) },
      most: 75_000,
    },
    'many folders of any caller': {
      fields: { Resource: numbered((at) => `arn:aws:s3:::b/*/\${aws:userid}/team-${at}/*`) },
      most: 60_000,
    },
  };

  it.each(Object.entries(HONEST))('is enough for the longest key and policy: %s', (_, { fields, most }) => {
    const said = {
      referer: filled('https://www.example.com/', 'articles/2026/title?id=42/', 2000),
      'user-agent': AGENT,
    };
    const key = filled('data/team-analytics/', 'region=eu-west-1/part-00042-of-00512.parquet/', 1024);
    const counting = new CountedWork();
    const text = policy(fields);
    expect(text.length).toBeLessThan(20 * 1024);
    expect(decision(text, { ...saying(said, counting), clientAddress: '192.0.2.7' }, key).rule).not.toBe('policyWork');
    expect(counting.steps).toBeLessThan(most);
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
