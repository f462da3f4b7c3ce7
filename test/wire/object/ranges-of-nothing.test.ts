import { beforeAll, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

const shared = sharedGateway();

beforeAll(async () => {
  expect(await shared.as('owner', { method: 'PUT', target: '/ranges' })).toBe('200');
  expect(await shared.as('owner', { method: 'PUT', target: '/ranges/empty', body: '' })).toBe('200');
});

test.each([
  ['bytes=-1', '200'],
  ['bytes=-524288', '200'],
  ['bytes=-0', '416 InvalidRange'],
  ['bytes=0-', '416 InvalidRange'],
  ['bytes=0-0', '416 InvalidRange'],
  ['bytes=1-0', '200'],
])('%s of an empty object: %s', async (range, expected) => {
  const got = await shared.ask('owner', { method: 'GET', target: '/ranges/empty', headers: { range } });
  expect(outcome(got)).toBe(expected);
  const head = await shared.ask('owner', { method: 'HEAD', target: '/ranges/empty', headers: { range } });
  expect(head.status).toBe(got.status);
  if (expected !== '200') return;
  for (const { headers } of [got, head]) {
    expect([headers['content-length'], headers['content-range']]).toEqual(['0', undefined]);
  }
});
