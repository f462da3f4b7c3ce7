import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ChangeRecords } from '../../../../src/admin/manage/change-records.ts';
import { MANAGE_TOKEN, type ManagedProcess, ManagedWorld } from '../../../support/managed/managed-world.ts';

/* What callers may do by mistake or on purpose, and what is left behind. */

const world = new ManagedWorld();
let gateway: ManagedProcess;
beforeAll(async () => {
  gateway = await world.start();
});
afterAll(() => world.close());

it.each([
  ['a policy', 'PUT /accounts/team/policies/deep', { Statement: [] }],
  ['a user', 'PUT /accounts/team/users/deep', { policies: [{ Statement: [] }] }],
])('%s that is nested deeply is refused', async (_, line, body) => {
  const [method = '', path = ''] = line.split(' ');
  for (const depth of [40, 30_000]) {
    const answer = await fetch(`${gateway.url}/api/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${MANAGE_TOKEN}`, 'content-type': 'application/json' },
      body: textOf(body, depth),
    });
    expect([answer.status, await answer.json()], String(depth)).toMatchObject([400, { code: 'ValidationError' }]);
  }
});

/** JSON.stringify would not come so deep. */
function textOf(body: object, depth: number): string {
  return JSON.stringify(body).replaceAll('[]', `${'['.repeat(depth)}${']'.repeat(depth)}`);
}

it('denied requests are all counted, and fill no log', async () => {
  const records = new ChangeRecords({ warn: (fields) => void lines.push(fields) });
  const lines: object[] = [];
  const request = { params: {}, routeOptions: {} } as FastifyRequest;
  for (let sent = 0; sent < 1000; sent += 1) records.denied(request, 'AccessDenied');
  expect(lines).toHaveLength(60);
  expect(records.counts).toEqual([{ endpoint: '', outcome: 'denied', count: 1000 }]);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  for (let sent = 0; sent < 2; sent += 1) records.denied(request, 'AccessDenied');
  vi.restoreAllMocks();
  expect(lines.slice(60)).toEqual([
    expect.objectContaining({ outcome: 'denied', unlogged: 940 }),
    expect.not.objectContaining({ unlogged: expect.anything() as unknown }),
  ]);
});

it('a bucket that is removed takes its quota along, so that the next of its name begins without', async () => {
  await gateway.ask('PUT', '/buckets/reused', { account: 'team' });
  await gateway.ask('PUT', '/buckets/reused/quota', { bytes: 1 });
  expect(await gateway.ask('DELETE', '/buckets/reused')).toMatchObject({ status: 204 });
  expect(await gateway.ask('GET', '/buckets/reused/quota')).toMatchObject({ status: 404 });
  expect(gateway.inForce.quotas.buckets).toEqual([]);
});

it('a bucket that is removed while the document cannot be reached is answered as what it is', async () => {
  await gateway.ask('PUT', '/buckets/reused', { account: 'team' });
  const [shared, away] = [join(world.folder, 'shared'), join(world.folder, 'away')];
  renameSync(shared, away);
  const answer = await gateway.ask('DELETE', '/buckets/reused');
  renameSync(away, shared);
  expect(answer).toMatchObject({ status: 503, body: { code: 'OutcomeUnknown' } });
  expect(await gateway.ask('GET', '/buckets/reused')).toMatchObject({ status: 404 });
});

it('the same quota again is no change', async () => {
  await gateway.ask('PUT', '/accounts/team/quota', { bytes: 1 });
  await gateway.ask('PUT', '/buckets/some-bucket/quota', { bytes: 1 });
  const { version } = gateway.running.followed;
  expect(await gateway.ask('PUT', '/accounts/team/quota', { bytes: 1 })).toMatchObject({
    status: 200,
    body: { bytes: 1 },
  });
  expect(await gateway.ask('PUT', '/buckets/some-bucket/quota', { bytes: 1 })).toMatchObject({ status: 200 });
  expect(gateway.running.followed.version).toBe(version);
});
