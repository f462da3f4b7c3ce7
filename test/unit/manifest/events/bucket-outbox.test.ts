import { describe, expect, test } from 'vitest';
import { BackOff } from '../../../../src/manifest/events/back-off.ts';
import { appendEvents, listBacklog } from '../../../../src/manifest/events/backlog.ts';
import { BucketOutbox } from '../../../../src/manifest/events/bucket-outbox.ts';
import { OpenIntents } from '../../../../src/manifest/events/open-intents.ts';
import { EventTally } from '../../../../src/manifest/events/event-tally.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { ObjectEvent } from '../../../../src/manifest/records/change-intent.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const RULE: NotificationRule = { id: 'all', kind: 'queue', target: 'arn:of:queue', events: ['s3:ObjectCreated:*'] };
const DESTINATION = { ruleId: RULE.id, target: RULE.target };

function eventOf(key: string): ObjectEvent {
  const who = { principalId: 'P', requester: '1', sourceAddress: '192.0.2.1', requestId: 'R', hostId: 'H' };
  return { name: 'ObjectCreated:Put', ...DESTINATION, time: 5_000, key, sequencer: '01', ...who };
}

interface Receiver {
  readonly atOnce: number;
  /** What it does not take. */
  readonly refuses?: string;
}

/** A bucket in whose backlog events wait, and what its receiver is sent. */
async function waiting(...keys: string[]) {
  const { bucket: plain } = await testManifest();
  const bucket: Bucket = { ...plain, settings: { notifications: [RULE] } };
  const events = keys.map(eventOf);
  await appendEvents(bucket, { destination: DESTINATION, last: undefined, events }, testCall());
  let now = 0;
  const tally = new EventTally(() => now);
  /** What happened, in its order. */
  const seen: string[] = [];
  const pass = async ({ atOnce, refuses }: Receiver): Promise<void> => {
    const work = {
      ...{
        bucket,
        tally,
        backOff: new BackOff(() => now),
        bounds: { maxAgeMs: 10_000, maxBehind: 100 },
        now: 6_000,
        monotonic: () => now,
      },
      open: new OpenIntents(() => now),
      lease: { hold: async () => void seen.push('holds') },
      courier: {
        receiverOf: (target: string) => target,
        atOnce: () => atOnce,
        send: async (_bucket: Bucket, _rule: NotificationRule, sent: readonly ObjectEvent[]) => {
          const names = sent.map(({ key }) => key);
          seen.push(names.join(' '));
          if (refuses !== undefined && names.includes(refuses)) throw new Error('not taken');
        },
      },
      onProblem: () => undefined,
    };
    await new BucketOutbox(work).pass(testCall());
  };
  const left = async (): Promise<number[]> =>
    [...(await listBacklog(bucket, testCall())).values()].flat().map(({ count }) => count);
  return { pass, seen, left, tally, later: (ms: number) => (now += ms) };
}

describe('a pass over the events of a bucket', () => {
  test('holds the lease before each request to a receiver, however few it takes at once', async () => {
    const { pass, seen, left } = await waiting('a', 'b', 'c');
    await pass({ atOnce: 2 });
    expect(seen).toEqual(['holds', 'a b', 'holds', 'c']);
    expect(await left()).toEqual([]);
  });

  test('does not send again what was taken before one that is refused', async () => {
    const { pass, seen, left } = await waiting('a', 'b', 'c');
    await pass({ atOnce: 1, refuses: 'b' });
    expect(await left()).toEqual([2]);
    await pass({ atOnce: 1, refuses: 'b' });
    await pass({ atOnce: 1 });
    expect(seen.filter((one) => one !== 'holds')).toEqual(['a', 'b', 'b', 'b', 'c']);
    expect(await left()).toEqual([]);
  });

  test('says what waits for some minutes, in which another process may take over', async () => {
    const { pass, tally, later } = await waiting('a', 'b');
    await pass({ atOnce: 1, refuses: 'a' });
    expect(tally.behind).toMatchObject([{ count: 2, since: 5_000 }]);
    later(299_000);
    expect(tally.behind).toHaveLength(1);
    later(2_000);
    expect(tally.behind).toEqual([]);
  });
});
