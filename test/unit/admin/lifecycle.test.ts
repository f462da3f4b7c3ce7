import { afterEach, expect, test } from 'vitest';
import { type FoundPassReport, lifecycleRoutes } from '../../../src/admin/lifecycle/routes.ts';
import { type AdminServer, startAdminServer } from '../../../src/admin/server.ts';
import type { Revision } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { SILENT } from '../../support/silent-log.ts';
import { testCall } from '../../support/test-call.ts';

const TEAM = '1'.repeat(64);
const AT = Date.parse('2026-11-28T10:00:00Z');
const COUNTS = { due: 9, done: 3, locked: 2, changed: 1, unmovable: 2, failed: 1 };
const PHOTOS: FoundPassReport = {
  ...{ backend: 'main', bucket: 'photos', ownerId: TEAM, uid: 'u1', revision: 'r' as Revision },
  ...{ startedAt: AT, finishedAt: AT + 1000, oldestDue: AT - 86_400_000 },
  ...COUNTS,
};
const { oldestDue: _oldestDue, ...NOTHING_LEFT } = PHOTOS;

let server: AdminServer | undefined;
afterEach(() => server?.close());

async function ask(read: () => Promise<readonly FoundPassReport[]>): Promise<{ status: number; body: unknown }> {
  const part = lifecycleRoutes({ read, accountName: (id) => (id === TEAM ? 'team' : undefined), newCall: testCall });
  server = await startAdminServer({ host: '127.0.0.1', port: 0, parts: [part], log: SILENT });
  const answer = await fetch(`http://127.0.0.1:${String(server.address.port)}/api/lifecycle`);
  return { status: answer.status, body: await answer.json() };
}

test('the last passes are told by the names of buckets, with the names of accounts', async () => {
  const shared = { backend: 'main', startedAt: '2026-11-28T10:00:00.000Z', finishedAt: '2026-11-28T10:00:01.000Z' };
  const other = { ...NOTHING_LEFT, bucket: 'a', ownerId: '2'.repeat(64) };
  expect(await ask(async () => [PHOTOS, other])).toEqual({
    status: 200,
    body: {
      askedAt: expect.stringMatching(/^\d{4}-/) as unknown,
      buckets: [
        { ...shared, ...COUNTS, name: 'a', account: '2'.repeat(64) },
        { ...shared, ...COUNTS, name: 'photos', account: 'team', oldestDue: '2026-11-27T10:00:00.000Z' },
      ],
    },
  });
});

test('a backend that fails is named', async () => {
  const failed = new StoreError('unavailable', { call: 'list' });
  expect(await ask(() => Promise.reject(failed))).toMatchObject({ status: 502 });
});
