import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReplaceableDirectory, replaceableDirectory } from '../../../src/access/directory.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
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

/** As Polaris makes it for a table: statements about keys of encryption are about nothing here. */
const TABLE = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::data/table/*' },
    {
      Effect: 'Allow',
      Action: 's3:ListBucket',
      Resource: 'arn:aws:s3:::data',
      Condition: { StringLike: { 's3:prefix': 'table/*' } },
    },
    { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: 'arn:aws:kms:us-east-1:1:key/*' },
  ],
});
const ACCOUNT = {
  users: [
    { name: 'catalog', buckets: ['data'] },
    { name: 'reader', buckets: ['data'], readOnly: true },
  ],
  roles: [{ name: 'vending', trust: { users: ['catalog'] }, buckets: ['data'] }],
};
let accounts: ReplaceableDirectory;
let gateway: TestGateway;

beforeAll(async () => {
  accounts = replaceableDirectory(directoryOf(ACCOUNT));
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
  expect(await did(keysOf('main'), 'PUT', '/data')).toBe(200);
  for (const key of ['table/a', 'other/b']) expect(await did(keysOf('main'), 'PUT', `/data/${key}`)).toBe(200);
});
afterAll(() => gateway.close());

/** @returns the status */
async function did({ sessionToken, ...keys }: Keys, method: string, target: string): Promise<number> {
  const head = signedHead({
    method,
    target,
    accessKey: keys.accessKeyId,
    secretKey: keys.secretAccessKey,
    headers: { 'content-length': '0', ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) },
  });
  return (await roundTrip(gateway.port, head, method)).status;
}

function assume(name: string | Keys, parameters: Readonly<Record<string, string>> = {}): Promise<StsAnswer> {
  const keys = typeof name === 'string' ? keysOf(name) : name;
  return callSts({ port: gateway.port, keys, parameters: { Action: 'AssumeRole', ...parameters } });
}

describe('AssumeRole without a role', () => {
  it.each(['catalog', 'main'])('gives %s a session of its own that does what its policy says', async (name) => {
    const answer = await assume(name, { Policy: TABLE, RoleSessionName: 'table', ExternalId: 'any' });
    expect(answer.status, answer.text).toBe(200);
    const keys = answer.keys();
    expect(
      await Promise.all([
        did(keys, 'GET', '/data/table/a'),
        did(keys, 'PUT', '/data/table/c'),
        did(keys, 'GET', '/data?list-type=2&prefix=table%2F'),
        did(keys, 'GET', '/data/other/b'),
        did(keys, 'DELETE', '/data/table/a'),
        did(keys, 'GET', '/data?list-type=2'),
      ]),
    ).toEqual([200, 200, 200, 403, 403, 403]);
  });

  it('says whose session it is', async () => {
    const answer = await assume('catalog');
    expect(answer.field('Arn')).toBe(`arn:aws:iam::${NUMBER}:user/catalog`);
    expect((await assume('main')).field('Arn')).toBe(`arn:aws:iam::${NUMBER}:root`);
  });

  it('widens nothing', async () => {
    const everything = JSON.stringify({ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] });
    const keys = (await assume('reader', { Policy: everything })).keys();
    expect(await did(keys, 'GET', '/data/other/b')).toBe(200);
    expect(await did(keys, 'PUT', '/data/table/d')).toBe(403);
    expect(await did(keys, 'PUT', '/another')).toBe(403);
  });

  it('cannot be had with a session, so that none outlives itself', async () => {
    const keys = (await assume('catalog', { Policy: TABLE })).keys();
    const again = await assume(keys);
    expect([again.status, again.field('Code')]).toEqual([403, 'AccessDenied']);
  });

  it('lasts an hour unless asked otherwise, and an hour at most for the account itself', async () => {
    const lasts = async (name: string, seconds?: string): Promise<number> => {
      const answer = await assume(name, seconds === undefined ? {} : { DurationSeconds: seconds });
      return Math.round((Date.parse(answer.field('Expiration') ?? '') - Date.now()) / 1000 / 60);
    };
    expect(await Promise.all([lasts('catalog'), lasts('catalog', '900'), lasts('catalog', '7200')])).toEqual([
      60, 15, 120,
    ]);
    expect(await lasts('main', '7200')).toBe(60);
  });

  it.each<[string, Readonly<Record<string, string>>, number, string]>([
    ['a role that is empty', { RoleArn: '', RoleSessionName: 'job' }, 400, 'ValidationError'],
    ['tags', { 'Tags.member.1.Key': 'team', 'Tags.member.1.Value': 'a' }, 400, 'ValidationError'],
    ['a source identity', { SourceIdentity: 'alice' }, 400, 'ValidationError'],
    ['a policy that is none', { Policy: '{}' }, 400, 'MalformedPolicyDocument'],
    ['a policy of another name', { policy: TABLE }, 400, 'ValidationError'],
    ['a moment', { DurationSeconds: '899' }, 400, 'ValidationError'],
    ['a second factor', { SerialNumber: 'arn:aws:iam::1:mfa/x', TokenCode: '123456' }, 403, 'AccessDenied'],
  ])('is refused with %s', async (_what, parameters, status, code) => {
    const answer = await assume('catalog', parameters);
    expect([answer.status, answer.field('Code')]).toEqual([status, code]);
  });

  it('ends with the key that asked for it', async () => {
    const keys = (await assume('catalog', { Policy: TABLE })).keys();
    accounts.replace(directoryOf({ users: ACCOUNT.users.slice(1) }));
    expect(await did(keys, 'GET', '/data/table/a')).toBe(400);
    accounts.replace(directoryOf(ACCOUNT));
    expect(await did(keys, 'GET', '/data/table/a')).toBe(200);
  });

  it('leaves roles as they are', async () => {
    const answer = await assume('catalog', { RoleArn: roleArn('vending'), RoleSessionName: 'job' });
    expect(answer.field('Arn')).toBe(`arn:aws:sts::${NUMBER}:assumed-role/vending/job`);
  });
});
