import { expect, test } from 'vitest';
import { BackOff } from '../../../../src/manifest/events/back-off.ts';
import { BucketOutbox } from '../../../../src/manifest/events/bucket-outbox.ts';
import { OpenIntents } from '../../../../src/manifest/events/open-intents.ts';
import { EventTally } from '../../../../src/manifest/events/event-tally.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { plainStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { OWNER } from '../upload-fixture.ts';

const RULE: NotificationRule = { id: 'all', kind: 'queue', target: 'arn:of:queue', events: ['s3:ObjectTagging:*'] };

/** A store in which a change of a version's own blob is confirmed when it is let. */
function holdingConfirmation(store: BlobStore) {
  const reached = Promise.withResolvers<undefined>();
  const allowed = Promise.withResolvers<undefined>();
  const write: BlobStore['write'] = async (ref, body, request, call) => {
    if (JSON.stringify(request.metadata).includes('isDone')) {
      reached.resolve(undefined);
      await allowed.promise;
    }
    return store.write(ref, body, request, call);
  };
  return {
    store: { ...plainStore(store), write },
    reached: reached.promise,
    confirm: () => allowed.resolve(undefined),
  };
}

test('tags of a version are told once, although their request confirms them while they are sent', async () => {
  const fixture = await SweepFixture.open({});
  await fixture.version('enabled');
  const { home } = fixture.bucket;
  const { store, reached, confirm } = holdingConfirmation(home.store);
  const bucket: Bucket = { ...fixture.bucket, home: { ...home, store }, settings: { notifications: [RULE] } };
  const place = { bucket, key: 'k' };
  const { objects } = fixture.gateway;
  const attributes = { headers: {}, userMetadata: {} };
  await objects.put(place, { body: Buffer.from('x'), attributes, ownerId: OWNER, conditions: {} }, testCall());
  const { versionId } = await objects.find(place, testCall());
  fixture.advance(0.001);
  const who = { principalId: 'AWS:U', requester: '1', sourceAddress: '192.0.2.1', hostId: 'H' };
  const call = { ...testCall(), occasion: { operation: 'PutObjectTagging', ...who } };
  const amended = objects.amend({ ...place, versionId }, () => ({ tags: [{ key: 'a', value: 'b' }] }), call);
  await reached;
  const sent: string[] = [];
  const pass = (): Promise<unknown> =>
    new BucketOutbox({
      ...{ bucket, tally: new EventTally(() => 0), backOff: new BackOff(() => 0), monotonic: () => 0 },
      ...{ bounds: { maxAgeMs: 60_000, maxBehind: 100 }, now: Date.now(), lease: { hold: async () => undefined } },
      open: new OpenIntents(() => 0),
      courier: {
        receiverOf: (target) => target,
        atOnce: () => 1,
        send: async (_bucket, _rule, events) => {
          sent.push(...events.map(({ name }) => name));
          confirm();
          await amended;
        },
      },
      onProblem: () => undefined,
    }).pass(testCall());
  await pass();
  await pass();
  expect(sent).toEqual(['ObjectTagging:Put']);
});
