import { expect, test } from 'vitest';
import { RateLimits } from '../../../src/access/rates/rate-limits.ts';
import type { Rates } from '../../../src/access/identities/identities.ts';
import { type Caller, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

/* Limits of rates count visits to websites as they count requests to the service. */

const PAGE = 'x'.repeat(4000);
const SITE = '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument></WebsiteConfiguration>';

interface Limited {
  readonly anonymous?: Rates;
  readonly buckets?: Readonly<Record<string, Rates>>;
  readonly identities?: Rates;
}

interface World {
  visit(
    bucket: string,
    how?: { readonly method?: string; readonly caller?: Caller; readonly path?: string },
  ): Promise<RawAnswer>;
  read(bucket: string, caller?: Caller): Promise<RawAnswer>;
}

/** Two public websites, which are made before the limits hold. */
async function withSites(
  { anonymous, buckets = {}, identities }: Limited,
  work: (world: World) => Promise<void>,
): Promise<void> {
  let inForce = false;
  const rates = new RateLimits({
    accounts: { ratesOf: () => (inForce ? identities : undefined) },
    ...(anonymous !== undefined && { anonymous }),
    ofBucket: (name) => (inForce ? buckets[name] : undefined),
  });
  const gateway: TestGateway = await startTestGateway({ rates });
  const put = async (target: string, body = ''): Promise<void> => {
    const headers = { 'x-amz-acl': 'public-read' };
    expect((await send(gateway.port, 'owner', { method: 'PUT', target, body, headers })).status).toBe(200);
  };
  try {
    for (const bucket of ['one', 'two']) {
      const site = `site-${bucket}`;
      await put(`/${site}`);
      await send(gateway.port, 'owner', { method: 'PUT', target: `/${site}?website`, body: SITE });
      await put(`/${site}/index.html`, PAGE);
    }
    inForce = true;
    await work({
      visit: (bucket, { method = 'GET', caller = 'anonymous', path = '/' } = {}) =>
        send(gateway.port, caller, { method, target: path, headers: { host: `${bucket}.web.localhost` } }),
      read: (bucket, caller = 'owner') =>
        send(gateway.port, caller, { method: 'GET', target: `/${bucket}/index.html` }),
    });
  } finally {
    await gateway.close();
  }
}

async function statuses(times: number, ask: () => Promise<RawAnswer>): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < times; at += 1) found.push((await ask()).status);
  return found;
}

const SLOW: Rates = { requestsPerSecond: 3 };

test("a bucket's limit counts visits to its website, and those to no other", async () => {
  await withSites({ buckets: { 'site-one': SLOW } }, async ({ visit }) => {
    const found = await statuses(8, () => visit('site-one'));
    expect(found.slice(0, 3)).toEqual([200, 200, 200]);
    expect(found).toContain(503);
    expect(await statuses(8, () => visit('site-two'))).not.toContain(503);
  });
});

test.each([
  ['of a missing key', { path: '/none' }],
  ['by HEAD', { method: 'HEAD' }],
  ['by a method that websites have not', { method: 'DELETE' }],
  ['of somebody who signs', { caller: 'owner' }],
] as const)('visits %s count', async (_what, how) => {
  await withSites({ buckets: { 'site-one': SLOW } }, async ({ visit }) => {
    expect(await statuses(8, () => visit('site-one', how))).toContain(503);
  });
});

test('one limit for website and service', async () => {
  await withSites({ buckets: { 'site-one': { requestsPerSecond: 1 } } }, async ({ visit, read }) => {
    expect((await visit('site-one')).status).toBe(200);
    expect((await read('site-one')).status).toBe(503);
  });
  await withSites({ buckets: { 'site-one': { requestsPerSecond: 1 } } }, async ({ visit, read }) => {
    expect((await read('site-one')).status).toBe(200);
    expect((await visit('site-one')).status).toBe(503);
  });
});

test('bytes of pages count', async () => {
  await withSites({ buckets: { 'site-one': { bytesOutPerSecond: 1000 } } }, async ({ visit }) => {
    expect((await visit('site-one')).status).toBe(200);
    const { status, headers } = await visit('site-one');
    expect([status, Number(headers['retry-after']) >= 2]).toEqual([503, true]);
  });
});

test('visitors are strangers: they share the limit of those, and nobody uses up that of an identity', async () => {
  await withSites({ anonymous: SLOW }, async ({ visit, read }) => {
    expect(await statuses(8, () => visit('site-one'))).toContain(503);
    expect((await visit('site-two', { caller: 'owner' })).status).toBe(503);
    expect((await read('site-one', 'anonymous')).status).toBe(503);
    expect((await read('site-one')).status).toBe(200);
  });
  await withSites({ identities: SLOW }, async ({ visit, read }) => {
    expect(await statuses(8, () => visit('site-one', { caller: 'owner' }))).not.toContain(503);
    expect(await statuses(8, () => read('site-one'))).toContain(503);
  });
});
