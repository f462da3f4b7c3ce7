import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callSts,
  directoryOf,
  type Keys,
  keysOf,
  NUMBER,
  roleArn,
  sessionsOf,
  type StsAnswer,
} from '../../support/clients/sts-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const OTHER = '999999999999';
const TAGGING = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${NUMBER}:user/alice` },
      Action: ['sts:AssumeRole', 'sts:TagSession'],
      Condition: {
        StringEquals: { 'aws:RequestTag/team': ['a', 'b'] },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['team'] },
      },
    },
  ],
};
/** What the role itself is tagged with, by both its names. */
const OF_TEAM = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${NUMBER}:user/alice` },
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'aws:ResourceTag/team': 'a', 'iam:ResourceTag/team': 'a' } },
    },
  ],
};
const ACCOUNT = {
  policies: { narrow: { buckets: ['narrow'], readOnly: true } },
  users: [
    { name: 'alice' },
    {
      name: 'bob',
      policies: [
        {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: roleArn('by-account') }],
        },
      ],
    },
    { name: 'carol', policies: [{ Statement: [{ Effect: 'Deny', Action: 'sts:*', Resource: '*' }] }] },
  ],
  roles: [
    {
      name: 'named',
      trust: { users: ['alice', 'carol', `arn:aws:iam::${OTHER}:user/eve`] },
      buckets: ['data'],
      maxSessionSeconds: 7200,
    },
    { name: 'by-account', trust: { accounts: ['main'] }, buckets: ['data'] },
    { name: 'external', trust: { users: ['alice'], externalId: 'the-id' }, buckets: ['data'] },
    { name: 'tagged', trust: TAGGING, buckets: ['data'] },
    { name: 'short-tags', trust: { users: ['alice'], roles: ['short-tags'], sessionTags: true }, buckets: ['data'] },
    { name: 'of-a', tags: { Team: 'a' }, trust: OF_TEAM, buckets: ['data'] },
    { name: 'of-b', tags: { team: 'b' }, trust: OF_TEAM, buckets: ['data'] },
    { name: 'of-nobody', trust: OF_TEAM, buckets: ['data'] },
    { name: 'chained', trust: { roles: ['named'] }, buckets: ['data'], maxSessionSeconds: 43_200 },
  ],
};
let gateway: TestGateway;

beforeAll(async () => {
  const accounts = directoryOf(ACCOUNT, [
    {
      name: 'other',
      accountNumber: OTHER,
      users: [
        { name: 'eve' },
        { name: 'mallory', policies: [{ Statement: [{ Effect: 'Allow', Action: 'sts:*', Resource: '*' }] }] },
      ],
    },
  ]);
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
});

afterAll(() => gateway.close());

