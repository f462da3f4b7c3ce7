import { expect, test } from 'vitest';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { decodeIntent, intentsPrefix } from '../../../../src/manifest/records/change-intent.ts';
import type { Call } from '../../../../src/observe/call.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { blobsOf, pagesOf } from '../../../../src/store/pages.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { wrapStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { OWNER } from '../upload-fixture.ts';

const RULE: NotificationRule = { id: 'all', kind: 'queue', target: 'arn:of:queue', events: ['s3:ObjectRemoved:*'] };
const KEY = 'k';
const REMOVAL = { conditions: {}, ownerId: OWNER };

function by(requestId: string): Call {
  const who = { principalId: 'AWS:U', requester: '1', sourceAddress: '192.0.2.1', hostId: 'H' };
  return { ...testCall(), requestId, occasion: { operation: 'DeleteObject', ...who } };
}

type Commit = (bucket: Bucket) => Promise<void>;

/** A watched bucket with one object, and the same through a store in which something happens before it is removed. */
async function scene(versioning: 'never' | 'enabled', before: Commit) {
  const fixture = await SweepFixture.open({});
  if (versioning === 'enabled') await fixture.version('enabled');
  const bucket: Bucket = { ...fixture.bucket, settings: { notifications: [RULE] } };
  const { objects } = fixture.gateway;
  const attributes = { headers: {}, userMetadata: {} };
  const place = { bucket, key: KEY };
  await objects.put(place, { body: Buffer.from('x'), attributes, ownerId: OWNER, conditions: {} }, testCall());
  const versionId = versioning === 'never' ? undefined : (await objects.find(place, testCall())).versionId;
  let isFirst = true;
  const store = wrapStore(bucket.home.store, async ({ method, ref }, run) => {
    if (!isFirst || ref.container === bucket.home.system || (method !== 'remove' && method !== 'write')) return run();
    isFirst = false;
    await before(bucket);
    return run();
  });
  const remove = (through: Bucket, requestId: string) =>
    objects.remove({ bucket: through, key: KEY, versionId }, REMOVAL, by(requestId));
  const slow = { ...bucket, home: { ...bucket.home, store } };
  return { remove, announced: () => announcedIn(fixture, bucket), slow };
}

/** The requests whose intents are there. */
async function announcedIn(fixture: SweepFixture, bucket: Bucket): Promise<string[]> {
  await fixture.gateway.idle();
  const { store, system } = bucket.home;
  const found: string[] = [];
  for await (const page of pagesOf(store, system, { prefix: intentsPrefix(bucket) }, testCall())) {
    for (const { metadata } of blobsOf(page)) {
      found.push(...(decodeIntent(metadata).events ?? []).map(({ requestId }) => requestId));
    }
  }
  return found;
}

test.each(['never', 'enabled'] as const)(
  'a removal that another one was faster than leaves nothing announced, versioning %s',
  async (versioning) => {
    const { remove, announced, slow } = await scene(versioning, async (bucket) => void (await remove(bucket, 'FIRST')));
    await remove(slow, 'SECOND');
    expect(await announced()).toEqual(['FIRST']);
  },
);

test.each(['never', 'enabled'] as const)(
  'nor does one that the backend has refused, versioning %s',
  async (versioning) => {
    const { remove, announced, slow } = await scene(versioning, async () => {
      throw new StoreError('throttled', { call: 'remove' });
    });
    await expect(remove(slow, 'SECOND')).rejects.toMatchObject({ kind: 'throttled' });
    expect(await announced()).toEqual([]);
  },
);

test.each(['never', 'enabled'] as const)(
  'one whose answer was lost stays announced: it may have been made, versioning %s',
  async (versioning) => {
    const { remove, announced, slow } = await scene(versioning, async (bucket) => {
      await remove(bucket, 'FIRST');
      throw new StoreError('unavailable', { call: 'remove', lost: true });
    });
    await remove(slow, 'SECOND').catch(() => undefined);
    expect((await announced()).toSorted()).toEqual(['FIRST', 'SECOND']);
  },
);

test.each(['never', 'enabled'] as const)(
  'one that ended before it was made leaves nothing announced, although the answer to that was lost, versioning %s',
  async (versioning) => {
    const { remove, announced, slow } = await scene(versioning, async () => expect.fail('it was sent'));
    const { store: truth } = slow.home;
    const store = wrapStore(truth, async ({ method, ref }, run) => {
      const result = await run();
      if (method !== 'write' || ref.name?.startsWith('n/') !== true) return result;
      expect(await announced()).toEqual(['SECOND']);
      throw new StoreError('unavailable', { call: 'write', lost: true });
    });
    await expect(remove({ ...slow, home: { ...slow.home, store } }, 'SECOND')).rejects.toMatchObject({ lost: true });
    expect(await announced()).toEqual([]);
  },
);

test('one whose intent cannot be taken back is not acknowledged before it is', async () => {
  const { remove, announced, slow } = await scene('never', async (bucket) => void (await remove(bucket, 'FIRST')));
  let isRefused = true;
  const store = wrapStore(slow.home.store, async ({ method }, run) => {
    if (method !== 'removeMany' || !isRefused) return run();
    isRefused = false;
    throw new StoreError('throttled', { call: 'remove' });
  });
  const refused = remove({ ...slow, home: { ...slow.home, store } }, 'SECOND');
  await expect(refused).rejects.toMatchObject({ kind: 'throttled' });
  expect(await announced()).toEqual(['FIRST']);
});

/** More than a ring of nonces keeps. */
const MANY = 9;

test('a removal without an answer stays announced, also when its proof was pushed out of the head meanwhile', async () => {
  const fixture = await SweepFixture.open({});
  await fixture.version('enabled');
  const bucket: Bucket = { ...fixture.bucket, settings: { notifications: [RULE] } };
  const versions: string[] = [];
  for (let n = 0; n < MANY + 2; n += 1) versions.push(await fixture.put('x'));
  const remove = (through: Bucket, versionId: string | undefined, requestId: string) =>
    fixture.gateway.objects.remove({ bucket: through, key: KEY, versionId }, REMOVAL, by(requestId));
  let isFirst = true;
  const store = wrapStore(bucket.home.store, async ({ method, ref }, run) => {
    const result = await run();
    if (ref.container === bucket.home.system || method !== 'setMetadata' || !isFirst) return result;
    isFirst = false;
    for (const versionId of versions.slice(1, -1)) await remove(bucket, versionId, 'OTHER');
    throw new StoreError('unavailable', { call: 'setMetadata', lost: true });
  });
  const slow = { ...bucket, home: { ...bucket.home, store } };
  await expect(remove(slow, versions[0], 'LOST')).rejects.toMatchObject({ kind: 'unavailable', lost: true });
  expect(await announcedIn(fixture, bucket)).toContain('LOST');
});
