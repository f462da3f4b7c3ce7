import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { BackOff } from '../../../../src/manifest/events/back-off.ts';
import { BucketOutbox } from '../../../../src/manifest/events/bucket-outbox.ts';
import { EventTally } from '../../../../src/manifest/events/event-tally.ts';
import { OpenIntents } from '../../../../src/manifest/events/open-intents.ts';
import { encodeIntent, intentRef } from '../../../../src/manifest/records/change-intent.ts';
import type { Revision } from '../../../../src/store/blob-store.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const MOST = 10_000;
const REVISION = 'r' as Revision;

let now: number;
let open: OpenIntents;
beforeEach(() => {
  now = 0;
  open = new OpenIntents(() => now);
});

/** Intents of changes that may be under way. */
function entries(count: number, prefix = 'n/'): { readonly name: string; readonly revision: Revision }[] {
  return Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}`, revision: REVISION }));
}

describe('intents of which nothing can be told', () => {
  test('are looked at again after twice as long each time', () => {
    const [one = expect.fail()] = entries(1);
    for (const wait of [1_000, 2_000, 4_000]) {
      open.note([one]);
      now += wait - 1;
      expect(open.isDue(one)).toBe(false);
      now += 1;
      expect(open.isDue(one)).toBe(true);
    }
    open.note([one]);
    expect(open.isDue({ ...one, revision: 'written anew' as Revision })).toBe(true);
  });

  test('take bounded memory, however many there are: the first ones stay', () => {
    const many = entries(3 * MOST);
    open.note(many);
    expect(open.size).toBe(MOST);
    open.note(many);
    now += 1_500;
    expect([many[0], many[MOST - 1], many[MOST]].map((one) => one && open.isDue(one))).toEqual([false, false, true]);
  });

  test('make room when they are gone for long', () => {
    open.note(entries(MOST));
    now += 1_000 + 600_000;
    const [other = expect.fail()] = entries(1, 'other/');
    open.note([other]);
    expect(open.isDue(other), 'they may still be there').toBe(true);
    now += 1;
    open.note([other]);
    expect(open.isDue(other)).toBe(false);
    expect(open.size).toBe(1);
  });
});

test('a pass tells page by page what it left', async () => {
  const { bucket } = await testManifest({ store: new MemoryBlobStore({ capabilities: { maxListPage: 2 } }) });
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    const metadata = encodeIntent({ bucket: bucket.name, key, nonce: key, seen: ['unknown'] });
    const ref = intentRef({ bucket, key }, key);
    await bucket.home.store.write(ref, new Uint8Array(0), { metadata }, testCall());
  }
  const noted: number[] = [];
  await new BucketOutbox({
    ...{ bucket, now: Date.now(), tally: new EventTally(() => 0), backOff: new BackOff(() => 0), monotonic: () => 0 },
    ...{ bounds: { maxAgeMs: 1, maxBehind: 1 }, lease: { hold: async () => undefined } },
    open: { note: (left) => void noted.push(left.length) },
    courier: {
      receiverOf: (target) => target,
      atOnce: () => 1,
      send: async () => expect.fail('nothing is to be sent'),
    },
    onProblem: (error) => expect.fail(String(error)),
  }).pass(testCall());
  expect(noted).toEqual([2, 2, 1]);
});
