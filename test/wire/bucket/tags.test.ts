import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { directoryOf, keysOf, NUMBER, sessionsOf } from '../../support/clients/sts-client.ts';
import { outcome } from '../../support/clients/acl-client.ts';

/* Access by tags: of the bucket, where its owner has switched that on, and of requests that tag buckets. */

const allow = (Action: unknown, Condition?: object): object => ({
  Version: '2012-10-17',
  Statement: { Effect: 'Allow', Action, Resource: '*', ...(Condition && { Condition }) },
});
const ownTag = { StringEquals: { 'aws:ResourceTag/TEAM': '${aws:PrincipalTag/team}' } };
const ACCOUNT = {
  users: [
    { name: 'blue', tags: { team: 'blue' }, policies: [allow('s3:*', ownTag)] },
    { name: 'red', tags: { team: 'red' }, policies: [allow('s3:*', ownTag)] },
    { name: 'lister', policies: [allow('s3:ListBucket', { StringEquals: { 's3:BucketTag/team': 'blue' } })] },
    {
      name: 'maker',
      policies: [
        allow(['s3:CreateBucket', 's3:TagResource'], {
          StringEquals: { 'aws:RequestTag/team': ['blue', 'red'] },
          'ForAllValues:StringEquals': { 'aws:TagKeys': ['team', 'cost'] },
        }),
        allow('s3:UntagResource', { 'ForAllValues:StringEquals': { 'aws:TagKeys': 'cost' } }),
      ],
    },
    { name: 'careless', policies: [allow('s3:CreateBucket')] },
  ],
};

let gateway: TestGateway;
let made = 0;

beforeAll(async () => {
  const accounts = directoryOf(ACCOUNT);
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
});

afterAll(() => gateway.close());

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(who: string, target: string, { method = 'GET', body = '', headers = {} }: Sent = {}): Promise<RawAnswer> {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = keysOf(who);
  const all = { 'content-length': String(Buffer.byteLength(body)), ...headers };
  return roundTrip(gateway.port, signedHead({ method, target, accessKey, secretKey, headers: all }) + body, method);
}

async function as(who: string, target: string, sent?: Sent): Promise<string> {
  return outcome(await ask(who, target, sent));
}

type Tags = Readonly<Record<string, string>>;

