import { describe, expect, test } from 'vitest';
import type { Sent } from '../../support/clients/acl-client.ts';
import { OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { ALL_USERS, bucket, openScene, as, grants } from './scene.ts';

openScene();

describe('canned ACLs', () => {
  test.each([
    ['private', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['public-read', ['READ all', 'FULL_CONTROL owner'], ['READ all', 'FULL_CONTROL owner']],
    [
      'public-read-write',
      ['READ all', 'WRITE all', 'FULL_CONTROL owner'],
      ['READ all', 'WRITE all', 'FULL_CONTROL owner'],
    ],
    ['authenticated-read', ['READ authenticated', 'FULL_CONTROL owner'], ['READ authenticated', 'FULL_CONTROL owner']],
    ['aws-exec-read', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['bucket-owner-read', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['bucket-owner-full-control', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['log-delivery-write', ['WRITE logs', 'READ_ACP logs', 'FULL_CONTROL owner'], '400 InvalidArgument'],
    ['no-such', '400 InvalidArgument', '400 InvalidArgument'],
    ['toString', '400 InvalidArgument', '400 InvalidArgument'],
  ] as const)('%s', async (name, onBucket, onObject) => {
    for (const [target, expected] of [
      [`/${bucket}`, onBucket],
      [`/${bucket}/key`, onObject],
    ] as const) {
      const answer = await as('owner', { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': name } });
      if (typeof expected === 'string') expect(answer).toBe(expected);
      else expect([answer, ...(await grants(target))]).toEqual(['200', ...expected]);
    }
  });

  test('bucket-owner ones let the owner of the bucket at objects of others', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    const target = `/${bucket}/theirs`;
    expect(await as('other', { method: 'PUT', target, body: 'x' })).toBe('200');
    expect(await as('owner', { method: 'GET', target })).toBe('403 AccessDenied');
    expect(await as('other', { method: 'PUT', target, body: 'x', headers: { 'x-amz-acl': 'bucket-owner-read' } })).toBe(
      '200',
    );
    expect(await grants(target, 'other')).toEqual(['FULL_CONTROL other', 'READ owner']);
    expect(await as('owner', { method: 'GET', target })).toBe('200');
    expect(await as('owner', { method: 'GET', target: `${target}?acl` })).toBe('403 AccessDenied');
    expect(
      await as('other', {
        method: 'PUT',
        target: `${target}?acl`,
        headers: { 'x-amz-acl': 'bucket-owner-full-control' },
      }),
    ).toBe('200');
    expect(await as('owner', { method: 'GET', target: `${target}?acl` })).toBe('200');
  });
});

describe('grant headers', () => {
  const other = `id="${OTHER_CANONICAL_ID}"`;
  test.each<[Record<string, string>, readonly string[] | string]>([
    [{ 'x-amz-grant-read': other }, ['READ other']],
    [{ 'x-amz-grant-read': `ID=${OTHER_CANONICAL_ID} , uri="${ALL_USERS}"` }, ['READ all', 'READ other']],
    [{ 'x-amz-grant-full-control': 'emailAddress=other@example.com' }, ['FULL_CONTROL other']],
    [
      {
        'x-amz-grant-full-control': other,
        'x-amz-grant-write-acp': other,
        'x-amz-grant-read-acp': other,
        'x-amz-grant-write': other,
        'x-amz-grant-read': other,
      },
      ['READ other', 'WRITE other', 'READ_ACP other', 'WRITE_ACP other', 'FULL_CONTROL other'],
    ],
    [{ 'x-amz-grant-read': 'name=other' }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': OTHER_CANONICAL_ID }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': `${other} ${other}` }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': `id="${OTHER_CANONICAL_ID}` }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': 'id="_foo"' }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': 'uri="http://example.com"' }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': 'emailAddress="x@example.com"' }, '400 UnresolvableGrantByEmailAddress'],
  ])('%j', async (headers, expected) => {
    const requests: readonly (readonly [Sent, string])[] = [
      [{ method: 'PUT', target: `/${bucket}/key?acl`, headers }, `/${bucket}/key`],
      [{ method: 'PUT', target: `/${bucket}?acl`, headers }, `/${bucket}`],
      [{ method: 'PUT', target: `/${bucket}/new`, headers, body: 'new' }, `/${bucket}/new`],
      [{ method: 'PUT', target: `/${bucket}-new`, headers }, `/${bucket}-new`],
    ];
    for (const [sent, target] of requests) {
      const answer = await as('owner', sent);
      if (typeof expected === 'string') expect(answer).toBe(expected);
      else expect([answer, ...(await grants(target))]).toEqual(['200', ...expected]);
    }
  });
});