function assume(
  who: Keys | string,
  role: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<StsAnswer> {
  const keys = typeof who === 'string' ? keysOf(who) : who;
  return callSts({
    port: gateway.port,
    keys,
    parameters: { Action: 'AssumeRole', RoleArn: roleArn(role), RoleSessionName: 'session-1', ...parameters },
  });
}

describe('GetCallerIdentity', () => {
  const identify = (more: Partial<Parameters<typeof callSts>[0]>): Promise<StsAnswer> =>
    callSts({ port: gateway.port, parameters: { Action: 'GetCallerIdentity' }, ...more });

  it('says who an account, a user and a session are, as AWS writes it', async () => {
    const root = await identify({ keys: keysOf('main') });
    expect([root.status, root.headers['content-type'], root.text]).toEqual([
      200,
      'text/xml',
      expect.stringMatching(
        /^<GetCallerIdentityResponse xmlns="https:\/\/sts\.amazonaws\.com\/doc\/2011-06-15\/">\s*<GetCallerIdentityResult>\s*<Arn>arn:aws:iam::123456789012:root<\/Arn>\s*<UserId>123456789012<\/UserId>\s*<Account>123456789012<\/Account>\s*<\/GetCallerIdentityResult>\s*<ResponseMetadata>\s*<RequestId>\w+<\/RequestId>\s*<\/ResponseMetadata>\s*<\/GetCallerIdentityResponse>\s*$/,
      ) as string,
    ]);
    const user = await identify({ keys: keysOf('alice') });
    expect([user.field('Arn'), user.field('UserId')]).toEqual([
      `arn:aws:iam::${NUMBER}:user/alice`,
      expect.stringMatching(/^AIDA/) as string,
    ]);
    const session = await identify({ keys: (await assume('alice', 'named')).keys() });
    expect([session.field('Arn'), session.field('UserId')]).toEqual([
      `arn:aws:sts::${NUMBER}:assumed-role/named/session-1`,
      expect.stringMatching(/^AROA\w{17}:session-1$/) as string,
    ]);
  });

  it.each<[string, Partial<Parameters<typeof callSts>[0]>]>([
    ['by query', { method: 'GET' }],
    ['presigned', { method: 'GET', presigned: 60 }],
    ['for the global region', { region: 'us-east-1' }],
    ['for no region', { region: '' }],
    ['under the name sts.<base host>', { host: 'sts.localhost' }],
    ['under the base host', { host: 'localhost' }],
  ])('answers %s', async (_, more) => {
    expect((await identify({ keys: keysOf('main'), ...more })).status).toBe(200);
  });

  it.each<[string, Partial<Parameters<typeof callSts>[0]>, number, string]>([
    ['nobody', {}, 403, 'MissingAuthenticationToken'],
    ['an unknown key', { keys: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, 403, 'InvalidClientTokenId'],
    ['a wrong secret', { keys: { ...keysOf('main'), secretAccessKey: 'wrong' } }, 403, 'SignatureDoesNotMatch'],
    [
      'another body than was signed',
      { keys: keysOf('main'), body: 'Action=GetCallerIdentity&Version=2011-06-15&X=1' },
      403,
      'SignatureDoesNotMatch',
    ],
    ['a signature for S3', { keys: keysOf('main'), service: 's3' }, 400, 'IncompleteSignature'],
    ['another region', { keys: keysOf('main'), region: 'eu-west-9' }, 403, 'SignatureDoesNotMatch'],
    ['an old signature', { keys: keysOf('main'), now: new Date(Date.now() - 3600_000) }, 403, 'SignatureDoesNotMatch'],
    ['a token beside a lasting key', { keys: { ...keysOf('main'), sessionToken: 'x' } }, 403, 'InvalidClientTokenId'],
    ['an unknown action', { keys: keysOf('main'), parameters: { Action: 'GetNothing' } }, 400, 'InvalidAction'],
    [
      'an unknown version',
      { keys: keysOf('main'), parameters: { Action: 'GetCallerIdentity', Version: '2010-01-01' } },
      400,
      'InvalidAction',
    ],
    ['no action', { keys: keysOf('main'), parameters: {} }, 400, 'MissingAction'],
  ])('refuses %s', async (_, more, status, code) => {
    const answer = await identify(more);
    expect([answer.status, answer.field('Code'), answer.field('Type')]).toEqual([status, code, 'Sender']);
    expect(answer.text).toMatch(/^<ErrorResponse xmlns="https:\/\/sts\.amazonaws\.com\/doc\/2011-06-15\/">/);
  });
});

describe('AssumeRole', () => {
  it('gives credentials, as AWS writes them', async () => {
    const answer = await assume('alice', 'named', { DurationSeconds: '900' });
    expect(answer.status).toBe(200);
    expect(answer.field('Arn')).toBe(`arn:aws:sts::${NUMBER}:assumed-role/named/session-1`);
    const left = Date.parse(answer.field('Expiration') ?? '') - Date.now();
    expect(left).toBeGreaterThan(880_000);
    expect(left).toBeLessThanOrEqual(900_000);
    expect(answer.field('Expiration')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(answer.field('PackedPolicySize')).toBeUndefined();
  });

  it.each<[string, { who: string; role: string; parameters?: Readonly<Record<string, string>> }, boolean]>(
    (
      [
        ['a user that the trust policy names', 'alice', 'named', {}, true],
        ['a user that it does not name', 'bob', 'named', {}, false],
        ['a named user whose own policy denies it', 'carol', 'named', {}, false],
        ['the account, where users are named', 'main', 'named', {}, false],
        ['a user whose policy allows it, where the account is trusted', 'bob', 'by-account', {}, true],
        ['a user without such a policy, where the account is trusted', 'alice', 'by-account', {}, false],
        ['the account itself, where it is trusted', 'main', 'by-account', {}, true],
        ['a named user of another account without a policy', 'eve', 'named', {}, false],
        ['an allowed user of another account that is not named', 'mallory', 'by-account', {}, false],
        ['the right external id', 'alice', 'external', { ExternalId: 'the-id' }, true],
        ['a wrong external id', 'alice', 'external', { ExternalId: 'the-other' }, false],
        ['no external id', 'alice', 'external', {}, false],
        ['a role that is not there', 'alice', 'nothing', {}, false],
        [
          'tags that the trust policy wants',
          'alice',
          'tagged',
          { 'Tags.member.1.Key': 'team', 'Tags.member.1.Value': 'a' },
          true,
        ],
        ['other values', 'alice', 'tagged', { 'Tags.member.1.Key': 'team', 'Tags.member.1.Value': 'c' }, false],
        [
          'further tags',
          'alice',
          'tagged',
          {
            'Tags.member.1.Key': 'team',
            'Tags.member.1.Value': 'a',
            'Tags.member.2.Key': 'admin',
            'Tags.member.2.Value': 'yes',
          },
          false,
        ],
        [
          'tags, where nobody may tag',
          'alice',
          'named',
          { 'Tags.member.1.Key': 'team', 'Tags.member.1.Value': 'a' },
          false,
        ],
        ['a tag of the role that its trust policy asks for', 'alice', 'of-a', {}, true],
        ['another value of it', 'alice', 'of-b', {}, false],
        ['a role without it', 'alice', 'of-nobody', {}, false],
        ['a source identity, where nobody may set one', 'alice', 'named', { SourceIdentity: 'alice' }, false],
      ] as const
    ).map(([what, who, role, parameters, allowed]) => [what, { who, role, parameters }, allowed]),
  )('%s', async (_, { who, role, parameters }, allowed) => {
    const answer = await assume(who, role, parameters);
    expect([answer.status, answer.field('Code')]).toEqual(allowed ? [200, undefined] : [403, 'AccessDenied']);
    if (!allowed) {
      expect(answer.field('Message')).toMatch(
        new RegExp(`^User: arn:aws:.* is not authorized to perform: sts:AssumeRole on resource: ${roleArn(role)}$`),
      );
    }
  });

  it('a session may assume a role that trusts its own, for an hour at most', async () => {
    const keys = (await assume('alice', 'named')).keys();
    expect((await assume(keys, 'chained')).status).toBe(200);
    const long = await assume(keys, 'chained', { DurationSeconds: '7200' });
    expect([long.status, long.field('Message')]).toEqual([
      400,
      expect.stringContaining('1 hour session limit for roles assumed by role chaining') as string,
    ]);
    expect((await assume('alice', 'chained')).status).toBe(403);
  });

  it('transitive tags last in chained sessions and cannot be changed there', async () => {
    const tags = { 'Tags.member.1.Key': 'Team', 'Tags.member.1.Value': 'a', 'TransitiveTagKeys.member.1': 'team' };
    const keys = (await assume('alice', 'short-tags', tags)).keys();
    const again = (await assume(keys, 'short-tags')).keys();
    const changed = await assume(again, 'short-tags', { 'Tags.member.1.Key': 'tEAM', 'Tags.member.1.Value': 'b' });
    expect([changed.status, changed.field('Message')]).toEqual([
      400,
      expect.stringContaining('transitive tag key') as string,
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['no role', { RoleArn: '' }, 'ValidationError'],
    ['a bad session name', { RoleSessionName: 'a b' }, 'ValidationError'],
    ['a short session name', { RoleSessionName: 'a' }, 'ValidationError'],
    ['a second', { DurationSeconds: '1' }, 'ValidationError'],
    ['longer than the role lasts', { DurationSeconds: '7201' }, 'ValidationError'],
    ['no number', { DurationSeconds: '1e3' }, 'ValidationError'],
    ['a policy that is none', { Policy: '{"Version":"2012-10-17"}' }, 'MalformedPolicyDocument'],
    [
      'a policy with a principal',
      { Policy: '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}]}' },
      'MalformedPolicyDocument',
    ],
    ['a long policy', { Policy: 'x'.repeat(2049) }, 'ValidationError'],
    [
      'a policy that is not there',
      { 'PolicyArns.member.1.arn': `arn:aws:iam::${NUMBER}:policy/none` },
      'ValidationError',
    ],
    [
      'a tag twice',
      { 'Tags.member.1.Key': 'a', 'Tags.member.1.Value': '', 'Tags.member.2.Key': 'A', 'Tags.member.2.Value': '' },
      'ValidationError',
    ],
  ])('refuses %s', async (_, parameters, code) => {
    const answer = await assume('alice', 'named', parameters);
    expect([answer.status, answer.field('Code')]).toEqual([400, code]);
  });

  it('says how much room policies take', async () => {
    const answer = await assume('alice', 'named', {
      'PolicyArns.member.1.arn': `arn:aws:iam::${NUMBER}:policy/narrow`,
      Policy: '{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}',
    });
    expect(Number(answer.field('PackedPolicySize'))).toBeGreaterThan(0);
  });
});

describe('GetSessionToken', () => {
  const get = (keys: Keys, more = {}): Promise<StsAnswer> =>
    callSts({ port: gateway.port, keys, parameters: { Action: 'GetSessionToken', ...more } });

  it('gives a user its own rights, and an account an hour', async () => {
    const keys = (await get(keysOf('alice'))).keys();
    const answer = await callSts({ port: gateway.port, keys, parameters: { Action: 'GetCallerIdentity' } });
    expect(answer.field('Arn')).toBe(`arn:aws:iam::${NUMBER}:user/alice`);
    const root = await get(keysOf('main'), { DurationSeconds: '43200' });
    expect(Date.parse(root.field('Expiration') ?? '') - Date.now()).toBeLessThanOrEqual(3600_000);
  });

  it('is not for sessions, nor for second factors that nobody has', async () => {
    const keys = (await get(keysOf('alice'))).keys();
    expect((await get(keys)).field('Code')).toBe('AccessDenied');
    expect(
      (await get(keysOf('alice'), { SerialNumber: 'arn:aws:iam::1:mfa/x', TokenCode: '123456' })).field('Code'),
    ).toBe('AccessDenied');
  });
});
