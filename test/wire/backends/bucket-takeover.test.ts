import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { containerNames, ensureContainer } from '../../support/backends/native-containers.ts';
import { testCall } from '../../support/test-call.ts';
import { World } from '../spec/world.ts';

/**
 * What releases before this one called the container of a bucket whose name the cloud cannot hold. Anybody can compute
 * it.
 */
function guessed(bucket: string): string {
  return `${bucket.replace(/[^a-z0-9]+/g, '-')}-${createHash('sha256').update(bucket).digest('hex').slice(0, 12)}`;
}

describe.each(BACKENDS)('containers of buckets are their own: %s', (name) => {
  let cloud: Cloud;
  let world: World;

  beforeAll(async () => {
    cloud = await startCloud(name);
    world = await World.open({}, cloud.open());
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await cloud.stop();
  });

  const containers = (): Promise<string[]> => containerNames(world.gateway.store);

  /** A record and, unless it is there, a container as an older release made them. */
  async function older(bucket: string, container: string, owner: string): Promise<void> {
    const { store } = world.gateway;
    const record = {
      format: 1,
      uid: `uid-of-${bucket}`,
      owner,
      createdAt: 1,
      container,
      versioning: 'never',
      settings: {},
    };
    const metadata = { s3gw: JSON.stringify({ v: 1, s: 1, o: owner, c: container }) };
    await ensureContainer(store, 'system');
    await store.write(
      { container: 'system', name: `b/${bucket}` },
      Buffer.from(JSON.stringify(record)),
      { metadata },
      testCall(),
    );
    await ensureContainer(store, container);
  }

  const roles = [
    ['owner', 'other'],
    ['other', 'owner'],
  ] as const;

  test.each(
    roles.flatMap(([attacker, victim]) =>
      [true, false].map((isFirst) => [attacker, victim, isFirst ? 'first' : 'afterwards', isFirst] as const),
    ),
  )('%s makes a bucket called like the container that %s might get, %s', async (attacker, victim, when, isFirst) => {
    const bucket = `pay.roll-${attacker}-${when.slice(0, 5)}`;
    const squat = guessed(bucket);
    if (isFirst) await world.must('PUT', `/${squat}`, { as: attacker });
    await world.must('PUT', `/${bucket}`, { as: victim });
    if (!isFirst) await world.must('PUT', `/${squat}`, { as: attacker });
    await world.must('PUT', `/${bucket}/secret`, { as: victim, body: 'of the victim' });

    expect(await world.outcome('GET', `/${squat}/secret`, { as: attacker })).toBe('404 NoSuchKey');
    await world.must('PUT', `/${squat}/secret`, { as: attacker, body: 'forged' });
    expect((await world.must('GET', `/${bucket}/secret`, { as: victim })).body).toBe('of the victim');
    await world.must('DELETE', `/${squat}/secret`, { as: attacker });
    expect((await world.must('GET', `/${bucket}/secret`, { as: victim })).body).toBe('of the victim');
    await world.must('DELETE', `/${squat}`, { as: attacker });
    expect((await world.must('GET', `/${bucket}/secret`, { as: victim })).body).toBe('of the victim');
  });

  test('a lock does not fall with a bucket called like the container', async () => {
    const bucket = 'pay.lock-eu';
    await world.must('PUT', `/${guessed(bucket)}`, { as: 'owner' });
    await world.must('PUT', `/${bucket}`, { as: 'other', headers: { 'x-amz-bucket-object-lock-enabled': 'true' } });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const locked = {
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': until,
      'content-md5': createHash('md5').update('kept').digest('base64'),
    };
    await world.must('PUT', `/${bucket}/secret`, { as: 'other', body: 'kept', headers: locked });
    await world.must('PUT', `/${guessed(bucket)}/secret`, { as: 'owner', body: 'forged' });
    await world.must('DELETE', `/${guessed(bucket)}/secret`, { as: 'owner' });
    expect((await world.must('GET', `/${bucket}/secret`, { as: 'other' })).body).toBe('kept');
  });

  test('a lock binds DeleteBucket, also when a tool of the cloud has removed the head of what is locked', async () => {
    const bucket = 'locked-and-cut-off';
    await world.must('PUT', `/${bucket}`, { as: 'other', headers: { 'x-amz-bucket-object-lock-enabled': 'true' } });
    await world.must('PUT', `/${bucket}/free`, { as: 'other', body: 'free' });
    await world.gateway.store.remove({ container: bucket, name: 'free' }, undefined, testCall());
    const headers = {
      'x-amz-object-lock-legal-hold': 'ON',
      'content-md5': createHash('md5').update('held').digest('base64'),
    };
    await world.must('PUT', `/${bucket}/held`, { as: 'other', body: 'held', headers });
    await world.gateway.store.remove({ container: bucket, name: 'held' }, undefined, testCall());
    expect(await world.outcome('DELETE', `/${bucket}`, { as: 'other' })).toBe('409 BucketNotEmpty');
    expect(await world.outcome('HEAD', `/${bucket}`, { as: 'other' })).toBe('200');
  });

  test("the owner of the backend has nobody's container for a bucket of its name, and none of the gateway's own", async () => {
    const before = new Set(await containers());
    await world.must('PUT', '/dotted.name', { as: 'other' });
    await world.must('PUT', '/dotted.name/secret', { as: 'other', body: 'of the other' });
    const container = (await containers()).find((made) => !before.has(made) && made !== 'system') ?? '';
    expect(container).toMatch(/^dotted-name-gw/);
    for (const taken of [container, 'system']) {
      expect([taken, await world.outcome('HEAD', `/${taken}`)]).toEqual([taken, '404']);
      for (const [method, target] of [
        ['GET', `/${taken}`],
        ['GET', `/${taken}/secret`],
        ['PUT', `/${taken}/forged`],
        ['DELETE', `/${taken}`],
      ] as const) {
        expect([method, target, await world.outcome(method, target, { body: '' })]).toEqual([
          method,
          target,
          '404 NoSuchBucket',
        ]);
      }
      await world.must('PUT', `/${taken}`);
      expect(await world.outcome('GET', `/${taken}/secret`)).toBe('404 NoSuchKey');
      await world.must('PUT', `/${taken}/forged`, { body: 'forged' });
    }
    expect(await world.outcome('GET', '/dotted.name/forged', { as: 'other' })).toBe('404 NoSuchKey');
    expect((await world.must('GET', '/dotted.name/secret', { as: 'other' })).body).toBe('of the other');
    expect((await world.must('GET', '/')).body).toContain(`<Name>${container}</Name>`);
  });

  test('two buckets of an older release that share a container are both refused; one alone is served, and its container is not native', async () => {
    const shared = guessed('older.shared');
    await older('older.shared', shared, OTHER_CANONICAL_ID);
    expect(await world.outcome('HEAD', `/${shared}`)).toBe('404');
    await world.must('PUT', '/older.shared/key', { as: 'other', body: 'served' });
    await world.close();
    world = await World.open({}, cloud.open());
    await older(shared, shared, CANONICAL_ID);
    expect(await world.outcome('GET', '/older.shared/key', { as: 'other' })).toBe('409 InvalidBucketState');
    expect(await world.outcome('GET', `/${shared}/key`)).toBe('409 InvalidBucketState');
    expect(await world.outcome('PUT', `/${shared}/key`, { body: 'forged' })).toBe('409 InvalidBucketState');
    expect(await world.outcome('DELETE', `/${shared}`)).toBe('409 InvalidBucketState');
    expect(world.gateway.logged.filter(({ message }) => message.includes('not served'))).toHaveLength(2);
  });

  test('a container that is taken when a bucket is made again after a crash does not close the name', async () => {
    await world.gateway.store.createContainer('half-made', { owner: 'somebody-else' }, testCall());
    const record = {
      format: 1,
      uid: 'uid-half',
      owner: OTHER_CANONICAL_ID,
      createdAt: 1,
      container: 'half-made',
      versioning: 'never',
      settings: {},
      state: { kind: 'claimed' },
      deletingSince: 8_640_000_000_000_000,
    };
    await world.gateway.store.write(
      { container: 'system', name: 'b/half-made' },
      Buffer.from(JSON.stringify(record)),
      { metadata: {} },
      testCall(),
    );
    expect(await world.outcome('PUT', '/half-made/key', { as: 'other', body: 'x' })).toBe('404 NoSuchBucket');
    expect(await world.outcome('PUT', '/half-made', { as: 'owner' })).toBe('409 BucketAlreadyExists');
    await world.must('PUT', '/half-made', { as: 'other' });
    await world.must('PUT', '/half-made/key', { as: 'other', body: 'x' });
    expect((await world.gateway.store.list('half-made', { limit: 10 }, testCall())).entries).toEqual([]);
  });

  test('a bucket that is made anew has a container of its own, and the old one is gone', async () => {
    await world.must('PUT', '/again');
    await world.must('DELETE', '/again');
    await expect(world.gateway.store.headContainer('again', testCall())).rejects.toMatchObject({
      kind: 'containerNotFound',
    });
    await world.must('PUT', '/again', { as: 'other' });
    await world.must('PUT', '/again/key', { as: 'other', body: 'x' });
    expect((await containers()).filter((made) => made.startsWith('again'))).toEqual([
      expect.stringMatching(/^again-gw/),
    ]);
    expect(await world.outcome('GET', '/again/key')).toBe('403 AccessDenied');
  });
});
