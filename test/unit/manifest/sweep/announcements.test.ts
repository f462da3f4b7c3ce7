import { expect, test } from 'vitest';
import { encodeIntent, intentRef, intentsPrefix } from '../../../../src/manifest/records/change-intent.ts';
import { createBucketStore } from '../../../../src/manifest/buckets/bucket-store.ts';
import { ABSENT, at } from '../../../../src/store/blob-store.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture, findings } from './sweep-fixture.ts';

const RULE: NotificationRule = { id: 'all', kind: 'queue', target: 'arn:of:queue', events: ['s3:ObjectCreated:*'] };

/** A bucket with an announcement that nobody looks at. */
async function announced(notifications: readonly NotificationRule[]) {
  const fixture = await SweepFixture.open({});
  const { bucket } = fixture;
  const records = createBucketStore(fixture.realm());
  const { record, revision } = await records.findLive(bucket.name, testCall());
  const settings = { ...record.settings, notifications };
  await records.write(bucket.name, { ...record, settings }, revision === undefined ? ABSENT : at(revision), testCall());
  const intent = { bucket: bucket.name, key: 'k', nonce: 'n', seen: [] };
  const ref = intentRef({ bucket, key: 'k' }, 'n');
  await bucket.home.store.write(ref, new Uint8Array(0), { metadata: encodeIntent(intent) }, testCall());
  const left = async (): Promise<number> => (await fixture.names(intentsPrefix(bucket))).length;
  return { fixture, left };
}

test('an announcement in a bucket that asks for events is kept as long as events wait, and counted when it goes', async () => {
  const { fixture, left } = await announced([RULE]);
  fixture.advance(72);
  expect(findings(await fixture.sweep())).toEqual({});
  expect(await left()).toBe(1);
  fixture.advance(1);
  expect(findings(await fixture.sweep())).toEqual({ events: 1 });
  expect(await left()).toBe(0);
});

test('and for a day if the operator lets events wait for less, since senders give up later', async () => {
  const { fixture, left } = await announced([RULE]);
  fixture.advance(25);
  await fixture.sweep({ eventAgeMs: 1_000 });
  expect(await left()).toBe(1);
  fixture.advance(1);
  await fixture.sweep({ eventAgeMs: 1_000 });
  expect(await left()).toBe(0);
});

test('one in a bucket that asks for none any more goes after a day', async () => {
  const { fixture, left } = await announced([]);
  fixture.advance(26);
  expect(findings(await fixture.sweep())).toEqual({ events: 1 });
  expect(await left()).toBe(0);
});
