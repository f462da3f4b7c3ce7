import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { blobsOf } from '../../../src/store/pages.ts';
import { testCall } from '../../support/test-call.ts';
import { type Answer, World, element } from '../spec/world.ts';

const call = testCall();
const GLACIER = { 'x-amz-storage-class': 'GLACIER' };
const CLASSES = { tiers: {}, buckets: [] };
const VERSIONED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

const restoreBody = (days: number, tier?: string): string =>
  `<RestoreRequest><Days>${days}</Days>${tier === undefined ? '' : `<GlacierJobParameters><Tier>${tier}</Tier></GlacierJobParameters>`}</RestoreRequest>`;

describe.each([
  ['offline, as Azure has it', true],
  ['read at once, as Google has it', false],
])('archived bytes that are %s', (_name, archiveIsOffline) => {
  let store: MemoryBlobStore;
  let world: World;

  beforeAll(async () => {
    store = new MemoryBlobStore({ capabilities: { archiveIsOffline } });
    world = await World.open({ storageClasses: CLASSES }, store);
  });
  afterAll(() => world.close());

  const restore = (target: string, body: string): Promise<Answer> => world.ask('POST', `${target}?restore`, { body });
  const shown = async (target: string): Promise<string | undefined> => {
    const { headers } = await world.must('HEAD', target);
    return headers['x-amz-restore']?.toString();
  };
  const pieces = async (): Promise<{ tier: string | undefined; archived: boolean; name: string }[]> => {
    const { entries } = await store.list('system', { prefix: 'e/', limit: 1000 }, call);
    return blobsOf(entries).map(({ tier, archived = false, name }) => ({ tier, archived, name }));
  };
  const arrive = async (): Promise<void> => {
    for (const { name, archived, tier } of await pieces()) {
      if (archived && tier !== 'archive') store.setArchived({ container: 'system', name }, false);
    }
  };

  test('an object has its bytes in an archived piece, and its record on an online head', async () => {
    const bucket = await world.bucket();
    const { headers } = await world.put(`/${bucket}/k`, 'bytes', GLACIER);
    expect(headers['etag']).toBe('"4b3a6218bb3e3a7303e8a171a60fcf92"');
    const head = await store.head({ container: bucket, name: 'k' }, call);
    expect([head.tier, head.size, (await pieces()).map(({ tier }) => tier)]).toEqual(['hot', 0, ['archive']]);
    const { headers: said } = await world.must('HEAD', `/${bucket}/k`);
    expect([said['content-length'], said['x-amz-storage-class'], said['etag']]).toEqual([
      '5',
      'GLACIER',
      headers['etag'],
    ]);
    expect(said['x-amz-restore']).toBeUndefined();
    await world.putTags(`/${bucket}/k`, [['a', 'b']]);
    expect(await world.tags(`/${bucket}/k`)).toEqual(['a=b']);
    await world.must('DELETE', `/${bucket}/k`);
    await world.gateway.idle();
    expect(await pieces()).toEqual([]);
  });

  test('reads and copies of it are refused until it is restored', async () => {
    const bucket = await world.bucket();
    await world.put(`/${bucket}/k`, 'bytes', GLACIER);
    const target = `/${bucket}/k`;
    const refused = await world.ask('GET', target);
    expect([refused.outcome, element(refused.body, 'StorageClass')]).toEqual(['403 InvalidObjectState', 'GLACIER']);
    expect((await world.copy(`/${bucket}/c`, `${bucket}/k`)).outcome).toBe('403 InvalidObjectState');
    const upload = await world.upload(`/${bucket}/u`);
    expect((await world.copyPart(upload, `${bucket}/k`)).outcome).toBe('403 InvalidObjectState');

    store.holdsRehydration = true;
    expect((await restore(target, restoreBody(2, 'Bulk'))).status).toBe(202);
    if (archiveIsOffline) {
      expect(await shown(target)).toBe('ongoing-request="true"');
      expect((await restore(target, restoreBody(2, 'Bulk'))).outcome).toBe('409 RestoreAlreadyInProgress');
      expect((await restore(target, restoreBody(3, 'Expedited'))).status).toBe(202);
      expect((await restore(target, restoreBody(2))).outcome).toBe('409 RestoreAlreadyInProgress');
      expect(await world.outcome('GET', target)).toBe('403 InvalidObjectState');
    }
    store.holdsRehydration = false;
    await arrive();
    expect(await shown(target)).toMatch(
      /^ongoing-request="false", expiry-date="\w{3}, \d\d \w{3} \d{4} 00:00:00 GMT"$/,
    );
    const read = await world.must('GET', target);
    expect([read.body, read.headers['x-amz-storage-class']]).toEqual(['bytes', 'GLACIER']);
    expect((await world.must('GET', target, { headers: { range: 'bytes=1-2' } })).body).toBe('yt');
    expect((await world.copy(`/${bucket}/c`, `${bucket}/k`)).outcome).toBe('200');
    expect((await world.must('GET', `/${bucket}/c`)).body).toBe('bytes');
    expect((await restore(target, restoreBody(9))).status).toBe(200);
    const days = (Date.parse(/expiry-date="([^"]*)/.exec((await shown(target)) ?? '')?.[1] ?? '') - Date.now()) / 864e5;
    expect(days).toBeGreaterThanOrEqual(9);
    expect(days).toBeLessThan(10);
  });

  test('a copy onto itself to STANDARD brings it back for good', async () => {
    const bucket = await world.bucket();
    await world.put(`/${bucket}/k`, 'bytes', GLACIER);
    await restore(`/${bucket}/k`, restoreBody(1));
    const copied = await world.copy(`/${bucket}/k`, `${bucket}/k`, { 'x-amz-storage-class': 'STANDARD' });
    expect(copied.outcome).toBe('200');
    const { body, headers } = await world.must('GET', `/${bucket}/k`);
    expect([body, headers['x-amz-storage-class'], headers['x-amz-restore']]).toEqual(['bytes', undefined, undefined]);
    expect(headers['etag']).toBe('"4b3a6218bb3e3a7303e8a171a60fcf92"');
  });

  test('parts, and versions by their ids', async () => {
    const bucket = await world.bucket();
    await world.must('PUT', `/${bucket}?versioning`, { body: VERSIONED });
    const upload = await world.upload(`/${bucket}/k`, GLACIER);
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'one part' });
    const done = await world.complete(upload, [String(headers['etag'])]);
    const id = String(done.headers['x-amz-version-id']);
    await world.put(`/${bucket}/k`, 'newer');
    const target = `/${bucket}/k?versionId=${id}`;
    expect(await world.outcome('GET', target)).toBe('403 InvalidObjectState');
    const body = restoreBody(1);
    expect((await world.ask('POST', `/${bucket}/k?restore&versionId=${id}`, { body })).status).toBe(202);
    expect((await world.must('GET', target)).body).toBe('one part');
    expect((await restore(`/${bucket}/k`, body)).outcome).toBe('403 InvalidObjectState');
  });

  test('listings say the state of restores where it is asked for', async () => {
    const bucket = await world.bucket();
    await world.must('PUT', `/${bucket}?versioning`, { body: VERSIONED });
    await world.put(`/${bucket}/k`, 'bytes', GLACIER);
    await world.put(`/${bucket}/plain`);
    await restore(`/${bucket}/k`, restoreBody(1));
    await shown(`/${bucket}/k`);
    for (const query of ['list-type=2', '', 'versions']) {
      const asked = { headers: { 'x-amz-optional-object-attributes': 'RestoreStatus' } };
      const { body } = await world.must('GET', `/${bucket}?${query}`, asked);
      expect([query, [...body.matchAll(/<RestoreStatus>.*?<\/RestoreStatus>/g)].length]).toEqual([query, 1]);
      expect(element(body, 'IsRestoreInProgress')).toBe('false');
      expect(element(body, 'RestoreExpiryDate')).toMatch(/T00:00:00.000Z$/);
      expect((await world.must('GET', `/${bucket}?${query}`)).body).not.toContain('RestoreStatus');
    }
  });

  test('what is refused', async () => {
    const bucket = await world.bucket();
    await world.put(`/${bucket}/plain`);
    await world.put(`/${bucket}/ir`, 'bytes', { 'x-amz-storage-class': 'GLACIER_IR' });
    await world.put(`/${bucket}/deep`, 'bytes', { 'x-amz-storage-class': 'DEEP_ARCHIVE' });
    const of = async (key: string, body: string): Promise<string> => (await restore(`/${bucket}/${key}`, body)).outcome;
    expect(await of('plain', restoreBody(1))).toBe('403 InvalidObjectState');
    expect(await of('ir', restoreBody(1))).toBe('403 InvalidObjectState');
    expect(await of('missing', restoreBody(1))).toBe('404 NoSuchKey');
    expect(await of('deep', '')).toBe('400 MissingRequestBodyError');
    expect(await of('deep', '<RestoreRequest/>')).toBe('400 MalformedXML');
    expect(await of('deep', restoreBody(0))).toBe('400 MalformedXML');
    expect(await of('deep', restoreBody(1, 'Soon'))).toBe('400 MalformedXML');
    expect(await of('deep', restoreBody(1, 'Expedited'))).toBe('400 InvalidArgument');
    expect(await of('deep', '<RestoreRequest><Type>SELECT</Type></RestoreRequest>')).toBe('501 NotImplemented');
    const select = '<RestoreRequest><SelectParameters><Expression>x</Expression></SelectParameters></RestoreRequest>';
    expect(await of('deep', select)).toBe('501 NotImplemented');
    expect(await world.outcome('GET', `/${bucket}/deep`)).toBe('403 InvalidObjectState');
  });
});