const tagsXml = (tags: Tags): string =>
  Object.entries(tags)
    .map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`)
    .join('');

function create(who: string, bucket: string, tags: Tags = {}): Promise<string> {
  const xml = tagsXml(tags);
  const body = xml === '' ? '' : `<CreateBucketConfiguration><Tags>${xml}</Tags></CreateBucketConfiguration>`;
  return as(who, `/${bucket}`, { method: 'PUT', body });
}

const control = { 'x-amz-account-id': NUMBER };
const arnPath = (bucket: string): string => `/v20180820/tags/arn%3Aaws%3As3%3A%3A%3A${bucket}`;

function tag(who: string, bucket: string, tags: Tags): Promise<string> {
  const body = `<TagResourceRequest><Tags>${tagsXml(tags)}</Tags></TagResourceRequest>`;
  return as(who, arnPath(bucket), { method: 'POST', body, headers: control });
}

function untag(who: string, bucket: string, keys: readonly string[]): Promise<string> {
  const query = keys.map((key) => `tagKeys=${key}`).join('&');
  return as(who, `${arnPath(bucket)}?${query}`, { method: 'DELETE', headers: control });
}

function abac(bucket: string, status: string): Promise<string> {
  const body = `<AbacStatus><Status>${status}</Status></AbacStatus>`;
  return as('main', `/${bucket}?abac`, { method: 'PUT', body });
}

async function newBucket(tags: Tags): Promise<string> {
  const bucket = `tagged-${++made}`;
  expect(await create('main', bucket, tags)).toBe('200');
  expect(await as('main', `/${bucket}/k`, { method: 'PUT', body: 'x' })).toBe('200');
  return bucket;
}

describe('tags of a bucket', () => {
  it('count in conditions about it and what is in it once that is switched on, and no longer when it is off', async () => {
    const bucket = await newBucket({ team: 'blue' });
    const get = async (): Promise<string[]> => [
      await as('blue', `/${bucket}/k`),
      await as('red', `/${bucket}/k`),
      await as('lister', `/${bucket}`),
      await as('blue', `/${bucket}/copy`, { method: 'PUT', headers: { 'x-amz-copy-source': `${bucket}/k` } }),
    ];
    const denied = '403 AccessDenied';
    expect(await get()).toEqual([denied, denied, denied, denied]);
    expect(await abac(bucket, 'Enabled')).toBe('200');
    expect((await ask('main', `/${bucket}?abac`)).body).toContain('<Status>Enabled</Status>');
    expect(await get()).toEqual(['200', denied, '200', '200']);
    expect(await tag('main', bucket, { team: 'red' })).toBe('204');
    expect(await get()).toEqual([denied, '200', denied, denied]);
    expect(await untag('main', bucket, ['team'])).toBe('204');
    expect(await get()).toEqual([denied, denied, denied, denied]);
    expect(await tag('main', bucket, { Team: 'blue' })).toBe('204');
    expect(await get()).toEqual(['200', denied, '200', '200']);
    expect(await abac(bucket, 'Disabled')).toBe('200');
    expect((await ask('main', `/${bucket}?abac`)).body).toContain('<Status>Disabled</Status>');
    expect(await get()).toEqual([denied, denied, denied, denied]);
  });

  it("count in the bucket's own policy, for its owner as well", async () => {
    const bucket = await newBucket({ state: 'frozen' });
    const Condition = { StringEquals: { 'aws:ResourceTag/state': 'frozen' } };
    const statement = { Effect: 'Deny', Principal: '*', Action: 's3:PutObject', Resource: `arn:aws:s3:::${bucket}/*` };
    const body = JSON.stringify({ Version: '2012-10-17', Statement: { ...statement, Condition } });
    expect(await as('main', `/${bucket}?policy`, { method: 'PUT', body })).toBe('204');
    expect(await as('main', `/${bucket}/new`, { method: 'PUT' })).toBe('200');
    expect(await abac(bucket, 'Enabled')).toBe('200');
    expect(await as('main', `/${bucket}/new`, { method: 'PUT' })).toBe('403 AccessDenied');
  });

  it('are changed then only by the operations whose permissions know of tags', async () => {
    const bucket = await newBucket({ team: 'blue' });
    const body = `<Tagging><TagSet>${tagsXml({ team: 'red' })}</TagSet></Tagging>`;
    expect(await as('main', `/${bucket}?tagging`, { method: 'PUT', body })).toBe('204');
    expect(await abac(bucket, 'Enabled')).toBe('200');
    expect(await as('main', `/${bucket}?tagging`, { method: 'PUT', body })).toBe('400 InvalidRequest');
    expect(await as('main', `/${bucket}?tagging`, { method: 'DELETE' })).toBe('400 InvalidRequest');
    expect((await ask('main', `/${bucket}?tagging`)).body).toContain('red');
  });

  it('are of no account at a Status that is none', async () => {
    const bucket = await newBucket({ team: 'blue' });
    expect(await abac(bucket, 'On')).toBe('400 MalformedXML');
    expect(await as('blue', `/${bucket}/k`)).toBe('403 AccessDenied');
  });
});

describe('tags that a request brings', () => {
  it.each<[string, Tags, string]>([
    ['none', {}, '403 AccessDenied'],
    ['the one that is asked for', { team: 'blue' }, '200'],
    ['one more that may be', { team: 'red', cost: '1' }, '200'],
    ['the same in letters that the list of keys has not', { TEAM: 'red' }, '403 AccessDenied'],
    ['another value', { team: 'green' }, '403 AccessDenied'],
    ['one that may not be', { team: 'blue', admin: 'yes' }, '403 AccessDenied'],
    ['the one that is asked for, and one more like it', { team: 'blue', Team: 'green' }, '403 AccessDenied'],
  ])('decide who may make a bucket: %s', async (_, tags, expected) => {
    expect(await create('maker', `made-${++made}`, tags)).toBe(expected);
  });

  it('need a permission of their own', async () => {
    expect(await create('careless', `made-${++made}`)).toBe('200');
    expect(await create('careless', `made-${++made}`, { team: 'blue' })).toBe('403 AccessDenied');
  });

  it('decide who may tag a bucket and untag it', async () => {
    const bucket = await newBucket({ owner: 'me' });
    expect(await tag('maker', bucket, { team: 'blue' })).toBe('204');
    expect(await tag('maker', bucket, { team: 'green' })).toBe('403 AccessDenied');
    expect(await tag('maker', bucket, { team: 'blue', owner: 'you' })).toBe('403 AccessDenied');
    expect(await tag('careless', bucket, { team: 'blue' })).toBe('403 AccessDenied');
    expect(await tag('maker', bucket, { team: 'red', cost: '1' })).toBe('204');
    expect(await untag('maker', bucket, ['cost', 'owner'])).toBe('403 AccessDenied');
    expect(await untag('maker', bucket, ['cost'])).toBe('204');
    const { body } = await ask('main', `/${bucket}?tagging`);
    expect(body).toContain('red');
    expect(body).toContain('owner');
    expect(body).not.toContain('cost');
  });
});
