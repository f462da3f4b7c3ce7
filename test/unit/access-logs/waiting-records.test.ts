import { describe, expect, test } from 'vitest';
import { type LogOwner, WaitingRecords } from '../../../src/access-logs/waiting-records.ts';

const DAY = 86_400_000;
const owner = (uid = 'u', changes: Partial<LogOwner['logging']> = {}): LogOwner => ({
  bucket: 'photos',
  uid,
  ownerId: 'o',
  logging: { targetBucket: 'logs', targetPrefix: 'a/', ...changes },
});

describe('which records share a log object', () => {
  test('those of one bucket to one place', () => {
    const records = new WaitingRecords(1_000_000);
    const first = records.add(owner(), 'one', 0);
    expect(first?.isNew).toBe(true);
    expect(records.add(owner(), 'two', 3 * DAY)?.batch).toBe(first?.batch);
    expect(records.add(owner('another'), 'x', 0)?.isNew).toBe(true);
    expect(records.add(owner('u', { targetPrefix: 'b/' }), 'x', 0)?.isNew).toBe(true);
    expect(first?.batch.records).toEqual(['one', 'two']);
    expect(first?.batch.bytes).toBe('one\ntwo\n'.length);
  });

  test('by EventTime only those of one day', () => {
    const records = new WaitingRecords(1_000_000);
    const byDay = owner('u', { keyFormat: { partitionedBy: 'EventTime' } });
    const first = records.add(byDay, 'one', DAY - 1);
    expect(records.add(byDay, 'two', DAY)?.isNew).toBe(true);
    expect(records.add(byDay, 'three', 0)?.batch).toBe(first?.batch);
  });

  test('a batch that is on its way grows no more', () => {
    const records = new WaitingRecords(1_000_000);
    const first = records.add(owner(), 'one', 0);
    if (first !== undefined) records.close(first.batch);
    expect(records.growing()).toEqual([]);
    expect(records.add(owner(), 'two', 0)?.isNew).toBe(true);
    expect(first?.batch.records).toEqual(['one']);
  });
});

describe('memory', () => {
  test('one bucket gets half of it, all together no more than all of it', () => {
    const records = new WaitingRecords(40_000);
    const record = 'x'.repeat(1000);
    const fill = (uid: string): number => {
      let taken = 0;
      while (records.add(owner(uid), record, 0) !== undefined) taken += 1;
      return taken;
    };
    expect(fill('a')).toBe(17);
    expect(records.bytes).toBeLessThanOrEqual(20_000);
    fill('b');
    expect(records.bytes).toBeLessThanOrEqual(40_000);
    expect(records.add(owner('c'), record, 0)).toBeUndefined();
  });

  test('what is forgotten is free again, to the last byte, while it grows and when it is on its way', () => {
    const records = new WaitingRecords(40_000);
    for (let at = 0; at < 3; at += 1) {
      const added = ['one', 'three', ''].map((record) => records.add(owner(), record, 0));
      const batch = added[0]?.batch;
      if (batch === undefined) throw new Error('there is room');
      if (at > 0) records.close(batch);
      records.forget(batch);
      expect(records.bytes).toBe(0);
    }
  });
});
