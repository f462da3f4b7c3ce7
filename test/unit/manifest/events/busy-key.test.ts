import { expect, test } from 'vitest';
import { intentPages } from '../../../../src/manifest/events/intent-pages.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { intentsOfKey } from '../../../../src/manifest/records/change-intent.ts';
import type { Call } from '../../../../src/observe/call.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { plainStore, wrapStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { OWNER } from '../upload-fixture.ts';

const EVENTS = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'];
const RULE: NotificationRule = { id: 'all', kind: 'queue', target: 'arn:of:queue', events: EVENTS };
const KEY = 'k';
/** A sender that finds a key changed looks once more; the last time it keeps what it saw before. */
const LOOKS = 2;

function by(operation: 'PutObject' | 'DeleteObject', requestId: string): Call {
  const who = { principalId: 'AWS:U', requester: '1', sourceAddress: '192.0.2.1', hostId: 'H' };
  return { ...testCall(), requestId, occasion: { operation, ...who } };
}

test('of a key that changes whenever a sender looks, no removal is told that was only announced', async () => {
  const fixture = await SweepFixture.open({});
  const bucket: Bucket = { ...fixture.bucket, settings: { notifications: [RULE] } };
  const { objects } = fixture.gateway;
  const { store: truth, system } = bucket.home;
  /** Through it a change of the object is announced, and its request gets no answer. */
  const losing = wrapStore(truth, async ({ method, ref }, run) => {
    const isOfObject = ref.container !== system && (method === 'remove' || method === 'write');
    if (isOfObject) throw new StoreError('unavailable', { call: method, lost: true });
    return run();
  });
  const lost: Bucket = { ...bucket, home: { ...bucket.home, store: losing } };
  const attributes = { headers: {}, userMetadata: {} };
  const put = (through: Bucket, id: string): Promise<unknown> => {
    const request = { body: Buffer.from('x'), attributes, ownerId: OWNER, conditions: {} };
    return objects.put({ bucket: through, key: KEY }, request, by('PutObject', id));
  };
  const remove = (through: Bucket, id: string): Promise<unknown> => {
    const place = { bucket: through, key: KEY, versionId: undefined };
    return objects.remove(place, { conditions: {}, ownerId: OWNER }, by('DeleteObject', id));
  };

  // It keeps the sender from having proof of all that it lists.
  await expect(put(lost, 'NEVER MADE')).rejects.toMatchObject({ lost: true });
  await put(bucket, 'FIRST');
  let round = 0;
  const list: BlobStore['list'] = async (container, request, call) => {
    if (request.prefix === intentsOfKey({ bucket, key: KEY })) {
      round += 1;
      // What the look before has seen is replaced and removed. Another object is there, whose removal is announced.
      await put(bucket, `OVER ${round}`);
      await remove(bucket, `REMOVED ${round}`);
      await put(bucket, `ANEW ${round}`);
      await expect(remove(lost, `ANNOUNCED ${round}`)).rejects.toMatchObject({ lost: true });
      await fixture.gateway.idle();
    }
    return truth.list(container, request, call);
  };
  const watched: Bucket = { ...bucket, home: { ...bucket.home, store: { ...plainStore(truth), list } } };
  const told: string[] = [];
  for await (const { events } of intentPages(watched, { now: Date.now() }, testCall())) {
    told.push(...events.map(({ requestId }) => requestId));
  }
  expect(told).toContain('FIRST');
  expect(round).toBeGreaterThan(LOOKS);
  expect(told.filter((id) => id.startsWith('ANNOUNCED'))).toEqual([]);
});
