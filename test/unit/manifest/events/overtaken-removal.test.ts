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

function by(requestId: string): Call {
  const who = { principalId: 'AWS:U', requester: '1', sourceAddress: '192.0.2.1', hostId: 'H' };
  return { ...testCall(), requestId, occasion: { operation: 'DeleteObject', ...who } };
}

/** A watched bucket with one object, and the same through a store in which something happens before it is removed. */
async function scene(versioning: 'never' | 'enabled', before: (bucket: Bucket) => Promise<void>) {
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
    const isCommit = ref.container !== bucket.home.system && (method === 'remove' || method === 'write');
    if (isCommit && isFirst) {
      isFirst = false;
      await before(bucket);
    }
    return run();
  });
  const remove = (through: Bucket, requestId: string) =>
    objects.remove({ bucket: through, key: KEY, versionId }, { conditions: {}, ownerId: OWNER }, by(requestId));
  const announced = async (): Promise<string[]> => {
    await fixture.gateway.idle();
    const { store: truth, system } = bucket.home;
    const found: string[] = [];
    for await (const page of pagesOf(truth, system, { prefix: intentsPrefix(bucket) }, testCall())) {
      for (const { metadata } of blobsOf(page)) {
        found.push(...(decodeIntent(metadata).events ?? []).map(({ requestId }) => requestId));
      }
    }
    return found;
  };
  return { remove, announced, slow: { ...bucket, home: { ...bucket.home, store } } };
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
