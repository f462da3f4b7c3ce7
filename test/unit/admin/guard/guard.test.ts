import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { adminGuard, type GuardOptions } from '../../../../src/admin/guard/guard.ts';
import { fixedTokens, type TokenVerdict } from '../../../../src/admin/guard/token-check.ts';
import { healthRoutes } from '../../../../src/admin/health.ts';
import { type AdminServer, startAdminServer } from '../../../../src/admin/server.ts';
import { SILENT } from '../../../support/silent-log.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const TOKENS = fixedTokens(() => ['an-older-token-0000', TOKEN]);
const PROBES = ['/healthz', '/startupz', '/readyz'];

let server: AdminServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Partial<GuardOptions> = {}): Promise<void> {
  const health = healthRoutes({
    started: () => true,
    draining: () => false,
    backends: async () => ({ total: 1, failing: [] }),
  });
  server = await startAdminServer({
    log: SILENT,
    host: '127.0.0.1',
    port: 0,
    parts: [
      health,
      adminGuard({ tokens: undefined, names: [], ...options }),
      (app) => {
        app.get('/api/secret', () => ({ secret: true }));
        app.get('/page', { config: { access: 'open' } }, () => 'the page');
        app.get('/stream', (_request, reply) => {
          reply.hijack();
          reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: x\n\n');
        });
      },
    ],
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Not `fetch`: that sets Host and Origin itself. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', body = '' } = {},
): Promise<Answer> {
  const port = server?.address.port ?? 0;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    request.on('error', reject).end(body);
  });
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('with a token', () => {
  it('a flood of wrong ones is braked, and shuts nobody out who had the right one', async () => {
    let looked = 0;
    const counted = { verify: async (token: string): Promise<TokenVerdict> => (looked++, TOKENS.verify(token)) };
    await start({ tokens: counted });
    expect((await ask('/api/secret', bearer(TOKEN))).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) => {
        return index % 2 === 0
          ? ask('/api/secret', bearer(`${TOKEN}${index}`))
          : ask(
              '/session',
              { 'content-type': 'application/json' },
              { method: 'POST', body: `{"token":"${TOKEN}${index}"}` },
            );
      }),
    );
    const braked = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(80 - braked.length);
    expect(looked).toBeLessThan(20);
    expect(braked.every(({ headers }) => headers['retry-after'] === '5')).toBe(true);
    expect((await ask('/api/secret', bearer(TOKEN))).status).toBe(200);
    expect((await ask('/page')).status).toBe(200);
  }, 60_000);

  it.each([
    ['none', {}],
    ['a wrong one', bearer(`${TOKEN}x`)],
    ['a part of it', bearer(TOKEN.slice(1))],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['an empty one', bearer('')],
    ['a wrong header beside a right cookie', { ...bearer('wrong'), cookie: `s3gw_admin=${TOKEN}` }],
    ['a cookie of another name', { cookie: `other=${TOKEN}` }],
  ])('%s is not let in', async (_, headers) => {
    await start({ tokens: TOKENS });
    for (const path of ['/api/secret', '/stream', '/nothing', '/api/secret?x=1', '//api/secret']) {
      const answer = await ask(path, headers);
      expect(answer.status, path).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body).not.toContain('secret":true');
    }
  });

  it('the right one is, by header or cookie, and so is an older one', async () => {
    await start({ tokens: TOKENS });
    expect(await ask('/api/secret', bearer(TOKEN))).toMatchObject({ status: 200, body: '{"secret":true}' });
    expect(await ask('/api/secret', { authorization: `bearer  ${TOKEN}` })).toMatchObject({ status: 200 });
    expect(await ask('/api/secret', bearer('an-older-token-0000'))).toMatchObject({ status: 200 });
    expect(await ask('/api/secret', { cookie: `a=b; s3gw_admin=${TOKEN}` })).toMatchObject({ status: 200 });
    expect(await ask('/nothing', bearer(TOKEN))).toMatchObject({ status: 404 });
  });

  it('probes and open routes need none', async () => {
    await start({ tokens: TOKENS });
    for (const path of [...PROBES, '/page']) expect(await ask(path), path).toMatchObject({ status: 200 });
  });

  it('a page logs in with it and out again', async () => {
    await start({ tokens: TOKENS });
    const json = { 'content-type': 'application/json' };
    expect(JSON.parse((await ask('/session')).body)).toEqual({ required: true, authenticated: false });
    for (const body of [{ token: 'wrong' }, { token: 1 }, {}, null, `${TOKEN}\r\nSet-Cookie: x=y`]) {
      expect(await ask('/session', json, { method: 'POST', body: JSON.stringify(body) })).toMatchObject({
        status: 401,
        headers: expect.not.objectContaining({ 'set-cookie': expect.anything() as unknown }) as unknown,
      });
    }
    const login = await ask('/session', json, { method: 'POST', body: JSON.stringify({ token: TOKEN }) });
    expect(login).toMatchObject({
      status: 204,
      headers: { 'set-cookie': [`s3gw_admin=${TOKEN}; Path=/; HttpOnly; SameSite=Strict`] },
    });
    const cookie = { cookie: `s3gw_admin=${TOKEN}` };
    expect(JSON.parse((await ask('/session', cookie)).body)).toEqual({ required: true, authenticated: true });
    expect((await ask('/session', cookie, { method: 'DELETE' })).headers['set-cookie']?.[0]).toMatch(
      /^s3gw_admin=; .*Max-Age=0$/,
    );
  });

  it('the cookie is for HTTPS only when the page came by that', async () => {
    await start({ tokens: TOKENS });
    const headers = {
      'content-type': 'application/json',
      host: 'admin.example.com',
      origin: 'https://admin.example.com',
    };
    const login = await ask('/session', headers, { method: 'POST', body: JSON.stringify({ token: TOKEN }) });
    expect(login.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  });

  it('a form of another site cannot log anybody in', async () => {
    await start({ tokens: TOKENS });
    const body = JSON.stringify({ token: TOKEN });
    expect(await ask('/session', { 'content-type': 'text/plain' }, { method: 'POST', body })).toMatchObject({
      status: 401,
    });
    expect(
      await ask('/session', { 'content-type': 'application/x-www-form-urlencoded' }, { method: 'POST', body }),
    ).toMatchObject({ status: 415 });
    expect(
      await ask(
        '/session',
        { 'content-type': 'application/json', origin: 'http://evil.example' },
        { method: 'POST', body },
      ),
    ).toMatchObject({ status: 403 });
  });

  it('says so when nobody can tell about a token', async () => {
    const verify = async (): Promise<TokenVerdict> => 'unknown';
    await start({ tokens: { verify } });
    expect(await ask('/api/secret', bearer(TOKEN))).toMatchObject({ status: 503 });
    expect(await ask('/api/secret')).toMatchObject({ status: 401 });
  });

  it('no token at all that would be right: nobody is let in', async () => {
    await start({ tokens: fixedTokens(() => []) });
    expect(await ask('/api/secret', bearer(TOKEN))).toMatchObject({ status: 401 });
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
  });
});

