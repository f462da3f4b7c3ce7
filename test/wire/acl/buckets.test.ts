import { describe, expect, test } from 'vitest';
import { send } from '../../support/clients/acl-client.ts';
import { OTHER_CANONICAL_ID, startGatewayOver, startTestGateway } from '../../support/gateway/gateway.ts';
import { ALL_USERS, bucket, openScene, as, grants } from './scene.ts';

openScene();

describe('buckets', () => {
  test('created again with the same ACL they stay, with another they are refused', async () => {
    const target = `/${bucket}-public`;
    const headers = { 'x-amz-acl': 'public-read' };
    expect(await as('owner', { method: 'PUT', target, headers })).toBe('200');
    expect(await as('owner', { method: 'PUT', target, headers })).toBe('200');
    expect(await as('owner', { method: 'PUT', target })).toBe('409 BucketAlreadyExists');
    expect(await as('owner', { method: 'PUT', target, headers: { 'x-amz-acl': 'public-read-write' } })).toBe(
      '409 BucketAlreadyExists',
    );
    expect(await grants(target)).toEqual(['READ all', 'FULL_CONTROL owner']);
  });

  test('a grantee with WRITE_ACP may change the ACL, until that is taken back', async () => {
    const acl = { method: 'PUT', target: `/${bucket}?acl` };
    expect(await as('owner', { ...acl, headers: { 'x-amz-grant-write-acp': `id=${OTHER_CANONICAL_ID}` } })).toBe('200');
    expect(await as('other', { method: 'GET', target: `/${bucket}?acl` })).toBe('403 AccessDenied');
    expect(await as('other', { ...acl, headers: { 'x-amz-acl': 'public-read' } })).toBe('200');
    expect(await as('other', { ...acl, headers: { 'x-amz-acl': 'private' } })).toBe('403 AccessDenied');
    expect(await grants(`/${bucket}`)).toEqual(['READ all', 'FULL_CONTROL owner']);
  });
});

test('the ACL of a bucket that another process put is answered at once, whatever this one remembers', async () => {
  const here = await startTestGateway({ bucketCacheMs: 60_000 });
  const there = await startGatewayOver(here.store, { bucketCacheMs: 60_000 });
  try {
    const bucketAcl = async (): Promise<string> =>
      (await send(here.port, 'owner', { method: 'GET', target: '/remembered?acl' })).body;
    await send(here.port, 'owner', { method: 'PUT', target: '/remembered' });
    expect(await bucketAcl()).not.toContain(ALL_USERS);
    const put = await send(there.port, 'owner', {
      method: 'PUT',
      target: '/remembered?acl',
      headers: { 'x-amz-acl': 'public-read' },
    });
    expect(put.status, put.body).toBe(200);
    expect(await bucketAcl()).toContain(ALL_USERS);
  } finally {
    await there.close();
    await here.close();
  }
});