describe('archived bytes that are served at once', () => {
  let world: World;
  beforeAll(async () => {
    const store = new MemoryBlobStore({ capabilities: { archiveIsOffline: false } });
    world = await World.open({ storageClasses: { ...CLASSES, restore: 'immediate' } }, store);
  });
  afterAll(() => world.close());

  test('are read, copied and restored without waiting', async () => {
    const bucket = await world.bucket();
    await world.put(`/${bucket}/k`, 'bytes', GLACIER);
    const read = await world.must('GET', `/${bucket}/k`);
    expect([read.body, read.headers['x-amz-storage-class'], read.headers['x-amz-restore']]).toEqual([
      'bytes',
      'GLACIER',
      undefined,
    ]);
    expect((await world.copy(`/${bucket}/c`, `${bucket}/k`)).outcome).toBe('200');
    const upload = await world.upload(`/${bucket}/u`);
    expect((await world.copyPart(upload, `${bucket}/k`)).outcome).toBe('200');
    const body = restoreBody(2);
    expect((await world.ask('POST', `/${bucket}/k?restore`, { body })).status).toBe(202);
    expect((await world.ask('POST', `/${bucket}/k?restore`, { body })).status).toBe(200);
    const { headers } = await world.must('HEAD', `/${bucket}/k`);
    expect(headers['x-amz-restore']).toMatch(/^ongoing-request="false", expiry-date=/);
  });
});

test('where they are offline, they wait for a restore all the same', async () => {
  const store = new MemoryBlobStore({ capabilities: { archiveIsOffline: true } });
  const world = await World.open({ storageClasses: { ...CLASSES, restore: 'immediate' } }, store);
  const bucket = await world.bucket();
  await world.put(`/${bucket}/k`, 'bytes', GLACIER);
  expect(await world.outcome('GET', `/${bucket}/k`)).toBe('403 InvalidObjectState');
  await world.close();
});

test('without tiers there is nothing to be restored', async () => {
  const world = await World.open();
  const bucket = await world.bucket();
  await world.put(`/${bucket}/k`, 'bytes', GLACIER);
  expect((await world.must('GET', `/${bucket}/k`)).body).toBe('bytes');
  expect(await world.outcome('POST', `/${bucket}/k?restore`, { body: restoreBody(1) })).toBe('501 NotImplemented');
  await world.close();
});
