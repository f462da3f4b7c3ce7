import { expect, test } from 'vitest';
import { appendEvents } from '../../../../src/manifest/events/backlog.ts';
import { ReceiverNotReached } from '../../../../src/manifest/events/courier.ts';
import { Outbox } from '../../../../src/manifest/events/outbox.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { ObjectEvent } from '../../../../src/manifest/records/change-intent.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

/** As each bucket has it that asks for EventBridge. */
const RULE: NotificationRule = { id: 'bridge', kind: 'eventBridge', target: 'arn:of:bridge', events: [] };

function eventOf(key: string, { id: ruleId, target }: NotificationRule): ObjectEvent {
  const who = { principalId: 'P', requester: '1', sourceAddress: '192.0.2.1', requestId: 'R', hostId: 'H' };
  return { name: 'ObjectCreated:Put', ruleId, target, time: Date.now(), key, sequencer: '01', ...who };
}

interface Scene {
  readonly names: readonly string[];
  readonly rules: readonly NotificationRule[];
  /** What a receiver says to what it is sent. @throws Error: it does not take it */
  readonly take: (bucket: string, target: string) => void;
}

/** Buckets of the same configurations, and what is sent of them. */
async function open({ names, rules, take }: Scene) {
  const { bucket, realm } = await testManifest();
  const settings = { notifications: rules };
  const byName = new Map(names.map((name, at) => [name, { ...bucket, settings, name, uid: `uid-${at}` }]));
  const sent: string[] = [];
  const problems: unknown[] = [];
  const outbox = new Outbox({
    backends: realm.backends,
    buckets: { get: async (name) => byName.get(name) ?? expect.fail(), latest: async (each) => each },
    courier: {
      receiverOf: (target) => target.slice(target.lastIndexOf(':') + 1),
      atOnce: () => 1,
      send: async ({ name }, { target }, events) => {
        sent.push(...events.map(({ key }) => `${name}/${key}`));
        take(name, target);
      },
    },
    bounds: { maxAgeMs: 60_000, maxBehind: 100 },
    clockOf: () => undefined,
    onProblem: (_error, name, rule) => void problems.push([name, rule]),
  });
  const wait = async (name: string, key: string, rule = RULE): Promise<void> => {
    const at: Bucket = byName.get(name) ?? expect.fail();
    const destination = { ruleId: rule.id, target: rule.target };
    await appendEvents(at, { destination, last: undefined, events: [eventOf(key, rule)] }, testCall());
  };
  return { outbox, wait, sent, problems };
}

test('a bucket whose events are refused delays no other one of the same configuration', async () => {
  const { outbox, wait, sent, problems } = await open({
    names: ['refused', 'taken'],
    rules: [RULE],
    take: (bucket) => {
      if (bucket === 'refused') throw new Error('too large');
    },
  });
  await wait('refused', 'a');
  await wait('taken', 'b');
  await outbox.round(testCall());
  await wait('taken', 'c');
  await outbox.round(testCall());
  expect(sent).toEqual(['refused/a', 'taken/b', 'taken/c']);
  expect(problems).toEqual([['refused', RULE]]);
});

test('a receiver that is not reached is tried once in a round, by whatever names it, and delays no other', async () => {
  const ruleOf = (id: string, target: string): NotificationRule => ({ id, kind: 'queue', target, events: [] });
  const dead = ['1', '2', '3'].map((account) => ruleOf(`dead-${account}`, `arn:${account}:dead`));
  const alive = ruleOf('alive', 'arn:alive');
  const { outbox, wait, sent, problems } = await open({
    names: ['one', 'two'],
    rules: [...dead, alive],
    take: (_bucket, target) => {
      if (target.endsWith(':dead')) throw new ReceiverNotReached('TimeoutError');
    },
  });
  for (const name of ['one', 'two']) {
    for (const rule of dead) await wait(name, 'in vain', rule);
    await wait(name, 'taken', alive);
  }
  await outbox.round(testCall());
  expect(sent.toSorted()).toEqual(['one/in vain', 'one/taken', 'two/taken']);
  expect(problems).toHaveLength(1);
  await outbox.round(testCall());
  expect(sent, 'it is left alone for half a second').toHaveLength(3);
});
