import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADMIN, adminFaults, type AdminConfig } from '../../../config/schema-admin.ts';
import { startAdminServer, type AdminServer } from '../../../src/admin/server.ts';
import { type AdminAccess, openAdminAccess } from '../../../src/main/admin-access.ts';
import { SILENT } from '../../support/silent-log.ts';

const LOG = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const TOKEN = 'a-token-of-sufficient-length';

describe('settings', () => {
  it.each<[string, object, string | undefined]>([
    ['loopback without token', {}, undefined],
    ['loopback of version 6', { host: '::1' }, undefined],
    ['everywhere without token', { host: '0.0.0.0' }, 'host'],
    ['a name', { host: 'gateway.internal' }, 'host'],
    ['everywhere of version 6', { host: '::' }, 'host'],
    ['everywhere with a token', { host: '0.0.0.0', tokenEnv: 'TOKEN' }, undefined],
    ['everywhere with TokenReview', { host: '0.0.0.0', tokenReview: { users: ['u'] } }, undefined],
    ['everywhere, probes only', { host: '0.0.0.0', inspector: false }, undefined],
    ['everywhere, but nowhere', { host: '0.0.0.0', enabled: false }, undefined],
    ['two tokens', { tokenEnv: 'A', tokenFile: 'b' }, 'tokenFile'],
  ])('%s', (_, settings, fault) => {
    expect(adminFaults(ADMIN.parse(settings)).map(({ path }) => path)).toEqual(fault === undefined ? [] : [[fault]]);
  });

  it('TokenReview must say who is let in', () => {
    expect(() => ADMIN.parse({ tokenReview: {} })).toThrow(/users or groups/);
  });
});

describe('openAdminAccess', () => {
  const folder = mkdtempSync(join(tmpdir(), 'admin-'));
  let access: AdminAccess | undefined;
  let server: AdminServer | undefined;

  afterEach(async () => {
    await server?.close();
    access?.close();
    [access, server] = [undefined, undefined];
  });

  function open(settings: object, environment: Readonly<Record<string, string>> = {}): AdminAccess {
    const admin: AdminConfig = ADMIN.parse(settings);
    return (access = openAdminAccess({ admin, sources: { folder, environment }, log: LOG }));
  }

  async function status(token?: string, method = 'GET'): Promise<number> {
    const { metrics, guard } = access ?? open({});
    server ??= await startAdminServer({
      log: SILENT,
      host: '127.0.0.1',
      port: 0,
      parts: [
        guard,
        (app) => {
          app.get('/api', () => 'api');
          app.put('/api', { config: { access: 'manage' } }, () => 'changed');
          app.get('/metrics', { config: { access: metrics } }, () => 'metrics');
        },
      ],
    });
    const answer = await fetch(`http://127.0.0.1:${server.address.port}/api`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    return answer.status;
  }

  async function metricsStatus(): Promise<number> {
    return (await fetch(`http://127.0.0.1:${server?.address.port ?? 0}/metrics`)).status;
  }

  it('asks for nothing when nothing is configured', async () => {
    open({});
    expect(await status()).toBe(200);
  });

  it('takes the token from the environment', async () => {
    open({ tokenEnv: 'TOKEN' }, { TOKEN });
    expect([await status(), await status('wrong'), await status(TOKEN)]).toEqual([401, 401, 200]);
    expect(await metricsStatus()).toBe(401);
  });

  it('takes several from a file, and others when it changes', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, `${TOKEN}\n\nanother-token-of-some-length\n`);
    open({ tokenFile: 'token', openMetrics: true });
    expect([await status(TOKEN), await status('another-token-of-some-length'), await metricsStatus()]).toEqual([
      200, 200, 200,
    ]);
    writeFileSync(file, 'a-third-token-of-some-length\n');
    await vi.waitFor(
      async () => expect([await status(TOKEN), await status('a-third-token-of-some-length')]).toEqual([401, 200]),
      { timeout: 30_000 },
    );
    writeFileSync(file, 'short\n');
    await vi.waitFor(() => expect(LOG.error).toHaveBeenCalled(), { timeout: 30_000 });
    expect(JSON.stringify(LOG.error.mock.calls)).not.toContain('short');
    expect(await status('a-third-token-of-some-length')).toBe(200);
  });

  it.each(['', 'too-short', 'with a space in its middle', 'umläute-umläute-umläute'])(
    'does not start with %j',
    (token) => {
      expect(() => open({ tokenEnv: 'TOKEN' }, { TOKEN: token })).toThrow(/admin\.token/);
    },
  );

  it('without inspector nothing but probes and metrics is there for anybody', async () => {
    open({ host: '0.0.0.0', inspector: false });
    expect([await status(), await status(TOKEN), await metricsStatus()]).toEqual([401, 401, 200]);
  });

  it('shows tokens to the API server only where no fixed one is the same', async () => {
    const shown: string[] = [];
    const api = createServer((request, response) => {
      void textOf(request).then((body) => {
        shown.push((JSON.parse(body) as { spec: { token: string } }).spec.token);
        response.writeHead(201).end(JSON.stringify({ status: { authenticated: false } }));
      });
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    onTestFinished(() => void api.close());
    writeFileSync(join(folder, 'own'), 'own-token');
    const at = { server: `http://127.0.0.1:${String((api.address() as AddressInfo).port)}`, tokenFile: 'own' };
    const settings = {
      tokenEnv: 'READ',
      tokenReview: { ...at, users: ['reader'] },
      manage: { tokenEnv: 'MANAGE', users: ['manager'] },
    };
    const [READ, MANAGE] = ['a-token-that-only-reads', 'a-token-that-may-manage'];
    open(settings, { READ, MANAGE });
    expect([await status(READ), await status(MANAGE)]).toEqual([200, 200]);
    expect([await status(READ, 'PUT'), await status(MANAGE, 'PUT')]).toEqual([403, 200]);
    expect(shown).toEqual([]);
    expect(await status('a-token-that-is-of-neither')).toBe(401);
    expect(shown).toContain('a-token-that-is-of-neither');
  });

  it('TokenReview outside of a cluster must be told where', () => {
    expect(() => open({ tokenReview: { users: ['u'] } })).toThrow(/server and tokenFile/);
  });
});
