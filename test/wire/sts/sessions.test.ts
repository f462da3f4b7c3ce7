import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimits } from '../../../src/access/rates/rate-limits.ts';
import { type ReplaceableDirectory, replaceableDirectory } from '../../../src/access/directory.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { framedLength, signedChunks } from '../../support/clients/signed-chunks.ts';
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

const PREFIX_POLICY = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::data/team/*' },
    {
      Effect: 'Allow',
      Action: 's3:ListBucket',
      Resource: 'arn:aws:s3:::data',
      Condition: { StringLike: { 's3:prefix': 'team/*' } },
    },
  ],
});
const ACCOUNT = {
  users: [
    { name: 'alice' },
    { name: 'reader', buckets: ['da*'], readOnly: true },
    { name: 'nobody' },
    { name: 'slow', buckets: ['data'], rates: { requestsPerSecond: 2 } },
    { name: 'prefixed', buckets: ['data'], prefix: 'team/' },
  ],
  roles: [{ name: 'vending', trust: { users: ['alice'] }, buckets: ['data'] }],
};
/** Half an hour passes for expiry, none for signatures. */
const clock = { aheadMs: 0 };
let accounts: ReplaceableDirectory;
let gateway: TestGateway;
let replica: TestGateway;
let foreign: TestGateway;

beforeAll(async () => {
  accounts = replaceableDirectory(directoryOf(ACCOUNT));
  const now = (): number => Date.now() + clock.aheadMs;
  const rates = new RateLimits({ accounts, ofBucket: () => undefined });
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts, undefined, now), rates });
  replica = await startTestGateway({ accounts, sessions: sessionsOf(accounts, undefined, now) });
  foreign = await startTestGateway({
    accounts,
    sessions: sessionsOf(accounts, ['another-secret-for-tests-only-0000000000']),
  });
  for (const { port } of [gateway, replica, foreign]) {
    for (const bucket of ['data', 'dark', 'other']) {
      expect((await s3(keysOf('main'), 'PUT', `/${bucket}`, { port })).status).toBe(200);
    }
    for (const key of ['team/a', 'secret/b']) {
      expect((await s3(keysOf('main'), 'PUT', `/data/${key}`, { port, body: 'x' })).status).toBe(200);
    }
  }
});

afterAll(() => Promise.all([gateway.close(), replica.close(), foreign.close()]));

interface Sent {
  readonly port?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function s3(
  { accessKeyId, secretAccessKey, sessionToken }: Keys,
  method: string,
  target: string,
  { port = gateway.port, body = '', headers = {} }: Sent = {},
): Promise<RawAnswer> {
  const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const head = signedHead({
    method,
    target,
    accessKey: accessKeyId,
    secretKey: secretAccessKey,
    headers: { ...token, ...(body !== '' && { 'content-length': String(body.length) }), ...headers },
  });
  return roundTrip(port, head + body, method);
}

const code = ({ body }: RawAnswer): string | undefined => /<Code>(\w+)<\/Code>/.exec(body)?.[1];

function assume(parameters: Readonly<Record<string, string>> = {}): Promise<StsAnswer> {
  return callSts({
    port: gateway.port,
    keys: keysOf('alice'),
    parameters: { Action: 'AssumeRole', RoleArn: roleArn('vending'), RoleSessionName: 'job', ...parameters },
  });
}

describe('a session that is limited to a prefix', () => {
  it.each([
    ['the replica that made it', () => gateway.port],
    ['another replica', () => replica.port],
  ])('may do this and no more, at %s', async (_, portOf) => {
    const keys = (await assume({ Policy: PREFIX_POLICY })).keys();
    const port = portOf();
    const did = async (method: string, target: string, body = ''): Promise<number> =>
      (await s3(keys, method, target, { port, body })).status;
    expect(await did('GET', '/data/team/a')).toBe(200);
    expect(await did('PUT', '/data/team/c', 'y')).toBe(200);
    expect(await did('GET', '/data?list-type=2&prefix=team%2F')).toBe(200);
    expect(
      await Promise.all([
        did('GET', '/data/secret/b'),
        did('PUT', '/data/secret/c', 'y'),
        did('GET', '/data?list-type=2'),
        did('GET', '/data?list-type=2&prefix=secret%2F'),
        did('DELETE', '/data/team/a'),
        did('GET', '/dark/team/a'),
        did('GET', '/data/teams'),
      ]),
    ).toEqual(Array(7).fill(403));
  });

  it('cannot widen what the role may do', async () => {
    const everything = JSON.stringify({ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] });
    const keys = (await assume({ Policy: everything })).keys();
    expect((await s3(keys, 'GET', '/data/secret/b')).status).toBe(200);
    expect((await s3(keys, 'GET', '/other')).status).toBe(403);
  });

  it('is taken presigned and in signed chunks', async () => {
    const keys = (await assume({ Policy: PREFIX_POLICY })).keys();
    const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken } = keys;
    const presigned = (target: string): string =>
      presignedHead({ target: `${target}?X-Amz-Security-Token=${sessionToken}`, accessKey, secretKey });
    expect((await roundTrip(gateway.port, presigned('/data/team/a'), 'GET')).status).toBe(200);
    expect((await roundTrip(gateway.port, presigned('/data/secret/b'), 'GET')).status).toBe(403);
    const chunks = ['a'.repeat(8192), 'b'];
    const headers = {
      'x-amz-security-token': sessionToken,
      'x-amz-decoded-content-length': '8193',
      'content-length': String(framedLength(chunks)),
    };
    const put = {
      method: 'PUT',
      target: '/data/team/chunked',
      payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      headers,
      accessKey,
      secretKey,
    };
    const head = signedHead(put);
    expect((await roundTrip(gateway.port, head + signedChunks(head, chunks, undefined, secretKey), 'PUT')).status).toBe(
      200,
    );
  });
});

