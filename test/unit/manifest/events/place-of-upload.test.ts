import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { intentPages } from '../../../../src/manifest/events/intent-pages.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { Call } from '../../../../src/observe/call.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER, UploadFixture } from '../upload-fixture.ts';

const EVENTS = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:ObjectTagging:*'];
const RULE: NotificationRule = { id: 'all', kind: 'queue', target: 'arn:of:queue', events: EVENTS };

/** A request, in a millisecond of its own: changes of one version are told apart by the time. */
async function by(operation: string): Promise<Call> {
  await sleep(2);
  const who = { principalId: 'AWS:U', requester: '1', sourceAddress: '192.0.2.1', hostId: 'H' };
  return { ...testCall(), occasion: { operation, ...who } };
}

test.each([false, true])(
  'an upload stands behind what came after its initiation, and before what comes after it (removed meanwhile: %s)',
  async (isRemoved) => {
    const fixture = await UploadFixture.open();
    const bucket: Bucket = { ...fixture.bucket, settings: { notifications: [RULE] } };
    const place = { bucket, key: 'k' };
    const { objects } = fixture;
    const { target, parts } = await fixture.started('k', 'text');
    const attributes = { headers: {}, userMetadata: {} };
    const put = { body: Buffer.from('x'), attributes, ownerId: OWNER, conditions: {} };
    const remove = async (): Promise<unknown> =>
      objects.remove({ ...place, versionId: undefined }, { conditions: {}, ownerId: OWNER }, await by('DeleteObject'));
    await objects.put(place, put, await by('PutObject'));
    if (isRemoved) await remove();
    await fixture.complete({ ...target, bucket }, parts, {}, await by('CompleteMultipartUpload'));
    await objects.amend(place, () => ({ tags: [{ key: 'a', value: 'b' }] }), await by('PutObjectTagging'));
    await remove();
    const told: (readonly [name: string, sequencer: string])[] = [];
    for await (const { events } of intentPages(bucket, { now: Date.now() }, testCall())) {
      told.push(...events.map(({ name, sequencer }) => [name, sequencer] as const));
    }
    expect(told.toSorted(([, one], [, other]) => (one < other ? -1 : 1)).map(([name]) => name)).toEqual([
      'ObjectCreated:Put',
      ...(isRemoved ? ['ObjectRemoved:Delete'] : []),
      'ObjectCreated:CompleteMultipartUpload',
      'ObjectTagging:Put',
      'ObjectRemoved:Delete',
    ]);
    await fixture.idle();
  },
);
