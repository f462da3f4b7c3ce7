import { beforeEach, describe, expect, test } from 'vitest';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

/*
 * A policy may let in whoever sends a header that says this or that. Whoever sends it with an operation that does not
 * read it has said nothing.
 */

const { as } = sharedGateway();
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `unheeded-${++made}`;
  const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
  expect(await as('owner', { method: 'PUT', target: `/${bucket}`, headers })).toBe('200');
  await store('plain');
  await store('tagged', { 'x-amz-tagging': 'kind=secret' });
});

async function store(key: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const digest = { 'content-md5': contentMd5('x') };
  const sent = { method: 'PUT', target: `/${bucket}/${key}`, headers: { ...digest, ...headers }, body: 'x' };
  expect(await as('owner', sent)).toBe('200');
}

async function allow(Action: string | readonly string[], Condition: object, ...more: readonly object[]): Promise<void> {
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  const Statement = [{ Action, Condition }, ...more].map((fields) => ({
    Effect: 'Allow',
    Principal: '*',
    Resource,
    ...fields,
  }));
  const body = JSON.stringify({ Version: '2012-10-17', Statement });
  expect(await as('owner', { method: 'PUT', target: `/${bucket}?policy`, body })).toBe('204');
}

const equals = (key: string, value: string): object => ({ StringEquals: { [key]: value } });
const put = (target: string, headers: Readonly<Record<string, string>>, body = ''): Promise<string> =>
  as('other', { method: 'PUT', target: `/${bucket}/${target}`, headers, body });

describe('a header that the operation does not read', () => {
  test('gives PutObjectTagging no tag', async () => {
    await allow('s3:PutObjectTagging', equals('s3:RequestObjectTag/project', 'blue'));
    const body = '<Tagging><TagSet><Tag><Key>class</Key><Value>public</Value></Tag></TagSet></Tagging>';
    for (const name of ['x-amz-tagging', 'X-AMZ-Tagging']) {
      expect(await put('plain?tagging', { [name]: 'project=blue' }, body)).toBe('403 AccessDenied');
    }
    const right = body.replace('class', 'project').replace('public', 'blue');
    expect(await put('plain?tagging', { 'x-amz-tagging': 'project=red' }, right)).toBe('200');
  });

  test('gives a copy that keeps the tags of its source none', async () => {
    const tagging = ['s3:PutObjectTagging', 's3:PutObject'];
    await allow(tagging, equals('s3:RequestObjectTag/project', 'blue'), {
      Action: ['s3:GetObject', 's3:GetObjectTagging'],
    });
    const copy = (headers: Readonly<Record<string, string>>): Promise<string> =>
      put('copy', { 'x-amz-copy-source': `/${bucket}/tagged`, 'x-amz-tagging': 'project=blue', ...headers });
    expect(await copy({})).toBe('403 AccessDenied');
    expect(await copy({ 'x-amz-tagging-directive': 'COPY' })).toBe('403 AccessDenied');
    expect(await copy({ 'x-amz-tagging-directive': 'REPLACE' })).toBe('200');
  });

  test('gives PutObjectRetention no mode and no date', async () => {
    await allow('s3:PutObjectRetention', equals('s3:object-lock-mode', 'GOVERNANCE'));
    const lock = { 'x-amz-object-lock-mode': 'GOVERNANCE' };
    const send = (body: string): Promise<string> =>
      put('plain?retention', { ...lock, 'content-md5': contentMd5(body) }, body);
    expect(await send('<Retention/>')).toBe('403 AccessDenied');
    const until = new Date(Date.now() + 864e5).toISOString();
    const body = (mode: string): string =>
      `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;
    expect([await send(body('COMPLIANCE')), await send(body('GOVERNANCE'))]).toEqual(['403 AccessDenied', '200']);
  });

  test('makes no conditional deletion of a list; its items say themselves what they must be', async () => {
    await allow('s3:DeleteObject', { Null: { 's3:if-match': 'false' } });
    const remove = (item: string): Promise<string> => {
      const body = `<Delete><Object><Key>plain</Key>${item}</Object></Delete>`;
      const headers = { 'content-md5': contentMd5(body), 'if-match': '*' };
      return as('other', { method: 'POST', target: `/${bucket}?delete`, headers, body });
    };
    expect(await remove('')).toBe('200');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/plain` })).toBe('200');
    expect(await remove('<ETag>*</ETag>')).toBe('200');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/plain` })).toBe('404 NoSuchKey');
  });
});