describe('without a token, on loopback', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:9001',
    'localhost:80',
    'gateway.localhost',
    '[::1]:9001',
    '10.1.2.3:9001',
    'inspector.corp',
    'INSPECTOR.corp:1',
  ])('as %s', async (host) => {
    await start({ names: ['Inspector.corp'] });
    expect(await ask('/api/secret', { host })).toMatchObject({ status: 200 });
  });

  it.each([
    'evil.example',
    'evil.example:9001',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'inspector.corp.evil.example',
    'localhost@evil.example',
    'evil',
  ])('not as %j: the name of another site was made to point here', async (host) => {
    await start({ names: ['inspector.corp'] });
    for (const path of ['/api/secret', '/page', '/stream', '/session']) {
      expect(await ask(path, { host }), path).toMatchObject({ status: 403 });
    }
    expect(await ask('/healthz', { host })).toMatchObject({ status: 200 });
  });

  it('nobody is asked to log in', async () => {
    await start();
    expect(JSON.parse((await ask('/session')).body)).toEqual({ required: false, authenticated: true });
  });
});

describe('pages of other sites', () => {
  it.each([
    ['a script', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    [
      'another port of this machine',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ],
    ['an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['a script, in a browser without fetch metadata', { origin: 'http://evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
  ])('%s', async (_, headers) => {
    await start();
    for (const path of ['/api/secret', '/stream', '/page']) {
      const answer = await ask(path, headers);
      expect(answer.status, path).toBe(403);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('may have links to a page here', async () => {
    await start();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await ask('/page', link)).toMatchObject({ status: 200 });
    expect(
      await ask('/session', { ...link, 'content-type': 'application/json' }, { method: 'POST', body: '{}' }),
    ).toMatchObject({ status: 403 });
  });

  it('the own page may', async () => {
    await start();
    const host = '127.0.0.1:9001';
    expect(await ask('/api/secret', { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toMatchObject(
      { status: 200 },
    );
  });

  it('get no leave to ask', async () => {
    await start({ tokens: TOKENS });
    const preflight = await ask(
      '/api/secret',
      { origin: 'http://evil.example', 'access-control-request-method': 'GET' },
      { method: 'OPTIONS' },
    );
    expect(preflight.status).toBe(403);
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

it('every answer carries the security headers, refusals and streams too', async () => {
  await start({ tokens: TOKENS });
  const answers = await Promise.all([
    ask('/page'),
    ask('/api/secret'),
    ask('/api/secret', bearer(TOKEN)),
    ask('/stream', bearer(TOKEN)),
    ask('/nothing', bearer(TOKEN)),
    ask('/healthz'),
    ask('/page', { origin: 'null' }),
    ask('/session', { 'content-type': 'application/json' }, { method: 'POST', body: '{' }),
  ]);
  for (const { headers } of answers) {
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self';(?!.*unsafe).*frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  }
});
