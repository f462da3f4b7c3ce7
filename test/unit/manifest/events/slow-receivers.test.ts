import { describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { BackOff } from '../../../../src/manifest/events/back-off.ts';
import { appendEvents } from '../../../../src/manifest/events/backlog.ts';
import { BucketOutbox, type OutboxPass } from '../../../../src/manifest/events/bucket-outbox.ts';
import { EventTally } from '../../../../src/manifest/events/event-tally.ts';
import { intentPages } from '../../../../src/manifest/events/intent-pages.ts';
import { OpenIntents } from '../../../../src/manifest/events/open-intents.ts';
import { inTurn } from '../../../../src/manifest/events/pass-share.ts';
import { NOTHING } from '../../../../src/manifest/heads/head-commit.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import {
  type ObjectEvent,
  encodeIntent,
  intentRef,
  intentsOfKey,
} from '../../../../src/manifest/records/change-intent.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const WHO = { principalId: 'P', requester: '1', sourceAddress: '192.0.2.1', requestId: 'R', hostId: 'H' };
const SAID = { name: 'ObjectCreated:Put' as const, time: 5_000, sequencer: '01', ...WHO };
/** So long does each receiver take for a message, which it takes. */
const SLOW_MS = 4_000;

function rulesOf(count: number): NotificationRule[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `rule-${at}`;
    return { id, kind: 'queue', target: `arn:of:${id}`, events: ['s3:ObjectCreated:*'] };
  });
}

/** A bucket whose receivers are slow. Entries are listed in small pages. */
async function open(count: number, maxListPage = 5000) {
  const { bucket: plain } = await testManifest({ store: new MemoryBlobStore({ capabilities: { maxListPage } }) });
  const rules = rulesOf(count);
  const bucket: Bucket = { ...plain, settings: { notifications: rules } };
  let now = 0;
  const sent: ObjectEvent[] = [];
  const tally = new EventTally(() => now);
  let place: OutboxPass['cut'];
  const pass = async (): Promise<OutboxPass> => {
    const result = await new BucketOutbox({
      ...{ bucket, tally, place, monotonic: () => now, backOff: new BackOff(() => now), now: 6_000 },
      ...{ bounds: { maxAgeMs: 10_000, maxBehind: 100 }, lease: { hold: async () => undefined } },
      open: new OpenIntents(() => now),
      courier: {
        receiverOf: (target) => target,
        atOnce: () => 1,
        send: async (_bucket, _rule, events) => {
          now += SLOW_MS;
          sent.push(...events);
        },
      },
      onProblem: (error) => expect.fail(String(error)),
    }).pass(testCall());
    place = result.cut;
    return result;
  };
  const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = now;
    await work();
    return now - before;
  };
  return { bucket, rules, pass, sent, timeOf };
}

/** A change that is made: its intent has seen an earlier one on the head, and says that it is confirmed. */
async function announce(bucket: Bucket, key: string, attempt: string, rules: readonly NotificationRule[]) {
  const to = rules.map(({ id: ruleId, target }) => ({ ruleId, target }));
  const events = [{ ...SAID, requestId: attempt, sequencer: attempt, to }];
  const intent = { bucket: bucket.name, key, nonce: attempt, seen: [NOTHING], isDone: true as const, events };
  const metadata = encodeIntent(intent);
  await bucket.home.store.write(intentRef({ bucket, key }, attempt), new Uint8Array(0), { metadata }, testCall());
}

async function intentsOf(bucket: Bucket, key: string): Promise<readonly string[]> {
  const { home } = bucket;
  const prefix = intentsOfKey({ bucket, key });
  const { entries } = await home.store.list(home.system, { prefix, limit: 10 }, testCall());
  return entries.map(({ name }) => name);
}

/** What waits in the backlogs of some configurations, for each the same. */
async function wait(bucket: Bucket, rules: readonly NotificationRule[], keys: readonly string[]): Promise<void> {
  for (const { id: ruleId, target } of rules) {
    const destination = { ruleId, target };
    const events = keys.map((key) => ({ ...SAID, ...destination, key }));
    await appendEvents(bucket, { destination, last: undefined, events }, testCall());
  }
}

describe('a pass over a bucket whose receivers are slow', () => {
  test('ends in time, and the next ones send to the others, each destination in its order', async () => {
    const { bucket, rules, pass, sent, timeOf } = await open(6);
    const keys = ['a', 'b', 'c', 'd', 'e'];
    await wait(bucket, rules, keys);
    const passes = async (most: number): Promise<void> => {
      for (let at = 0; at < most; at += 1) expect(await timeOf(pass)).toBeLessThanOrEqual(30_000 + SLOW_MS);
    };
    await passes(3);
    expect(new Set(sent.map(({ ruleId }) => ruleId)).size, 'each had a turn').toBe(rules.length);
    await passes(12);
    expect((await pass()).cut).toBeUndefined();
    for (const { id } of rules) {
      expect(sent.filter(({ ruleId }) => ruleId === id).map(({ key }) => key)).toEqual(keys);
    }
  });

  test('leaves time for new events of others, however much waits', async () => {
    const { bucket, rules, pass, sent } = await open(7);
    await wait(bucket, rules.slice(0, -1), ['a', 'b', 'c', 'd', 'e']);
    await announce(bucket, 'new', '1', rules.slice(-1));
    await pass();
    expect(sent.map(({ key }) => key)).toContain('new');
  });

  test('goes on with new events where it was cut off, and loses none', async () => {
    const { bucket, rules, pass, sent, timeOf } = await open(3, 2);
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const key of keys) for (const attempt of ['1', '2']) await announce(bucket, key, attempt, rules);
    const took = await timeOf(pass);
    expect(took).toBeLessThanOrEqual(30_000 + SLOW_MS);
    while ((await pass()).cut !== undefined);
    for (const { id } of rules) {
      const own = sent.filter(({ ruleId }) => ruleId === id).map(({ key, requestId }) => `${key}${requestId}`);
      expect(own.toSorted()).toEqual(keys.flatMap((key) => [`${key}1`, `${key}2`]));
      for (const key of keys) expect(own.indexOf(`${key}1`)).toBeLessThan(own.indexOf(`${key}2`));
    }
  });

  test('looks at all intents after one that was cut off, also those before that place', async () => {
    const { bucket, rules, pass, sent } = await open(3, 2);
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await announce(bucket, key, '1', rules);
    const { cut } = await pass();
    expect(cut?.intent).toBeDefined();
    await announce(bucket, 'A', '1', rules);
    await pass();
    expect(await intentsOf(bucket, 'A'), 'the next pass began where this one ended').toHaveLength(1);
    while ((await pass()).cut !== undefined);
    expect(sent.filter(({ key }) => key === 'A')).toHaveLength(rules.length);
  });
});

test('intents of a key are looked at together, wherever one begins', async () => {
  const { bucket, rules } = await open(1);
  for (const attempt of ['1', '2', '3']) await announce(bucket, 'k', attempt, rules);
  const names = await intentsOf(bucket, 'k');
  const told: string[] = [];
  const range = { now: 6_000, startAt: names[2] };
  for await (const { events } of intentPages(bucket, range, testCall())) {
    told.push(...events.map((one) => one.requestId));
  }
  expect(told).toEqual(['1', '2', '3']);
});

test('destinations come in turn: behind the last one, or from the beginning', () => {
  const names = ['a', 'c', 'e'];
  expect([undefined, 'a', 'b', 'e', 'z'].map((last) => inTurn(names, last).join(''))).toEqual([
    ...['ace', 'cea', 'cea', 'ace', 'ace'],
  ]);
});
