import { describe, expect, test } from 'vitest';
import { AccessLogs } from '../../../src/access-logs/access-logs.ts';
import { type LogObject, Undeliverable } from '../../../src/access-logs/deliver.ts';
import type { Bucket } from '../../../src/manifest/index.ts';
import { endedFacts } from '../../support/observe/ended-facts.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';

const INTERVAL = 300_000;
const LOGGING = { targetBucket: 'logs', targetPrefix: '' };
const bucket = (name = 'photos', logging = LOGGING): Bucket => ({
  name,
  uid: name,
  ownerId: 'o',
  createdAt: 0,
  versioning: 'never',
  settings: { logging },
  home: {} as Bucket['home'],
});

/** What the delivery is to do with each log object: `undefined` succeeds. */
type Answer = Error | Promise<void> | undefined;

function opened(
  answers: (object: LogObject) => Answer = () => undefined,
  sizes = { objectBytes: 10_000, bufferBytes: 100_000 },
) {
  const time = new TestTime();
  const written: string[][] = [];
  const attempts: string[][] = [];
  const warned: object[] = [];
  const logs = new AccessLogs({
    settings: { intervalMs: INTERVAL, ...sizes },
    deliver: async (object) => {
      attempts.push([...object.records]);
      const answer = answers(object);
      if (answer instanceof Error) throw answer;
      await answer;
      written.push([...object.records]);
    },
    newCall: () => testCall(),
    time,
    log: { info: () => undefined, warn: (fields) => void warned.push(fields), error: () => undefined },
  });
  const add = (record: string, of = bucket()): void => logs.logOf(of)?.add(record, time.now());
  return { time, written, attempts, warned, logs, add };
}

/** Lets all that waits for nothing but its turn go on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('when log objects are written', () => {
  test('an interval after the first record, all that came meanwhile', async () => {
    const { time, written, add } = opened();
    add('one');
    time.advance(INTERVAL - 1);
    add('two');
    await settled();
    expect(written).toEqual([]);
    time.advance(1);
    await settled();
    expect(written).toEqual([['one', 'two']]);
    time.advance(10 * INTERVAL);
    await settled();
    expect(written).toHaveLength(1);
    expect(time.sleepers).toBeLessThanOrEqual(1);
  });

  test('at once when they have grown', async () => {
    const { written, add, logs } = opened();
    add('x'.repeat(6000));
    add('y'.repeat(6000));
    add('z');
    await settled();
    expect(written).toEqual([['x'.repeat(6000), 'y'.repeat(6000)]]);
    expect(logs.waitingBytes).toBeGreaterThan(0);
    expect(logs.counts.delivered).toBe(2);
  });

  test('two at a time', async () => {
    const free: (() => void)[] = [];
    const { attempts, add, logs } = opened(() => new Promise((resolve) => free.push(resolve)));
    for (const name of ['a', 'b', 'c']) add(name, bucket(name));
    logs.flush();
    await settled();
    expect(attempts).toEqual([['a'], ['b']]);
    free[0]?.();
    await settled();
    expect(attempts).toEqual([['a'], ['b'], ['c']]);
  });

  test('all of them when the process ends', async () => {
    const { written, add, logs, time } = opened();
    add('a');
    add('b', bucket('b'));
    await logs.close();
    expect(written).toEqual([['a'], ['b']]);
    expect(logs.waitingBytes).toBe(0);
    add('late');
    expect(logs.waitingBytes).toBe(0);
    time.advance(INTERVAL);
    await settled();
    expect(written).toHaveLength(2);
  });

  test('a target that does not answer keeps no process', async () => {
    const { add, logs, time, warned } = opened(() => new Promise(() => undefined));
    add('a');
    const closed = logs.close();
    await settled();
    time.advance(3000);
    await closed;
    expect(warned).toHaveLength(1);
  });
});

describe('a delivery that fails', () => {
  test('is tried again later and later, with the same object, and dropped in the end', async () => {
    const objects = new Set<LogObject>();
    const { attempts, add, logs, time, warned } = opened((object) => {
      objects.add(object);
      return new Error('the backend fails');
    });
    add('a');
    logs.flush();
    for (const [at, ms] of [2000, 10_000, 30_000, 60_000, 120_000].entries()) {
      await settled();
      expect([attempts.length, logs.failing]).toEqual([at + 1, 1]);
      time.advance(ms - 1);
      await settled();
      expect(attempts).toHaveLength(at + 1);
      time.advance(1);
    }
    await settled();
    expect(attempts).toHaveLength(6);
    expect(objects.size).toBe(1);
    expect([logs.failing, logs.counts.failed, logs.waitingBytes, warned.length]).toEqual([0, 1, 0, 1]);
  });

  test('that another attempt would not help is dropped at once', async () => {
    const { attempts, add, logs, warned } = opened(() => new Undeliverable('the target bucket does not exist'));
    add('a');
    add('b');
    logs.flush();
    await settled();
    expect(attempts).toHaveLength(1);
    expect([logs.counts.refused, logs.waitingBytes]).toEqual([2, 0]);
    expect(warned).toMatchObject([{ bucket: 'photos', targetBucket: 'logs', records: 2 }]);
  });

  test('leaves other buckets alone', async () => {
    const { written, add, logs, time } = opened(({ owner }) =>
      owner.bucket === 'bad' ? new Error('the backend fails') : undefined,
    );
    add('a', bucket('bad'));
    add('b', bucket('bad2', { ...LOGGING, targetPrefix: 'x' }));
    add('c', bucket('good'));
    logs.flush();
    await settled();
    expect(written).toEqual([['b'], ['c']]);
    time.advance(2000);
    await settled();
    expect(logs.failing).toBe(1);
  });

  test('is made once more when the process ends', async () => {
    let fails = true;
    const { written, add, logs } = opened(() => (fails ? new Error('the backend fails') : undefined));
    add('a');
    logs.flush();
    await settled();
    fails = false;
    await logs.close();
    expect(written).toEqual([['a']]);
  });

  test('never takes more memory than there is for it', async () => {
    const { add, logs } = opened(() => new Error('the backend fails'), { objectBytes: 1000, bufferBytes: 20_000 });
    for (let at = 0; at < 1000; at += 1) {
      add('x'.repeat(500), bucket(`b${String(at % 7)}`));
      expect(logs.waitingBytes).toBeLessThanOrEqual(20_000);
    }
    await settled();
    expect(logs.counts.noRoom).toBeGreaterThan(900);
  });
});

describe('which requests leave records', () => {
  test('those that noted one; all others are not looked at', () => {
    const { logs } = opened();
    logs.ended(endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'k' }));
    expect(logs.waitingBytes).toBe(0);
    const facts = endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'k' });
    const log = logs.logOf(bucket());
    if (log !== undefined) facts.noteAccess({ log });
    logs.ended(facts);
    expect(logs.waitingBytes).toBeGreaterThan(0);
  });

  test('a bucket without the setting has no log', () => {
    const { logs } = opened();
    expect(logs.logOf({ ...bucket(), settings: {} })).toBeUndefined();
  });
});
