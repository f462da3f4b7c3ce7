import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    aliases: [
      { pattern: 'tenant-(.*)', bucket: 'data-$1' },
      { pattern: 'latest', bucket: 'data-one' },
      { pattern: 'odd-*', bucket: '$1' },
    ],
    rules: [
      { pattern: 'archive-*', backend: 'test', readOnly: true },
      { pattern: '*', backend: 'test' },
    ],
  });
  await must({ method: 'PUT', target: '/data-one' });
  await must({ method: 'PUT', target: '/data-one/key', body: 'bytes' });
});
afterAll(() => gateway.close());

async function ask(sent: Sent, caller: Caller = 'owner'): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

async function must(sent: Sent): Promise<string> {
  const answer = await send(gateway.port, 'owner', sent);
  expect(outcome(answer)).toMatch(/^20[04]$/);
  return answer.body;
}

describe('a further name of a bucket', () => {
  test.each(['tenant-one', 'latest'])('%s: what is asked of it is asked of the bucket', async (alias) => {
    expect(await must({ method: 'GET', target: `/${alias}/key` })).toBe('bytes');
    await must({ method: 'PUT', target: `/${alias}/other`, body: alias });
    expect(await must({ method: 'GET', target: '/data-one/other' })).toBe(alias);
    expect(await must({ method: 'GET', target: `/${alias}?list-type=2` })).toContain('<Key>key</Key>');
    await must({ method: 'PUT', target: '/data-one/copy', headers: { 'x-amz-copy-source': `/${alias}/key` } });
    await must({
      method: 'PUT',
      target: `/${alias}?tagging`,
      body: '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>',
    });
    expect(await must({ method: 'GET', target: '/data-one?tagging' })).toContain('<Key>a</Key>');
    await must({ method: 'HEAD', target: `/${alias}` });
  });

  test("gives nobody more than the bucket's own", async () => {
    for (const caller of ['other', 'anonymous'] as const) {
      expect(await ask({ method: 'GET', target: '/tenant-one/key' }, caller)).toBe('403 AccessDenied');
    }
  });

  test('is neither made nor removed, nor the bucket under it', async () => {
    expect(await ask({ method: 'PUT', target: '/tenant-one' })).toBe('409 BucketAlreadyExists');
    expect(await ask({ method: 'DELETE', target: '/tenant-one' })).toBe('403 AccessDenied');
    expect(await must({ method: 'GET', target: '/data-one/key' })).toBe('bytes');
    expect(await must({ method: 'GET', target: '/' })).not.toContain('tenant-one');
  });

  test('of none there is no bucket, whatever comes out', async () => {
    expect(await ask({ method: 'GET', target: '/tenant-two' })).toBe('404 NoSuchBucket');
    expect(await ask({ method: 'GET', target: '/odd-x' })).toBe('404 NoSuchBucket');
    expect(await ask({ method: 'DELETE', target: '/tenant-two' })).toBe('404 NoSuchBucket');
  });
});

describe('a bucket that is read-only', () => {
  test('was there before, and nothing changes it', async () => {
    const name = 'archive-old';
    await gateway.store.createContainer(name, {}, (await import('../../support/test-call.ts')).testCall());
    expect(await ask({ method: 'GET', target: `/${name}` })).toBe('200');
    for (const sent of [
      { method: 'PUT', target: `/${name}/key`, body: 'x' },
      { method: 'DELETE', target: `/${name}/key` },
      { method: 'DELETE', target: `/${name}` },
      { method: 'POST', target: `/${name}/key?uploads` },
      { method: 'PUT', target: `/${name}?tagging`, body: '<Tagging><TagSet/></Tagging>' },
      { method: 'POST', target: `/${name}?delete`, body: '<Delete><Object><Key>k</Key></Object></Delete>' },
      { method: 'PUT', target: `/${name}/copy`, headers: { 'x-amz-copy-source': '/data-one/key' } },
      { method: 'PUT', target: '/archive-new' },
    ]) {
      expect(await ask(sent), `${sent.method} ${sent.target}`).toBe('403 AccessDenied');
    }
    expect(await ask({ method: 'HEAD', target: '/archive-new' })).toBe('404');
  });
});
