import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BackendHealth, healthRoutes } from '../../../src/admin/health.ts';
import { type AdminServer, startAdminServer } from '../../../src/admin/server.ts';

describe('probes', () => {
  let server: AdminServer;
  let started: boolean;
  let draining: boolean;
  const error = vi.fn();
  const backends = vi.fn<() => Promise<BackendHealth>>();

  beforeEach(async () => {
    [started, draining] = [true, false];
    error.mockReset();
    backends.mockReset().mockResolvedValue({ total: 2, failing: [] });
    server = await startAdminServer({
      log: { error },
      host: '127.0.0.1',
      port: 0,
      parts: [healthRoutes({ started: () => started, draining: () => draining, backends })],
    });
  });

  afterEach(() => server.close());

  async function ask(path: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${server.address.port}${path}`);
    return `${answer.status} ${(await answer.text()).trim()}`;
  }

  const all = (): Promise<string[]> => Promise.all(['/healthz', '/startupz', '/readyz'].map(ask));

  it('while everything is well', async () => {
    expect(await all()).toEqual(['200 alive', '200 started', '200 ready']);
  });

  it('before everything is open: alive, but neither started nor ready', async () => {
    started = false;
    expect(await all()).toEqual(['200 alive', '503 starting', '503 starting']);
  });

  it('while draining: alive, not ready', async () => {
    draining = true;
    expect(await all()).toEqual(['200 alive', '200 started', '503 draining']);
  });

  it.each<[BackendHealth, string]>([
    [{ total: 1, failing: ['azure'] }, '503 no answer from backend azure'],
    [{ total: 2, failing: ['azure', 'gcs'] }, '503 no answer from backend azure, gcs'],
    [{ total: 2, failing: ['gcs'] }, '200 ready, but no answer from backend gcs'],
  ])('%j', async (health, readiness) => {
    backends.mockResolvedValue(health);
    expect(await all()).toEqual(['200 alive', '200 started', readiness]);
  });

  it('of several sides ask the backends once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => ask('/readyz')));
    expect(backends).toHaveBeenCalledTimes(1);
  });

  it('that cannot be answered fail without saying why; the log says it, under the id of the answer', async () => {
    const reason = new Error('AccountKey=abc');
    backends.mockRejectedValue(reason);
    const answer = await fetch(`http://127.0.0.1:${server.address.port}/readyz?token=secret`);
    expect([answer.status, await answer.json()]).toEqual([500, { error: 'the gateway failed to answer this' }]);
    const requestId = answer.headers.get('x-request-id');
    expect(requestId).toMatch(/^[0-9A-Z]{16}$/);
    await expect
      .poll(() => error.mock.calls)
      .toEqual([[{ requestId, method: 'GET', route: '/readyz', status: 500, err: reason }, expect.any(String)]]);
  });

  it('that are answered with a no are nothing to log', async () => {
    draining = true;
    await all();
    await ask('/nothing-of-this-name');
    expect(error).not.toHaveBeenCalled();
  });
});
