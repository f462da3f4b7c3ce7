import { beforeEach, describe, expect, test } from 'vitest';
import { appendEvents, destinationName, listBacklog } from '../../../../src/manifest/events/backlog.ts';
import { Outbox } from '../../../../src/manifest/events/outbox.ts';
import { NOTHING } from '../../../../src/manifest/heads/head-commit.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { encodeIntent, intentRef, intentsPrefix } from '../../../../src/manifest/records/change-intent.ts';
import { RECORD_NAME } from '../../../../src/manifest/records/record.ts';
import { SYSTEM_TIME } from '../../../../src/manifest/records/time.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const WHO = { principalId: 'P', requester: '1', sourceAddress: '192.0.2.1', requestId: 'R', hostId: 'H' };
const SAID = { name: 'ObjectCreated:Put' as const, sequencer: '01', ...WHO };
const RULES = ['one', 'other'].map(
  (id): NotificationRule => ({ id, kind: 'queue', target: `arn:of:${id}`, events: ['s3:ObjectCreated:*'] }),
);
const DESTINATIONS = RULES.map(({ id: ruleId, target }) => ({ ruleId, target }));
const [ONE = expect.fail()] = DESTINATIONS;
const HOUR = 3_600_000;
/** Of a later release, and one that is damaged. */
const UNREADABLE = ['{"v":2}', '{"v":1,"bucket":"b"}', 'not JSON'];

let bucket: Bucket;
let outbox: Outbox;
let ahead: number;
let sent: string[];
let problems: string[];
beforeEach(async () => {
  const { bucket: plain, realm } = await testManifest();
  bucket = { ...plain, settings: { notifications: RULES } };
  [ahead, sent, problems] = [0, [], []];
  const time = { ...SYSTEM_TIME, now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  outbox = new Outbox({
    backends: realm.backends.map((backend) => ({ ...backend, time })),
    buckets: { get: async () => bucket, latest: async () => bucket },
    courier: {
      receiverOf: (target) => target,
      atOnce: () => 1,
      send: async (_bucket, { id }, events) => void sent.push(...events.map(({ key }) => `${id}/${key}`)),
    },
    bounds: { maxAgeMs: 2 * HOUR, maxBehind: 100 },
    clockOf: () => undefined,
    onProblem: (error) => problems.push((error as Error).message),
  });
});

/** A blob of the system container, without bytes unless given. */
async function write(name: string, record: string, body = ''): Promise<void> {
  const ref = { container: bucket.home.system, name };
  await bucket.home.store.write(ref, Buffer.from(body), { metadata: { [RECORD_NAME]: record } }, testCall());
}

async function announce(key: string): Promise<void> {
  const events = [{ ...SAID, time: Date.now(), to: [ONE] }];
  const intent = { bucket: bucket.name, key, nonce: key, seen: [NOTHING], isDone: true as const, events };
  await write(intentRef({ bucket, key }, 'readable').name, encodeIntent(intent)[RECORD_NAME] ?? '');
}

async function namesUnder(prefix: string): Promise<string[]> {
  const { entries } = await bucket.home.store.list(bucket.home.system, { prefix, limit: 100 }, testCall());
  return entries.map(({ name }) => name);
}

describe.each(UNREADABLE)('an intent %s', (record) => {
  test('holds up its key, and no other', async () => {
    await write(intentRef({ bucket, key: 'b' }, 'later').name, record);
    for (const key of ['a', 'b', 'c']) await announce(key);
    await outbox.round(testCall());
    expect(sent.toSorted()).toEqual(['one/a', 'one/c']);
    expect(await namesUnder(intentsPrefix(bucket)), 'both of the key stay').toHaveLength(2);
    expect(problems).toEqual([
      expect.stringContaining(`${intentRef({ bucket, key: 'b' }, 'later').name} cannot be read`),
    ]);
    await outbox.round(testCall());
    expect(problems, 'it is not told of at each round').toHaveLength(1);
  });

  test('is told of, though nothing else is there', async () => {
    await write(intentRef({ bucket, key: 'b' }, 'later').name, record);
    for (const _round of [1, 2]) await outbox.round(testCall());
    expect(problems).toEqual([expect.stringContaining('cannot be read')]);
  });
});

/** Writes a batch that cannot be read behind what waits for the first configuration. */
async function writeBatch(index: number, record: string, body = ''): Promise<void> {
  const folder = `q/${bucket.uid}/${destinationName(ONE)}`;
  await write(`${folder}/${String(index).padStart(12, '0')}`, record, body);
}

const SUMMARY = JSON.stringify({ bucket: 'bucket', ...ONE, count: 1, since: Date.now() });

describe.each([
  ['a summary of a later release', '{"v":9}', ''],
  ['events that are damaged', SUMMARY, 'not JSON'],
])('a backlog with %s', (_what, record, body) => {
  const wait = async (key: string): Promise<void> => {
    const backlog = await listBacklog(bucket, testCall());
    for (const destination of DESTINATIONS) {
      const last = backlog.get(destinationName(destination))?.at(-1);
      const events = [{ ...SAID, ...destination, key, time: Date.now() + ahead }];
      await appendEvents(bucket, { destination, last, events }, testCall());
    }
  };

  test('holds up what stands behind it, and no other configuration, until it is given up', async () => {
    await wait('before');
    await writeBatch(2, record, body);
    await wait('behind');
    await announce('new');
    await outbox.round(testCall());
    expect(sent.toSorted()).toEqual(['one/before', 'other/before', 'other/behind']);
    expect(problems).toEqual([expect.stringContaining('cannot be read')]);
    for (const _round of [2, 3, 4]) await outbox.round(testCall());
    expect(sent).toHaveLength(3);
    // Once by what sends, and once by what looks for something to send.
    expect(problems.length, 'it is not told of at each round').toBeLessThanOrEqual(2);
    ahead += 3 * HOUR;
    await wait('last');
    await outbox.round(testCall());
    expect(sent.slice(3).toSorted()).toEqual(['one/last', 'other/last']);
    expect(outbox.tally.counts.dropped).toBe(3);
  });
});
