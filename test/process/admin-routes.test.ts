import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { CONFIG } from '../../config/schema.ts';
import { createAccountDirectory } from '../../src/access/directory.ts';
import { healthRoutes } from '../../src/admin/health.ts';
import { metricsRoutes } from '../../src/admin/metrics/routes.ts';
import { type AdminServer, startAdminServer } from '../../src/admin/server.ts';
import { openAdminAccess } from '../../src/main/admin-access.ts';
import { backgroundCall } from '../../src/main/background-call.ts';
import type { ReplicaList } from '../../src/admin/inspector/contract.ts';
import { createRealm } from '../../src/main/bucket-rules.ts';
import { Sessions } from '../../src/access/sessions/sessions.ts';
import { openInspection } from '../../src/main/inspection.ts';
import { openManagement } from '../../src/main/managed/management.ts';
import { openManifest } from '../../src/main/manifest.ts';
import { testAccount } from '../support/gateway/start-command.ts';
import type { Call } from '../../src/observe/call.ts';
import { BackendCalls } from '../../src/observe/call-watch.ts';
import { SILENT } from '../support/silent-log.ts';

/**
 * Whoever adds to these lists must know why nobody need show a token. Everything else on the admin port is for those
 * who do.
 */
const PROBES = ['/healthz', '/readyz', '/startupz'];
const OPEN = ['/', '/page/*', '/session'];

const TOKEN = 'the-token-of-this-test';
const MANAGE = 'the-token-that-may-manage';
const background = new AbortController();
const routes: { readonly method: string; readonly url: string; readonly access: string }[] = [];
let server: AdminServer;

/** The admin port as `service.ts` puts it together. */
const LANES = [
  {
    lane: 'downloads',
    places: 256,
    inUse: 3,
    waiting: 1,
    holders: [{ holder: 'main@10.0.0.7', inUse: 3, waiting: 1 }],
  },
  { lane: 'calls', places: 256, inUse: 0, waiting: 0, holders: [] },
] as const;

beforeAll(async () => {
  const config = CONFIG.parse({
    accounts: [testAccount()],
    backends: { store: { kind: 'memory', owner: 'main' } },
    admin: { tokenEnv: 'TOKEN', manage: { tokenEnv: 'MANAGE' }, port: 0 },
    managedAccounts: { folder: 'managed' },
  });
  const access = openAdminAccess({
    admin: config.admin,
    sources: { folder: '.', environment: { TOKEN, MANAGE } },
    log: SILENT,
  });
  const backend = { name: 'store', store: new MemoryBlobStore(), systemContainer: 'system', ownerId: 'a'.repeat(64) };
  const realm = createRealm([backend], [], undefined);
  const manifest = openManifest({ realm, bucketCacheMs: 20, log: SILENT, signal: background.signal });
  const [accounts, { buckets, listing }] = [createAccountDirectory([]), manifest];
  const requests = { running: () => [], flush: () => undefined };
  const inspection = openInspection({
    config,
    currentQuotas: () => config.quotas,
    accounts,
    sessions: new Sessions({ accounts, keys: () => undefined }),
    buckets,
    listing,
    newCall: (signal) => backgroundCall(signal),
    requests,
    events: { tally: { counts: { delivered: 0, failed: 0, dropped: 0, withdrawn: 0, unresolved: 0 }, behind: [] } },
    telemetry: { calls: new BackendCalls() },
    backends: [{ ...backend, surveyed: { lanes: () => LANES } }],
  });
  const managed = { view: unused, change: unused };
  const newCall = (signal: AbortSignal): Call => backgroundCall(signal);
  const management = openManagement({ config, managed, accounts, manifest, realm, newCall, log: SILENT });
  server = await startAdminServer({
    log: SILENT,
    host: '127.0.0.1',
    port: 0,
    parts: [
      (app) =>
        app.addHook('onRoute', ({ method, url, config: settings }) => {
          for (const one of [method].flat()) routes.push({ method: one, url, access: settings?.access ?? 'token' });
        }),
      healthRoutes({ started: () => true, draining: () => false, backends: async () => ({ total: 1, failing: [] }) }),
      access.guard,
      metricsRoutes(async () => 'metrics', access.metrics),
      ...inspection.parts,
      management.part,
    ],
  });
});

afterAll(async () => {
  await server.close();
  background.abort();
});

/** No request of these tests gets as far. */
function unused(): never {
  throw new Error('a request without the right token was let in');
}

function ask(method: string, url: string, token?: string): Promise<Response> {
  const path = url.replaceAll(/:\w+/g, 'x').replace('*', 'x');
  const signal = AbortSignal.timeout(5000);
  return fetch(`http://127.0.0.1:${server.address.port}${path}`, {
    method,
    signal,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
}

test('routes that need no token are these', () => {
  const urls = (access: string): string[] =>
    [...new Set(routes.filter((route) => route.access === access).map(({ url }) => url))].sort();
  expect(urls('probe')).toEqual(PROBES);
  expect(urls('open')).toEqual(OPEN);
  expect(urls('token')).toEqual(
    expect.arrayContaining([
      '/api/overview',
      '/api/requests',
      '/api/requests/stream',
      '/api/requests.har',
      '/api/timeline',
      '/metrics',
    ]),
  );
});

test('every other route, and every path that is none, answers 401 without the token', async () => {
  const others = routes.filter(({ access }) => access === 'token' || access === 'manage');
  expect(others.length).toBeGreaterThan(8);
  for (const { method, url } of [
    ...others,
    { method: 'GET', url: '/nothing' },
    { method: 'POST', url: '/api/requests' },
    { method: 'GET', url: '/api/' },
    { method: 'GET', url: '/api/replicas/x/api/requests' },
  ]) {
    expect((await ask(method, url)).status, `${method} ${url}`).toBe(401);
  }
  // Not for all of them: wrong tokens are braked.
  for (const { method, url } of [
    others.slice(0, 4),
    others.filter(({ access }) => access === 'manage').slice(0, 4),
  ].flat()) {
    expect((await ask(method, url, 'another-token-of-some-length')).status, `${method} ${url}`).toBe(401);
  }
});

test('with it they answer something else', async () => {
  for (const { method, url } of routes.filter((route) => route.access === 'token' && !route.url.endsWith('/stream'))) {
    expect((await ask(method, url, TOKEN)).status, `${method} ${url}`).not.toBe(401);
  }
});

test('only routes for tokens that may manage change anything, and a token that reads is refused there', async () => {
  const changing = routes.filter(({ method, url }) => !['GET', 'HEAD'].includes(method) && url !== '/session');
  expect(changing.filter(({ access }) => access === 'manage').length).toBeGreaterThan(10);
  for (const { method, url, access } of changing) {
    const { status } = await ask(method, url, TOKEN);
    expect(status, `${method} ${url}`).toBe(access === 'manage' ? 403 : 405);
  }
});

test('each replica tells who uses the connections to its backends', async () => {
  const { replicas } = (await (await ask('GET', '/api/replicas', TOKEN)).json()) as ReplicaList;
  const [inUse] = LANES;
  expect(replicas.map(({ connections }) => connections)).toEqual([[{ backend: 'store', ...inUse }]]);
});
