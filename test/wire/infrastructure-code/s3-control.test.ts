import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { bucket, openScene, ask, outcomeOf, get, documentOf } from './scene.ts';

openScene();

describe('S3 Control', () => {
  const ACCOUNT = '444444444444';
  const resource = (name = bucket): string => `/v20180820/tags/arn%3Aaws%3As3%3A%3A%3A${name}`;
  const headers = { 'x-amz-account-id': ACCOUNT };
  const tagRequest = (...tags: readonly (readonly [string, string])[]): string =>
    `<TagResourceRequest><Tags>${tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('')}</Tags></TagResourceRequest>`;
  const list = async (): Promise<string> =>
    documentOf(await ask('owner', { method: 'GET', target: resource(), headers }));
  const listed = (...tags: readonly (readonly [string, string])[]): string =>
    `<ListTagsForResourceResult><Tags>${tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('')}</Tags></ListTagsForResourceResult>`;

  test('tags are added, replaced, listed and taken away', async () => {
    expect(await list()).toBe('<ListTagsForResourceResult><Tags/></ListTagsForResourceResult>');
    expect(
      await outcomeOf({ method: 'POST', target: resource(), headers, body: tagRequest(['a', '1'], ['b', '2']) }),
    ).toBe('204');
    expect(
      await outcomeOf({ method: 'POST', target: resource(), headers, body: tagRequest(['b', '3'], ['c d', '4']) }),
    ).toBe('204');
    expect(await list()).toBe(listed(['a', '1'], ['b', '3'], ['c d', '4']));
    expect(await get('tagging')).toContain('<Tag><Key>b</Key><Value>3</Value></Tag>');
    expect(
      await outcomeOf({ method: 'DELETE', target: `${resource()}?tagKeys=a&tagKeys=c%20d&tagKeys=none`, headers }),
    ).toBe('204');
    expect(await list()).toBe(listed(['b', '3']));
    expect(await outcomeOf({ method: 'DELETE', target: `${resource()}?tagKeys=b`, headers })).toBe('204');
    expect(await get('tagging')).toBe('404 NoSuchTagSet');
  });

  test('of more tags than a bucket may have none is added', async () => {
    const tags = (from: number): string =>
      tagRequest(...Array.from({ length: 30 }, (_none, index) => [`k${String(from + index)}`, 'v'] as const));
    expect(await outcomeOf({ method: 'POST', target: resource(), headers, body: tags(0) })).toBe('204');
    expect(await outcomeOf({ method: 'POST', target: resource(), headers, body: tags(30) })).toBe('400 BadRequest');
    expect(await list()).not.toContain('k30');
  });

  test.each([
    ['a bucket that is missing', { method: 'GET', target: resource('infra-none'), headers }, '404 NoSuchBucket'],
    [
      'another account',
      { method: 'GET', target: resource('infra-1'), headers: { 'x-amz-account-id': '555555555555' } },
      '403 AccessDenied',
    ],
    ['no ARN', { method: 'GET', target: '/v20180820/tags/bucket', headers }, '400 InvalidRequest'],
    [
      'the ARN of something else',
      {
        method: 'GET',
        target: '/v20180820/tags/arn%3Aaws%3As3%3Aus-east-1%3A444444444444%3Astorage-lens%2Fx',
        headers,
      },
      '501 NotImplemented',
    ],
    ['another call', { method: 'GET', target: '/v20180820/accesspoint', headers }, '501 NotImplemented'],
    ['another method', { method: 'PUT', target: resource('infra-1'), headers }, '405 MethodNotAllowed'],
    [
      'no tags',
      { method: 'POST', target: resource('infra-1'), headers, body: '<TagResourceRequest/>' },
      '400 MalformedXML',
    ],
    ['no keys', { method: 'DELETE', target: resource('infra-1'), headers }, '400 InvalidArgument'],
  ])('%s', async (_name, sent, expected) => {
    const answer = await ask('owner', sent);
    expect(answer.body).toContain('<ErrorResponse><Error>');
    expect(outcome(answer)).toBe(expected);
  });

  test('strangers and other accounts learn nothing', async () => {
    const sent = { method: 'GET', target: resource(), headers };
    expect(await outcomeOf(sent, 'anonymous')).toBe('403 AccessDenied');
    expect(await outcomeOf(sent, 'other')).toBe('403 AccessDenied');
    expect(await outcomeOf({ ...sent, headers: { 'x-amz-account-id': '555555555555' } }, 'other')).toBe(
      '403 AccessDenied',
    );
  });

  test('a bucket named like that API is a bucket to requests that name no account', async () => {
    await outcomeOf({ method: 'PUT', target: '/v20180820' });
    expect(await outcomeOf({ method: 'PUT', target: resource(), body: 'x' })).toBe('200');
    expect((await ask('owner', { method: 'GET', target: resource() })).body).toBe('x');
  });
});
