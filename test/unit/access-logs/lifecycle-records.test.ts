import { afterEach, expect, test, vi } from 'vitest';
import { AccessLogs } from '../../../src/access-logs/access-logs.ts';
import { recordDeed } from '../../../src/access-logs/lifecycle-records.ts';
import type { Bucket, LifecycleDeed } from '../../../src/manifest/index.ts';
import type { S3LifecycleRule } from '../../../src/protocol/lifecycle/lifecycle.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';
import { CLASSES, LifecycleFixture, rule } from '../manifest/lifecycle/lifecycle-fixture.ts';
import { OWNER } from '../manifest/upload-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const LOGGING = { targetBucket: 'logs', targetPrefix: '' };
/** Fields as Athena's documented regular expression parts them. */
const ATHENA =
  /^([^ ]*) ([^ ]*) \[(.*?)\] ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ("[^"]*"|-) (-|[0-9]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ("[^"]*"|-) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*)$/;

/** What the rules of a bucket do now, as records of its log. */
async function recordsOf(world: LifecycleFixture, ...rules: S3LifecycleRule[]): Promise<string[]> {
  const time = new TestTime();
  const records: string[] = [];
  const logs = new AccessLogs({
    settings: { intervalMs: 1000, objectBytes: 100_000, bufferBytes: 1_000_000 },
    deliver: async (object) => void records.push(...object.records),
    newCall: () => testCall(),
    time,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const onDone = ({ settings, ...bucket }: Bucket, deed: LifecycleDeed): void => {
    const logged = { ...bucket, settings: { ...settings, logging: LOGGING } };
    recordDeed(logs, logged, deed, { requestId: 'RUN1', now: time.now() });
    recordDeed(logs, { ...bucket, settings }, deed, { requestId: 'NO-LOG', now: time.now() });
  };
  await world.rules(...rules);
  await world.run({}, { onDone });
  await logs.close();
  return records;
}

/** Operation, key, size and version of each record; all else is the same in all of them. */
function told(records: readonly string[]): string[] {
  return records
    .map((line) => {
      const fields = ATHENA.exec(line)?.slice(1) ?? [];
      const [operation, key, size, versionId] = [6, 7, 12, 17].map((at) => fields[at]);
      const others = fields.filter((_field, at) => ![6, 7, 12, 17].includes(at)).join(' ');
      expect(others).toMatch(new RegExp(`^${OWNER} bucket 01/Jan/2026:00:00:00 \\+0000 - AmazonS3 RUN1( -){16}$`));
      return [operation, key, size, versionId].join(' ');
    })
    .sort();
}

test('removals and aborted uploads', async () => {
  const world = await LifecycleFixture.open();
  await world.put('a b/"x"', 'bytes');
  await world.world.gateway.started('an upload', 'part');
  world.days(3);
  const records = await recordsOf(world, rule('r', { expiration: { days: 1 }, abortDays: 1 }));
  expect(told(records)).toEqual(['S3.DELETE.UPLOAD an%20upload - -', 'S3.EXPIRE.OBJECT a%20b/%22x%22 5 -']);
});

test('with versions: delete markers that are made, versions and markers that are removed', async () => {
  const world = await LifecycleFixture.open();
  await world.world.version('enabled');
  const old = await world.put('a', 'old');
  await world.put('a', 'newer');
  world.days(3);
  const [marked] = [told(await recordsOf(world, rule('r', { expiration: { days: 1 } })))];
  expect(marked).toEqual(['S3.CREATE.DELETEMARKER a 5 -']);
  world.days(5);
  const removed = told(await recordsOf(world, rule('r', { noncurrentExpiration: { days: 1 } })));
  expect(removed.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'S3.EXPIRE.OBJECT a 3',
    'S3.EXPIRE.OBJECT a 5',
  ]);
  expect(removed[0]).toBe(`S3.EXPIRE.OBJECT a 3 ${old}`);
  const last = told(await recordsOf(world, rule('r', { expiration: { loneMarkers: true } })));
  expect(last.map((line) => line.replace(/ [^ ]+$/, ' id'))).toEqual(['S3.EXPIRE.OBJECT a - id']);
});

test.each([
  ['GLACIER', 'S3.TRANSITION.OBJECT'],
  ['GLACIER_IR', 'S3.TRANSITION_GIR.OBJECT'],
  ['DEEP_ARCHIVE', 'S3.TRANSITION_GDA.OBJECT'],
  ['STANDARD_IA', 'S3.TRANSITION_SIA.OBJECT'],
  ['ONEZONE_IA', 'S3.TRANSITION_ZIA.OBJECT'],
  ['INTELLIGENT_TIERING', 'S3.TRANSITION_INT.OBJECT'],
])('a transition to %s is %s', async (storageClass, operation) => {
  const world = await LifecycleFixture.open({ classes: CLASSES, capabilities: { archiveIsOffline: false } });
  await world.put('k', 'bytes');
  world.days(40);
  const filter = { and: { tags: [], prefix: '', sizeAbove: 0 } };
  const records = await recordsOf(world, rule('r', { filter, transitions: [{ days: 30, storageClass }] }));
  expect(told(records)).toEqual([`${operation} k 5 -`]);
});

test('what was not done leaves no record', async () => {
  const world = await LifecycleFixture.open();
  await world.world.version('enabled');
  await world.put('locked', 'old');
  await world.lock('locked', Date.now() + 1e12);
  await world.put('locked', 'newer');
  world.days(5);
  expect(await recordsOf(world, rule('r', { noncurrentExpiration: { days: 1 } }))).toEqual([]);
});
