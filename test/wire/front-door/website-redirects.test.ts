import { beforeAll, expect, test } from 'vitest';
import { send } from '../../support/clients/acl-client.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

/*
 * Where a website sends its visitors: nowhere but to itself, unless its owner or the writer of an object said so.
 * Visitors choose the path and the Host header, and may be sent here by somebody else's link.
 */
const shared = sharedGateway();
const SITE = 'http://site.web.localhost';
const RULES = [
  ['go/', '<ReplaceKeyPrefixWith>to/</ReplaceKeyPrefixWith>'],
  ['cut/', '<ReplaceKeyPrefixWith></ReplaceKeyPrefixWith>'],
  ['whole/', '<ReplaceKeyWith>//evil.example</ReplaceKeyWith>'],
  ['host/', '<HostName>good.example</HostName>'],
];
const EVIL = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/%5Cevil.example',
  '/%2Fevil.example',
  '/%2F%2Fevil.example',
  '//%2Fevil.example',
  '/%09/evil.example',
  '/%0d%0aSet-Cookie:%20a=b',
  '/%E5%98%8A%E5%98%8DSet-Cookie:a',
  '/javascript:alert(1)',
  '/@evil.example',
  '/:80@evil.example',
  '/..//evil.example',
  '/%2e%2e/%2f/evil.example',
  '/http://evil.example',
  '/a%00b',
  '/a%3Fb=//evil.example',
  '/a%23//evil.example',
  '/a%e2%80%a8b',
  '/%ef%bb%bf/evil.example',
  '/%3Cscript%3Ealert(1)%3C/script%3E',
];
const FOLDERS = ['/evil.example', '//evil.example', '\\evil.example', '\t/evil.example', '@evil.example', 'plain'];
const HOSTS = [
  'site.web.localhost:80@evil.example',
  'evil.example/.site.web.localhost',
  'user:word@site.web.localhost',
  'evil.example#.web.localhost',
  'evil.example\\.web.localhost',
  '"site".web.localhost',
  'site%2e.web.localhost',
  'site.web.localhost, evil.example',
  '.web.localhost',
  `${'a'.repeat(300)}.web.localhost`,
];

beforeAll(async () => {
  const rules = RULES.map(
    ([prefix, redirect]) =>
      `<RoutingRule><Condition><KeyPrefixEquals>${prefix}</KeyPrefixEquals></Condition><Redirect>${redirect}</Redirect></RoutingRule>`,
  );
  const body = `<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument><RoutingRules>${rules.join('')}</RoutingRules></WebsiteConfiguration>`;
  expect(await shared.as('owner', { method: 'PUT', target: '/site' })).toBe('200');
  expect(await shared.as('owner', { method: 'PUT', target: '/site?website', body })).toBe('200');
  const headers = { 'x-amz-acl': 'public-read' };
  for (const folder of FOLDERS) {
    const target = `/site/${encodeURIComponent(`${folder}/index.html`)}`;
    expect(await shared.as('owner', { method: 'PUT', target, headers, body: folder })).toBe('200');
  }
});

function visit(path: string, host = 'site.web.localhost', method = 'GET'): Promise<RawAnswer> {
  const text = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  return roundTrip(shared.gateway.port, Buffer.from(text, 'latin1'), method);
}

test.each(['', '/go', '/go/a', '/cut', '/whole', '/host', '//go', '/%67o', '/none'])(
  'odd paths behind %j lead to the site, or where a rule says',
  async (prefix) => {
    const places: string[] = [];
    for (const path of EVIL) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, body } = await visit(prefix + path, undefined, method);
        expect([status < 500, 'set-cookie' in headers, body.includes('<script')]).toEqual([true, false, false]);
        const { location } = headers;
        if (location === undefined) continue;
        expect(location).toMatch(/^[\x21-\x7e]+$/);
        places.push(new URL(location, `${SITE}/here`).origin);
      }
    }
    expect([...new Set(places)].filter((origin) => origin !== SITE)).toEqual(
      prefix === '/host' ? ['http://good.example'] : [],
    );
    if (prefix !== '/none' && prefix !== '//go') expect(places.length).toBeGreaterThan(0);
  },
);

test.each(FOLDERS)('the folder %j is found behind its redirect', async (folder) => {
  const { status, headers } = await visit(`/${encodeURIComponent(folder)}`);
  const location = new URL(headers['location'] ?? '', `${SITE}/`);
  expect([status, location.origin]).toEqual([302, SITE]);
  expect((await visit(location.pathname)).body).toBe(folder);
});

test.each(HOSTS)('the host %j is no site', async (host) => {
  for (const path of ['/go/x', '/plain', '/']) {
    const { status, headers } = await visit(path, host);
    expect([status >= 400 && status < 500, headers['location']]).toEqual([true, undefined]);
  }
});

test.each([
  ['javascript:alert(1)', '400'],
  ['data:text/html,x', '400'],
  ['ftp://elsewhere.example', '400'],
  ['elsewhere.example', '400'],
  ['', '400'],
  ['\\\\elsewhere.example', '400'],
  ['/%0d%0aSet-Cookie:%20a', '200'],
  ['https://elsewhere.example/', '200'],
])('an object may lead to %j: %s', async (location, expected) => {
  const headers = { 'x-amz-acl': 'public-read', 'x-amz-website-redirect-location': location };
  const stored = await send(shared.gateway.port, 'owner', { method: 'PUT', target: '/site/led', headers });
  expect(String(stored.status)).toBe(expected);
  if (expected !== '200') return;
  const answer = await visit('/led');
  expect([answer.status, answer.headers['location'], 'set-cookie' in answer.headers]).toEqual([301, location, false]);
});
