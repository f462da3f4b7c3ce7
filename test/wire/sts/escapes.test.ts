import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Fields, exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { callSts, directoryOf, type Keys, keysOf, roleArn, sessionsOf } from '../../support/clients/sts-client.ts';

/*
 * A session of one account that may read and write below `data/team/`, and no more: all that it could try to get at
 * another prefix, another bucket, another account, or at rights of another session.
 */
const POLICY = JSON.stringify({
  Statement: { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::data/team/*' },
});
const WIDE = JSON.stringify({ Statement: { Effect: 'Allow', Action: '*', Resource: '*' } });

let gateway: TestGateway;
let session: Required<Keys>;
let other: Required<Keys>;

interface Sent {
  readonly keys?: Keys;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function ask(
  method: string,
  target: string,
  { keys = session, headers = {}, body = '' }: Sent = {},
): Promise<RawAnswer> {
  const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken } = keys;
  const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const all = { ...token, 'content-length': String(Buffer.byteLength(body)), ...headers };
  return roundTrip(gateway.port, signedHead({ method, target, accessKey, secretKey, headers: all }) + body, method);
}

beforeAll(async () => {
  const tenant = { name: 'tenant', accountNumber: '999999999999', keys: [keysOf('tenant')] };
  const account = {
    users: [{ name: 'alice' }],
    roles: [{ name: 'vending', trust: { users: ['alice'] }, buckets: ['data'] }],
  };
  const accounts = directoryOf(account, [tenant]);
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
  for (const [name, bucket, keys] of [
    ['main', 'data', ['team/a', 'secret/b']],
    ['tenant', 'foreign', ['team/a', 'k']],
  ] as const) {
    expect((await ask('PUT', `/${bucket}`, { keys: keysOf(name) })).status).toBe(200);
    for (const key of keys) {
      expect((await ask('PUT', `/${bucket}/${key}`, { keys: keysOf(name), body: key })).status).toBe(200);
    }
  }
  const assume = async (Policy: string): Promise<Required<Keys>> => {
    const parameters = { Action: 'AssumeRole', RoleArn: roleArn('vending'), RoleSessionName: 'job', Policy };
    return (await callSts({ port: gateway.port, keys: keysOf('alice'), parameters })).keys();
  };
  session = await assume(POLICY);
  other = await assume(WIDE);
});

afterAll(() => gateway.close());

/** Everything that is stored in both buckets. */
async function state(): Promise<string[]> {
  const seen: string[] = [];
  for (const [bucket, keys] of [
    ['data', keysOf('main')],
    ['foreign', keysOf('tenant')],
  ] as const) {
    seen.push(
      (await ask('GET', `/${bucket}?versions`, { keys })).body,
      (await ask('GET', `/${bucket}?acl`, { keys })).body,
    );
    seen.push(String((await ask('GET', `/${bucket}?policy`, { keys })).status));
  }
  return seen;
}

const refused = /^4/;
const DELETION = '<Delete><Object><Key>secret/b</Key></Object><Object><Key>team/a</Key></Object></Delete>';

/** What is asked, and with what beside; each by a session that may do none of it. */
const ATTEMPTS: readonly (readonly [string, string, Sent?])[] = [
  ...['/data/secret/b', '/data', '/foreign/k', '/foreign/team/a', '/foreign'].flatMap((target) =>
    (['GET', 'HEAD', 'PUT', 'DELETE'] as const).map((method) => [method, target] as const),
  ),
  ...['acl', 'policy', 'tagging', 'versions', 'uploads', 'location', 'cors'].flatMap((query) => [
    ['GET', `/data?${query}`] as const,
    ['GET', `/foreign?${query}`] as const,
    ['DELETE', `/foreign?${query}`] as const,
  ]),
  ['PUT', '/data?policy', { body: WIDE }],
  ['GET', '/data/team/../secret/b'],
  ['GET', '/data/team/%2e%2e/secret/b'],
  ['GET', '/data//team/a'],
  ['GET', '/data/TEAM/a'],
  ['PUT', '/data/team/copy', { headers: { 'x-amz-copy-source': '/data/secret/b' } }],
  ['PUT', '/data/team/copy', { headers: { 'x-amz-copy-source': '/foreign/k' } }],
  ['PUT', '/data/team/copy', { headers: { 'x-amz-copy-source': '/data/team%2F..%2F..%2Fsecret/b' } }],
  ['PUT', '/data/team/public', { headers: { 'x-amz-acl': 'public-read' }, body: 'x' }],
  ['PUT', '/data/team/given', { headers: { 'x-amz-grant-read': 'id="x"' }, body: 'x' }],
  ['POST', '/data?delete', { headers: { 'content-md5': contentMd5(DELETION) }, body: DELETION }],
  ['POST', '/foreign/k?uploads'],
  ['GET', `/data/secret/b?Policy=${encodeURIComponent(WIDE)}`],
  ['GET', '/data/secret/b', { headers: { 'x-amz-policy': WIDE } }],
  ['GET', '/data/secret/b', { headers: { 'x-amz-expected-bucket-owner': '999999999999' } }],
];

function presigned(query: string, keys: Keys, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = keys;
  return roundTrip(gateway.port, presignedHead({ target: `/data/secret/b?${query}`, accessKey, secretKey, headers }));
}

function form(
  key: string,
  token: string | undefined,
  { bucket = 'data', keys = session }: { bucket?: string; keys?: Keys } = {},
): Promise<RawAnswer> {
  const fields: Fields = [['key', key], ...(token === undefined ? [] : [['x-amz-security-token', token] as const])];
  const signing = { accessKey: keys.accessKeyId, secretKey: keys.secretAccessKey };
  return roundTrip(
    gateway.port,
    formRequest(bucket, { fields: signedV4(fields, exactly(fields, bucket), signing), file: 'x' }),
  );
}

describe('a session that is held to a prefix', () => {
  it('gets at nothing else, whatever it asks, and changes nothing', async () => {
    const before = await state();
    for (const [method, target, sent] of ATTEMPTS) {
      const { status, body } = await ask(method, target, sent);
      const isDeletion = target.endsWith('?delete') && status === 200;
      if (isDeletion) expect(body.match(/<Code>AccessDenied</g)).toHaveLength(2);
      else expect([method, target, String(status)]).toEqual([method, target, expect.stringMatching(refused)]);
    }
    expect(await state()).toEqual(before);
  });

  it('has one token: none, two, or that of a wider session are no way', async () => {
    const wide = other.sessionToken;
    const own = session.sessionToken;
    const answers = await Promise.all([
      presigned('', session),
      presigned(`X-Amz-Security-Token=${wide}`, session),
      presigned(`X-Amz-Security-Token=${own}&X-Amz-Security-Token=${wide}`, session),
      presigned(`X-Amz-Security-Token=${wide}&x-amz-security-token=${own}`, session),
      presigned(`X-Amz-Security-Token=${own}`, session, { 'x-amz-security-token': wide }),
      presigned(`X-Amz-Security-Token=${own}`, other),
      presigned(`X-Amz-Security-Token=${own}`, keysOf('alice')),
      presigned(`X-Amz-Security-Token=${own}`, session),
      ask('GET', '/data/secret/b', { keys: { ...session, sessionToken: wide } }),
      ask('GET', '/data/secret/b', { keys: { ...other, sessionToken: own } }),
      ask('GET', '/data/secret/b', { headers: { 'X-AMZ-SECURITY-TOKEN': wide } }),
      ask('GET', `/data/secret/b?X-Amz-Security-Token=${wide}`),
      ask('GET', '/data/secret/b', { keys: { ...keysOf('main'), sessionToken: own } }),
      // Secret and token that fit, under the name of another key, which logs and reports would show.
      ask('GET', '/data/team/a', { keys: { ...session, accessKeyId: other.accessKeyId } }),
      ask('GET', '/data/team/a', { keys: { ...session, accessKeyId: keysOf('main').accessKeyId } }),
      ask('GET', '/data/team/a', { keys: { ...session, accessKeyId: keysOf('alice').accessKeyId } }),
    ]);
    expect(answers.map(({ status }) => String(status))).toEqual(
      answers.map((): unknown => expect.stringMatching(refused)),
    );
    expect((await presigned(`X-Amz-Security-Token=${wide}`, other)).status).toBe(200);
  });

  it('signs forms for its prefix only, and with its own token', async () => {
    const before = await state();
    const answers = await Promise.all([
      form('secret/c', session.sessionToken),
      form('team/../c', undefined),
      form('team/c', undefined),
      form('team/c', other.sessionToken),
      form('secret/c', other.sessionToken),
      form('team/c', session.sessionToken, { keys: other }),
      form('team/c', session.sessionToken, { bucket: 'foreign' }),
    ]);
    expect(answers.map(({ status }) => String(status))).toEqual(
      answers.map((): unknown => expect.stringMatching(refused)),
    );
    expect(await state()).toEqual(before);
    expect((await form('team/c', session.sessionToken)).status).toBe(204);
  });

  it('makes no further sessions but where a role trusts it', async () => {
    const call = (parameters: Readonly<Record<string, string>>, keys: Keys = session): Promise<number> =>
      callSts({ port: gateway.port, keys, parameters }).then(({ status }) => status);
    const role = { Action: 'AssumeRole', RoleArn: roleArn('vending'), RoleSessionName: 'job', Policy: WIDE };
    expect(await call(role)).toBe(403);
    expect(await call(role, other)).toBe(403);
    expect(await call({ Action: 'GetSessionToken' })).toBe(403);
    expect(await call({ Action: 'GetCallerIdentity' })).toBe(200);
    expect(await call({ Action: 'GetCallerIdentity' }, { ...session, sessionToken: other.sessionToken })).toBe(403);
    expect(await call({ ...role, RoleArn: roleArn('vending', '999999999999') })).toBe(403);
  });
});
