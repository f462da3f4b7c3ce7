import { expect, test } from 'vitest';
import { appendEvents } from '../../../../src/manifest/events/backlog.ts';
import { Outbox } from '../../../../src/manifest/events/outbox.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { ObjectEvent } from '../../../../src/manifest/records/change-intent.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

/** As each bucket has it that asks for EventBridge. */
const RULE: NotificationRule = { id: 'bridge', kind: 'eventBridge', target: 'arn:of:bridge', events: [] };
const DESTINATION = { ruleId: RULE.id, target: RULE.target };

function eventOf(key: string): ObjectEvent {
  const who = { principalId: 'P', requester: '1', sourceAddress: '192.0.2.1', requestId: 'R', hostId: 'H' };
  return { name: 'ObjectCreated:Put', ...DESTINATION, time: Date.now(), key, sequencer: '01', ...who };
}

test('a bucket whose events are refused delays no other one of the same configuration', async () => {
  const { bucket, realm } = await testManifest();
  const settings = { notifications: [RULE] };
  const refused: Bucket = { ...bucket, settings, name: 'refused', uid: 'first' };
  const taken: Bucket = { ...bucket, settings, name: 'taken', uid: 'second' };
  const byName = new Map([refused, taken].map((each) => [each.name, each]));
  const wait = (at: Bucket, key: string): Promise<unknown> =>
    appendEvents(at, { destination: DESTINATION, last: undefined, events: [eventOf(key)] }, testCall());
  const sent: string[] = [];
  const problems: unknown[] = [];
  const outbox = new Outbox({
    backends: realm.backends,
    buckets: { get: async (name) => byName.get(name) ?? expect.fail(), latest: async (each) => each },
    courier: {
      atOnce: () => 1,
      send: async ({ name }, _rule, events) => {
        sent.push(...events.map(({ key }) => `${name}/${key}`));
        if (name === 'refused') throw new Error('too large');
      },
    },
    bounds: { maxAgeMs: 60_000, maxBehind: 100 },
    clockOf: () => undefined,
    onProblem: (_error, name, rule) => void problems.push([name, rule]),
  });
  await wait(refused, 'a');
  await wait(taken, 'b');
  await outbox.round(testCall());
  await wait(taken, 'c');
  await outbox.round(testCall());
  expect(sent).toEqual(['refused/a', 'taken/b', 'taken/c']);
  expect(problems).toEqual([['refused', RULE]]);
});
