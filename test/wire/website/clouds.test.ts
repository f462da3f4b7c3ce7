import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../support/clients/acl-client.ts';
import { CLOUDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { type TestGateway, startGatewayOver } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';

const SITE =
  '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument><ErrorDocument><Key>error.html</Key></ErrorDocument><RoutingRules><RoutingRule><Condition><KeyPrefixEquals>old/</KeyPrefixEquals></Condition><Redirect><ReplaceKeyPrefixWith>new/</ReplaceKeyPrefixWith></Redirect></RoutingRule></RoutingRules></WebsiteConfiguration>';

describe.each(Object.keys(CLOUDS))('a website over %s', (name) => {
  let cloud: Cloud;
  let gateway: TestGateway<BlobStore>;
  const host = 'site.web.localhost';

  beforeAll(async () => {
    cloud = await startCloud(name);
    gateway = await startGatewayOver(cloud.open());
    await must('/site', '', { 'x-amz-acl': 'public-read' });
    await must('/site?website', SITE);
    const page = { 'x-amz-acl': 'public-read', 'content-type': 'text/html' };
    for (const key of ['index.html', 'dir/index.html', 'error.html']) await must(`/site/${key}`, `<p>${key}</p>`, page);
    await must('/site/moved', '', { ...page, 'x-amz-website-redirect-location': 'https://new.example/x' });
    await must('/site/private', 'secret', { 'content-type': 'text/html' });
  }, 180_000);
  afterAll(async () => {
    await gateway.close();
    await cloud.stop();
  });

  async function must(target: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const answer = await send(gateway.port, 'owner', { method: 'PUT', target, body, headers });
    expect(answer.status, answer.body).toBe(200);
  }

  function visit(target: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    return send(gateway.port, 'anonymous', { method: 'GET', target, headers: { host, ...headers } });
  }

  test.each([
    ['/', 200, '<p>index.html</p>'],
    ['/dir/', 200, '<p>dir/index.html</p>'],
    ['/none', 404, '<p>error.html</p>'],
    ['/private', 403, '<p>error.html</p>'],
  ] as const)('%s is %i', async (target, status, body) => {
    const answer = await visit(target);
    expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([status, body, 'text/html']);
  });

  test.each([
    ['/dir', 302, '/dir/'],
    ['/old/a', 301, `http://${host}/new/a`],
    ['/moved', 301, 'https://new.example/x'],
  ] as const)('%s sends elsewhere', async (target, status, location) => {
    const answer = await visit(target);
    expect([answer.status, answer.headers['location']]).toEqual([status, location]);
  });

  test('ranges and conditions', async () => {
    expect([
      (await visit('/', { range: 'bytes=0-2' })).status,
      (await visit('/', { range: 'bytes=0-2' })).body,
    ]).toEqual([206, '<p>']);
    const { etag = '' } = (await visit('/')).headers;
    expect((await visit('/', { 'if-none-match': etag })).status).toBe(304);
  });
});
