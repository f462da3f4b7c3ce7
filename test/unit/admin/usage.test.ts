import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FoundUsage, usageCsv, usageList } from '../../../src/admin/usage/usage-list.ts';
import { usageRoutes } from '../../../src/admin/usage/routes.ts';
import { type AdminServer, startAdminServer } from '../../../src/admin/server.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { SILENT } from '../../support/silent-log.ts';
import { testCall } from '../../support/test-call.ts';
import { classUsage } from '../manifest/usage/usage-fixture.ts';

const TEAM = '1'.repeat(64);
const AT = Date.parse('2026-11-28T10:00:00Z');

const PHOTOS: FoundUsage = {
  backend: 'main',
  bucket: 'photos',
  ownerId: TEAM,
  uid: 'u1',
  counted: {
    bucket: 'photos',
    ownerId: TEAM,
    startedAt: AT,
    finishedAt: AT + 1000,
    classes: [classUsage('STANDARD', [2, 10], [1, 5]), classUsage('GLACIER', [1, 100])],
    markers: 3,
    uploads: 1,
    parts: 2,
    partBytes: 7,
  },
  written: new Map([['p', { bucket: 'photos', spans: [{ from: AT, until: AT, bytes: 8, objects: 1 }] }]]),
};
const NEW: FoundUsage = {
  ...PHOTOS,
  bucket: 'new',
  uid: 'u2',
  ownerId: '2'.repeat(64),
  counted: undefined,
  written: new Map(),
};

const SURROUNDINGS = {
  accountName: (id: string) => (id === TEAM ? 'team, "one"' : undefined),
  ofBucket: (name: string) => (name === 'photos' ? { bytes: 200 } : undefined),
  ofAccount: (id: string) => (id === TEAM ? { quota: { objects: 10 } } : undefined),
  maxAgeMs: 86_400_000,
};

describe('what is shown', () => {
  const list = usageList([PHOTOS, NEW], { ...SURROUNDINGS, now: AT + 5000 });

  test('of buckets and accounts, with what quotas are judged by', () => {
    expect(list).toEqual({
      askedAt: '2026-11-28T10:00:05.000Z',
      buckets: [
        {
          name: 'new',
          backend: 'main',
          account: NEW.ownerId,
          classes: [],
          markers: 0,
          uploads: { count: 0, parts: 0, bytes: 0 },
          objects: 0,
          bytes: 0,
        },
        {
          name: 'photos',
          backend: 'main',
          account: 'team, "one"',
          at: '2026-11-28T10:00:00.000Z',
          classes: PHOTOS.counted?.classes,
          markers: 3,
          uploads: { count: 1, parts: 2, bytes: 7 },
          objects: 4,
          bytes: 122,
          quota: { bytes: 200, usedBytes: 130, usedObjects: 5 },
        },
      ],
      accounts: [
        { name: NEW.ownerId, buckets: 0, objects: 0, bytes: 0 },
        {
          name: 'team, "one"',
          buckets: 1,
          objects: 4,
          bytes: 122,
          at: '2026-11-28T10:00:00.000Z',
          quota: { objects: 10, usedBytes: 130, usedObjects: 5 },
        },
      ],
    });
  });

  test('as a table, where each text is one field and none a formula', () => {
    const lines = usageCsv({ ...list, buckets: list.buckets.map((one) => ({ ...one, backend: '=1+1' })) }).split(
      '\r\n',
    );
    expect(lines).toEqual([
      'account,bucket,backend,countedAt,storageClass,currentObjects,currentBytes,noncurrentObjects,noncurrentBytes,deleteMarkers,uploads,uploadParts,uploadBytes',
      `${NEW.ownerId},new,'=1+1,,,,,,,0,0,0,0`,
      `"team, ""one""",photos,'=1+1,2026-11-28T10:00:00.000Z,STANDARD,2,10,1,5,,,,`,
      `"team, ""one""",photos,'=1+1,2026-11-28T10:00:00.000Z,GLACIER,1,100,0,0,,,,`,
      `"team, ""one""",photos,'=1+1,2026-11-28T10:00:00.000Z,,,,,,3,1,2,7`,
      '',
    ]);
  });
});

describe('GET /api/usage', () => {
  let server: AdminServer;
  let isDown = false;
  const ask = (query: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(server.address.port)}/api/usage${query}`);

  beforeAll(async () => {
    const read = async (): Promise<FoundUsage[]> => {
      if (isDown) throw new StoreError('unavailable');
      return [PHOTOS];
    };
    const parts = [usageRoutes({ ...SURROUNDINGS, read, newCall: (signal) => testCall(signal) })];
    server = await startAdminServer({ host: '127.0.0.1', port: 0, parts, log: SILENT });
  });
  afterAll(() => server.close());

  test('answers JSON, or a table as a download', async () => {
    expect(await (await ask('')).json()).toMatchObject({ buckets: [{ name: 'photos', bytes: 122 }] });
    const table = await ask('?format=csv');
    expect([table.headers.get('content-type'), table.headers.get('content-disposition')]).toEqual([
      'text/csv; charset=utf-8',
      'attachment; filename="usage.csv"',
    ]);
    expect((await table.text()).split('\r\n')).toHaveLength(5);
  });

  test('refuses other forms, and says when the backend does not answer', async () => {
    expect((await ask('?format=xml')).status).toBe(400);
    isDown = true;
    expect((await ask('')).status).toBe(502);
  });
});
