import { beforeEach, describe, expect, test } from 'vitest';
import { type Caller, contentMd5, outcome } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

const OTHER = 'arn:aws:iam::555555555555:root';
const ROBOT = 'arn:aws:iam::444444444444:user/robot';

const shared = sharedGateway();
const { ask, as } = shared;
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `policy-${++made}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
  for (const key of ['open', 'closed']) {
    const headers = { 'x-amz-tagging': `kind=${key}` };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/${key}`, body: key, headers })).toBe('200');
  }
});

const get = (caller: Caller, target: string): Promise<string> =>
  as(caller, { method: 'GET', target: `/${bucket}${target}` });

/** Statements about the bucket and what is in it, for everybody, unless they say otherwise. */
function policyOf(...statements: readonly object[]): string {
  const both = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: statements.map((fields) => ({ Effect: 'Allow', Principal: '*', Resource: both, ...fields })),
  });
}

function put(
  body: string,
  caller: Caller = 'owner',
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return ask(caller, { method: 'PUT', target: `/${bucket}?policy`, body, headers });
}

async function set(...statements: readonly object[]): Promise<void> {
  expect(outcome(await put(policyOf(...statements)))).toBe('204');
}

describe('the four operations', () => {
  test('a policy comes back as it was put, and goes', async () => {
    expect(await get('owner', '?policy')).toBe('404 NoSuchBucketPolicy');
    expect(await get('owner', '?policyStatus')).toBe('404 NoSuchBucketPolicy');
    const text = `${policyOf({ Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` })}\n`;
    expect(outcome(await put(text))).toBe('204');
    const read = await ask('owner', { method: 'GET', target: `/${bucket}?policy` });
    expect([read.status, read.headers['content-type'], read.body]).toEqual([200, 'application/json', text]);
    expect((await ask('owner', { method: 'GET', target: `/${bucket}?policyStatus` })).body).toContain(
      '<IsPublic>true</IsPublic>',
    );
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?policy` })).toBe('204');
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?policy` })).toBe('204');
    expect(await get('owner', '?policy')).toBe('404 NoSuchBucketPolicy');
    expect(await get('anonymous', '/open')).toBe('403 AccessDenied');
  });

  test.each<[string, string, string]>([
    ['{', 'no JSON', 'This policy contains invalid Json'],
    ['hello', 'no object', "Policies must be valid JSON and the first byte must be '{'"],
    [
      JSON.stringify({
        Statement: { Effect: 'Allow', Principal: '*', Action: 's3:Nothing', Resource: 'arn:aws:s3:::x' },
      }),
      'an unknown action',
      'Policy has invalid action',
    ],
    [
      JSON.stringify({
        Statement: { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::x/*' },
      }),
      'another bucket',
      'Policy has invalid resource',
    ],
    [
      ' '.repeat(21_000) + JSON.stringify({ Statement: [] }),
      'more than 20 KiB',
      'Policy exceeds the maximum allowed document size.',
    ],
  ])('%# is refused: %s', async (text, _what, sentence) => {
    const refused = await put(text);
    expect(outcome(refused)).toBe('400 MalformedPolicy');
    expect(refused.body).toContain(`<Message>${sentence}</Message>`);
    expect(await get('owner', '?policy')).toBe('404 NoSuchBucketPolicy');
  });

  test.each(['999999999999', 'arn:aws:iam::999999999999:root', 'arn:aws:iam::999999999999:user/x'])(
    '%s is nobody here',
    async (AWS) => {
      expect(outcome(await put(policyOf({ Principal: { AWS }, Action: 's3:GetObject' })))).toBe('400 MalformedPolicy');
    },
  );

  test("the policy is for the owner's account, whomever it lets", async () => {
    await set({ Action: ['s3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:DeleteBucketPolicy'] });
    for (const method of ['GET', 'DELETE']) {
      expect(await as('other', { method, target: `/${bucket}?policy` })).toBe('405 MethodNotAllowed');
    }
    expect(outcome(await put(policyOf({ Action: 's3:GetObject' }), 'other'))).toBe('405 MethodNotAllowed');
    expect(await get('anonymous', '?policy')).toBe('403 AccessDenied');
  });

  test('the account can always get back in; its users ask themselves first whether they can', async () => {
    const denial = { Effect: 'Deny', Action: 's3:*' };
    expect(outcome(await put(policyOf(denial), 'user'))).toBe('403 AccessDenied');
    expect(outcome(await put(policyOf(denial), 'user', { 'x-amz-confirm-remove-self-bucket-access': 'true' }))).toBe(
      '204',
    );
    expect(await get('owner', '/open')).toBe('403 AccessDenied');
    expect(await get('user', '?policy')).toBe('403 AccessDenied');
    expect(await get('owner', '?policy')).toBe('200');
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?policy` })).toBe('204');
    expect(await get('owner', '/open')).toBe('200');
    expect(outcome(await put(policyOf(denial), 'owner', { 'x-amz-confirm-remove-self-bucket-access': 'maybe' }))).toBe(
      '400 InvalidArgument',
    );
  });
});