describe('a session token', () => {
  it('is required and covered by the signature', async () => {
    const keys = (await assume()).keys();
    const { sessionToken, ...without } = keys;
    expect(code(await s3(without, 'GET', '/data/team/a'))).toBe('InvalidAccessKeyId');
    const unsigned = signedHead({
      target: '/data/team/a',
      accessKey: keys.accessKeyId,
      secretKey: keys.secretAccessKey,
    }).replace(/\r\n\r\n$/, `\r\nx-amz-security-token: ${sessionToken}\r\n\r\n`);
    expect(code(await roundTrip(gateway.port, unsigned, 'GET'))).toBe('AccessDenied');
    const added = presignedHead({
      target: '/data/team/a',
      accessKey: keys.accessKeyId,
      secretKey: keys.secretAccessKey,
    }).replace(' HTTP', `&X-Amz-Security-Token=${sessionToken} HTTP`);
    expect(code(await roundTrip(gateway.port, added, 'GET'))).toBe('SignatureDoesNotMatch');
  });

  it('that is changed, of another service, or of another key is invalid', async () => {
    const keys = (await assume()).keys();
    const other = (await assume()).keys();
    const changed = `${keys.sessionToken.slice(0, 60)}${keys.sessionToken[60] === 'A' ? 'B' : 'A'}${keys.sessionToken.slice(61)}`;
    const answers = await Promise.all([
      s3({ ...keys, sessionToken: changed }, 'GET', '/data/team/a'),
      s3(keys, 'GET', '/data/team/a', { port: foreign.port }),
      s3({ ...keys, sessionToken: other.sessionToken }, 'GET', '/data/team/a'),
      s3({ ...keysOf('alice'), sessionToken: keys.sessionToken }, 'GET', '/data/team/a'),
      s3({ ...keys, sessionToken: 'FwoGZXIvYXdzEXAMPLE//////////wEaD' }, 'GET', '/data/team/a'),
    ]);
    expect(answers.map((answer) => [answer.status, code(answer)])).toEqual(Array(5).fill([400, 'InvalidToken']));
    expect(code(await s3({ ...keys, secretAccessKey: other.secretAccessKey }, 'GET', '/data/team/a'))).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it('ends when it expires', async () => {
    const keys = (await assume({ DurationSeconds: '900' })).keys();
    expect((await s3(keys, 'GET', '/data/team/a')).status).toBe(200);
    clock.aheadMs = 901_000;
    const answer = await s3(keys, 'GET', '/data/team/a');
    const sts = await callSts({ port: gateway.port, keys, parameters: { Action: 'GetCallerIdentity' } });
    clock.aheadMs = 0;
    expect([answer.status, code(answer), sts.status, sts.field('Code')]).toEqual([
      400,
      'ExpiredToken',
      403,
      'ExpiredToken',
    ]);
  });

  it('follows what the accounts say: rights, revocation, and roles and keys that are gone', async () => {
    const keys = (await assume()).keys();
    const lasting = (
      await callSts({ port: gateway.port, keys: keysOf('reader'), parameters: { Action: 'GetSessionToken' } })
    ).keys();
    const states: [object, (number | string | undefined)[]][] = [
      [ACCOUNT, [200, undefined, 200, undefined]],
      [
        { ...ACCOUNT, roles: [{ name: 'vending', trust: { users: ['alice'] }, buckets: ['dark'] }] },
        [403, 'AccessDenied', 200, undefined],
      ],
      [
        { ...ACCOUNT, roles: [{ ...ACCOUNT.roles[0], notBefore: new Date(Date.now() + 5000).toISOString() }] },
        [400, 'ExpiredToken', 200, undefined],
      ],
      [{ users: [{ name: 'alice' }] }, [400, 'InvalidToken', 400, 'InvalidToken']],
      [
        {
          ...ACCOUNT,
          users: [
            { name: 'alice' },
            { name: 'reader', buckets: ['da*'], notBefore: new Date(Date.now() + 5000).toISOString() },
          ],
        },
        [200, undefined, 400, 'ExpiredToken'],
      ],
    ];
    for (const [account, expected] of states) {
      accounts.replace(directoryOf(account));
      const [role, user] = [await s3(keys, 'GET', '/data/team/a'), await s3(lasting, 'GET', '/data/team/a')];
      expect([role.status, code(role), user.status, code(user)]).toEqual(expected);
    }
    accounts.replace(directoryOf(ACCOUNT));
  });
});

describe('whoever may list a prefix only', () => {
  it('is told of missing keys within it, and of none outside', async () => {
    const session = (await assume({ Policy: PREFIX_POLICY })).keys();
    for (const keys of [session, keysOf('prefixed')]) {
      for (const method of ['GET', 'HEAD']) {
        expect((await s3(keys, method, '/data/team/none')).status).toBe(404);
        expect((await s3(keys, method, '/data/secret/none')).status).toBe(403);
        expect((await s3(keys, method, '/data/none')).status).toBe(403);
      }
    }
  });
});

describe('a user', () => {
  const names = ({ body }: RawAnswer): string[] =>
    [...body.matchAll(/<Name>([^<]*)<\/Name>/g)].map(([, name = '']) => name);

  it('with a read-only key reads and changes nothing', async () => {
    const did = async (method: string, target: string, body = ''): Promise<number> =>
      (await s3(keysOf('reader'), method, target, { body })).status;
    expect(
      await Promise.all([did('GET', '/data/secret/b'), did('GET', '/data?list-type=2'), did('HEAD', '/dark')]),
    ).toEqual([200, 200, 200]);
    expect(
      await Promise.all([
        did('PUT', '/data/x', 'x'),
        did('DELETE', '/data/team/a'),
        did('DELETE', '/dark'),
        did('GET', '/other'),
        did('PUT', '/date'),
        did('PUT', '/data?acl'),
      ]),
    ).toEqual(Array(6).fill(403));
  });

  it('without a policy may do nothing', async () => {
    const answers = await Promise.all(
      ['/', '/data', '/data/team/a'].map((target) => s3(keysOf('nobody'), 'GET', target)),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('lists the buckets that it may list, or ask the region of', async () => {
    expect(names(await s3(keysOf('main'), 'GET', '/'))).toEqual(['dark', 'data', 'other']);
    expect(names(await s3(keysOf('reader'), 'GET', '/'))).toEqual(['dark', 'data']);
    expect(names(await s3(keysOf('prefixed'), 'GET', '/'))).toEqual(['data']);
    const first = await s3(keysOf('reader'), 'GET', '/?max-buckets=1');
    const token = /<ContinuationToken>([^<]+)/.exec(first.body)?.[1] ?? '';
    const second = await s3(keysOf('reader'), 'GET', `/?continuation-token=${token}&max-buckets=1`);
    expect([names(first), names(second), second.body.includes('ContinuationToken')]).toEqual([
      ['dark'],
      ['data'],
      false,
    ]);
    const keys = (await assume({ Policy: PREFIX_POLICY })).keys();
    expect(names(await s3(keys, 'GET', '/'))).toEqual([]);
  });

  it(`of ${NUMBER} beyond its rate is told when to come again, before its body is read`, async () => {
    const did = await Promise.all([1, 2].map(() => s3(keysOf('slow'), 'GET', '/data/team/a')));
    expect(did.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await s3(keysOf('slow'), 'PUT', '/data/slow', { body: 'x', headers: { expect: '100-continue' } });
    expect([refused.status, code(refused), refused.headers['retry-after'], refused.interim]).toEqual([
      503,
      'SlowDown',
      '1',
      [],
    ]);
    expect((await s3(keysOf('reader'), 'GET', '/data/team/a')).status).toBe(200);
  });
});