describe('who is let in', () => {
  test('everybody, to what is named', async () => {
    await set({ Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/open` });
    expect([await get('anonymous', '/open'), await get('other', '/open')]).toEqual(['200', '200']);
    expect([await get('anonymous', '/closed'), await get('other', '/closed'), await get('anonymous', '')]).toEqual(
      Array(3).fill('403 AccessDenied'),
    );
    expect(await as('anonymous', { method: 'PUT', target: `/${bucket}/open`, body: 'x' })).toBe('403 AccessDenied');
  });

  test('one account, and no other', async () => {
    await set({ Principal: { AWS: OTHER }, Action: ['s3:GetObject', 's3:ListBucket'] });
    expect([await get('other', '/open'), await get('other', ''), await get('other', '/none')]).toEqual([
      '200',
      '200',
      '404 NoSuchKey',
    ]);
    expect([await get('third', '/open'), await get('third', ''), await get('anonymous', '/open')]).toEqual(
      Array(3).fill('403 AccessDenied'),
    );
  });

  test('a denial is the end of it, for the account, too', async () => {
    await set({ Effect: 'Deny', Principal: { AWS: ROBOT }, Action: 's3:DeleteObject' });
    expect(await as('user', { method: 'DELETE', target: `/${bucket}/open` })).toBe('403 AccessDenied');
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}/open` })).toBe('204');
    await set({ Effect: 'Deny', Action: 's3:DeleteObject' });
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}/closed` })).toBe('403 AccessDenied');
  });

  test('a denial of a key is told of a missing one as well', async () => {
    await set({ Effect: 'Deny', Principal: { AWS: ROBOT }, Action: 's3:GetObject' });
    expect(await get('user', '/none')).toBe('403 AccessDenied');
    expect(await get('user', '')).toBe('200');
  });

  test('versions have actions of their own', async () => {
    const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    expect(await as('owner', { method: 'PUT', target: `/${bucket}?versioning`, body: enabled })).toBe('200');
    const { headers } = await ask('owner', { method: 'PUT', target: `/${bucket}/open`, body: 'two' });
    const version = `/open?versionId=${headers['x-amz-version-id'] ?? ''}`;
    await set({ Action: ['s3:GetObject', 's3:ListBucket', 's3:DeleteObject'] });
    expect([await get('other', '/open'), await get('other', version)]).toEqual(['200', '403 AccessDenied']);
    expect(await as('other', { method: 'DELETE', target: `/${bucket}${version}` })).toBe('403 AccessDenied');
    await set({ Action: ['s3:GetObjectVersion', 's3:DeleteObjectVersion'] });
    expect([await get('other', '/open'), await get('other', version)]).toEqual(['403 AccessDenied', '200']);
    expect(await as('other', { method: 'DELETE', target: `/${bucket}${version}` })).toBe('204');
  });

  test("a policy speaks about what the bucket's owner owns", async () => {
    await set({ Action: ['s3:PutObject', 's3:GetObject'] });
    expect(await as('other', { method: 'PUT', target: `/${bucket}/theirs`, body: 'x' })).toBe('200');
    expect([await get('other', '/theirs'), await get('third', '/theirs'), await get('owner', '/theirs')]).toEqual([
      '200',
      '403 AccessDenied',
      '403 AccessDenied',
    ]);
  });
});

describe('more than one action', () => {
  test('a copy asks for both sides', async () => {
    const copy = (caller: Caller): Promise<string> =>
      as(caller, {
        method: 'PUT',
        target: `/${bucket}/copy`,
        headers: { 'x-amz-copy-source': `/${bucket}/open`, 'x-amz-tagging-directive': 'REPLACE' },
      });
    await set({ Action: 's3:PutObject' });
    expect(await copy('other')).toBe('403 AccessDenied');
    await set({ Action: 's3:GetObject' });
    expect(await copy('other')).toBe('403 AccessDenied');
    await set({ Action: ['s3:GetObject', 's3:PutObject'] });
    expect(await copy('other')).toBe('200');
  });

  test('DeleteObjects is decided item by item', async () => {
    await set({ Action: 's3:DeleteObject', Resource: `arn:aws:s3:::${bucket}/open` });
    const body = '<Delete><Object><Key>open</Key></Object><Object><Key>closed</Key></Object></Delete>';
    const answer = await ask('other', {
      method: 'POST',
      target: `/${bucket}?delete`,
      headers: { 'content-md5': contentMd5(body) },
      body,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('<Deleted><Key>open</Key></Deleted>');
    expect(answer.body).toContain('<Error><Key>closed</Key><Code>AccessDenied</Code>');
    expect([await get('owner', '/open'), await get('owner', '/closed')]).toEqual(['404 NoSuchKey', '200']);
  });

  test.each([
    ['x-amz-tagging', 'a=b', 's3:PutObjectTagging'],
    ['x-amz-acl', 'private', 's3:PutObjectAcl'],
    ['x-amz-grant-read', `id=${CANONICAL_ID}`, 's3:PutObjectAcl'],
  ])('%s takes another action', async (name, value, action) => {
    const putAs = (caller: Caller): Promise<string> =>
      as(caller, { method: 'PUT', target: `/${bucket}/new`, body: 'x', headers: { [name]: value } });
    await set(
      { Action: ['s3:PutObject', 's3:PutObjectTagging'] },
      { Effect: 'Deny', Principal: { AWS: OTHER }, Action: action },
    );
    expect([await putAs('other'), await putAs('third')]).toEqual(['403 AccessDenied', '200']);
  });
});

describe('conditions', () => {
  test('what a listing asks for; of a key that is missing, nobody says it in the query', async () => {
    await set(
      {
        Action: 's3:ListBucket',
        Resource: `arn:aws:s3:::${bucket}`,
        Condition: { StringLike: { 's3:prefix': 'op*' } },
      },
      { Action: 's3:GetObject' },
    );
    expect([await get('other', '?prefix=open'), await get('other', '?prefix=closed'), await get('other', '')]).toEqual([
      '200',
      '403 AccessDenied',
      '403 AccessDenied',
    ]);
    expect(await get('other', '/none?prefix=open')).toBe('403 AccessDenied');
  });

  test('tags of the object', async () => {
    await set({
      Action: ['s3:GetObject', 's3:GetObjectTagging', 's3:PutObjectTagging'],
      Condition: { StringEquals: { 's3:ExistingObjectTag/kind': 'open' } },
    });
    expect([await get('other', '/open'), await get('other', '/closed')]).toEqual(['200', '403 AccessDenied']);
    expect([
      await get('other', '/open?tagging'),
      await get('other', '/closed?tagging'),
      await get('other', '/none?tagging'),
    ]).toEqual(['200', '403 AccessDenied', '403 AccessDenied']);
    const body = '<Tagging><TagSet><Tag><Key>kind</Key><Value>other</Value></Tag></TagSet></Tagging>';
    const tag = (key: string): Promise<string> =>
      as('other', { method: 'PUT', target: `/${bucket}/${key}?tagging`, body });
    expect([await tag('closed'), await tag('open'), await tag('open')]).toEqual([
      '403 AccessDenied',
      '200',
      '403 AccessDenied',
    ]);
  });

  test('tags that a request gives', async () => {
    const Condition = {
      StringEquals: { 's3:RequestObjectTag/a': 'b' },
      'ForAllValues:StringEquals': { 's3:RequestObjectTagKeys': ['a'] },
    };
    await set({ Action: ['s3:PutObject', 's3:PutObjectTagging'], Condition });
    const tagged = (value: string): Promise<string> =>
      as('other', { method: 'PUT', target: `/${bucket}/t`, body: 'x', headers: { 'x-amz-tagging': value } });
    expect([await tagged('a=b'), await tagged('a=c'), await tagged('a=b&c=d')]).toEqual([
      '200',
      '403 AccessDenied',
      '403 AccessDenied',
    ]);
    expect(await as('other', { method: 'PUT', target: `/${bucket}/t`, body: 'x' })).toBe('403 AccessDenied');
    const body = (value: string): string =>
      `<Tagging><TagSet><Tag><Key>a</Key><Value>${value}</Value></Tag></TagSet></Tagging>`;
    const put2 = (value: string): Promise<string> =>
      as('other', { method: 'PUT', target: `/${bucket}/open?tagging`, body: body(value) });
    expect([await put2('c'), await put2('b')]).toEqual(['403 AccessDenied', '200']);
  });

  test.each<[object, string]>([
    [{ IpAddress: { 'aws:SourceIp': '127.0.0.0/8' } }, '200'],
    [{ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, '403 AccessDenied'],
    [{ Bool: { 'aws:SecureTransport': 'true' } }, '403 AccessDenied'],
    [{ StringEquals: { 'aws:PrincipalAccount': '555555555555' } }, '200'],
    [{ ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::555555555555:*' } }, '200'],
    [
      {
        StringEquals: { 's3:authType': 'REST-HEADER', 's3:signatureversion': 'AWS4-HMAC-SHA256' },
        NumericLessThan: { 's3:signatureAge': '600000' },
      },
      '200',
    ],
    [{ StringEquals: { 's3:authType': 'REST-QUERY-STRING' } }, '403 AccessDenied'],
    [{ DateLessThan: { 'aws:CurrentTime': '2020-01-01T00:00:00Z' } }, '403 AccessDenied'],
    [{ StringEquals: { 'aws:ResourceAccount': '444444444444', 's3:ResourceAccount': '444444444444' } }, '200'],
    [{ Null: { 'aws:username': 'true' } }, '200'],
    [{ StringEquals: { 'aws:UserAgent': 'me' } }, '200'],
    [{ StringLike: { 'aws:Referer': '*' } }, '403 AccessDenied'],
  ])('%j: %s', async (Condition, expected) => {
    await set({ Action: 's3:GetObject', Condition });
    expect(await as('other', { method: 'GET', target: `/${bucket}/open`, headers: { 'user-agent': 'me' } })).toBe(
      expected,
    );
  });
});

describe('the public access block', () => {
  const block = (name: string): Promise<string> =>
    as('owner', {
      method: 'PUT',
      target: `/${bucket}?publicAccessBlock`,
      body: `<PublicAccessBlockConfiguration><${name}>true</${name}></PublicAccessBlockConfiguration>`,
    });

  test('BlockPublicPolicy lets no public policy in', async () => {
    expect(await block('BlockPublicPolicy')).toBe('200');
    expect(outcome(await put(policyOf({ Action: 's3:GetObject' })))).toBe('403 AccessDenied');
    expect(
      outcome(await put(policyOf({ Action: 's3:GetObject', Principal: { CanonicalUser: OTHER_CANONICAL_ID } }))),
    ).toBe('204');
    expect(
      outcome(
        await put(policyOf({ Action: 's3:GetObject', Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/16' } } })),
      ),
    ).toBe('204');
    expect(
      outcome(
        await put(policyOf({ Action: 's3:GetObject', Condition: { IpAddress: { 'aws:SourceIp': '0.0.0.0/0' } } })),
      ),
    ).toBe('403 AccessDenied');
  });

  test('RestrictPublicBuckets takes away what a public policy gives beyond the account', async () => {
    await set(
      { Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/open` },
      { Principal: { AWS: OTHER }, Action: 's3:GetObject' },
    );
    expect([await get('anonymous', '/open'), await get('other', '/closed')]).toEqual(['200', '200']);
    expect(await block('RestrictPublicBuckets')).toBe('200');
    expect([await get('anonymous', '/open'), await get('other', '/closed'), await get('owner', '/open')]).toEqual([
      '403 AccessDenied',
      '403 AccessDenied',
      '200',
    ]);
    await set({ Principal: { AWS: OTHER }, Action: 's3:GetObject' });
    expect([await get('other', '/closed'), await get('anonymous', '/open')]).toEqual(['200', '403 AccessDenied']);
  });
});
