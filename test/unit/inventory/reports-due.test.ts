import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_FILES } from '../../../src/inventory/inventory-progress.ts';
import type { InventoryOutcome } from '../../../src/inventory/inventory-run.ts';
import type { Inventory } from '../../../src/protocol/inventory/inventory.ts';
import { wrapStore } from '../../../src/store/wrap-store.ts';
import { readReport } from '../../support/inventory/reports.ts';
import {
  configure,
  DAY,
  dyingAt,
  INVENTORY,
  MINUTE,
  openScene,
  read,
  run,
  store,
  stored,
  time,
} from './inventory-scene.ts';

beforeEach(openScene);

describe('a report is due', () => {
  test('once a day, by the calendar in UTC', async () => {
    expect((await run())?.written).toBeDefined();
    time.advance(20 * 60 * MINUTE);
    expect(await run()).toEqual({ bucket: 'photos', backend: 'test', id: 'all' });
    time.advance(4 * 60 * MINUTE);
    expect((await run())?.written?.manifest).toBe('photos/all/2026-01-02T00-00Z/manifest.json');
  });

  test('on Sunday, of the weekly ones, after the first', async () => {
    await configure('photos', { ...INVENTORY, frequency: 'Weekly' });
    // The first of January is a Thursday.
    const due: number[] = [];
    for (let day = 1; day <= 12; day++) {
      if ((await run())?.written) due.push(day);
      time.advance(DAY);
    }
    expect(due).toEqual([1, 4, 11]);
  });

  test('at once of a configuration that was changed, or switched off amid a report; not twice in a minute', async () => {
    const changed: Inventory = { ...INVENTORY, fields: ['ETag'] };
    const first = (await run())?.written?.manifest;
    await configure('photos', changed);
    expect((await run())?.written).toBeUndefined();
    time.advance(MINUTE);
    const { written } = (await run()) ?? {};
    expect(written?.manifest).not.toBe(first);
    expect((await readReport(written?.manifest ?? '', read)).schema).toBe('Bucket, Key, ETag');
    time.advance(DAY);
    await dyingAt(25);
    await configure('photos', { ...changed, isEnabled: false });
    time.advance(3 * MINUTE);
    await run();
    await configure('photos', changed);
    time.advance(MINUTE);
    expect((await run())?.written).toBeDefined();
    time.advance(MINUTE);
    expect((await run())?.written).toBeUndefined();
  });

  test('by the time at which it is claimed, not by that at which the run began', async () => {
    await run();
    time.advance(23 * 60 * MINUTE);
    let other: InventoryOutcome | undefined;
    const slow = wrapStore(store, async ({ method, ref }, work) => {
      if (method === 'list' && ref.container === 'system' && other === undefined) {
        time.advance(90 * MINUTE);
        other = await run();
        time.advance(23 * 60 * MINUTE);
      }
      return work();
    });
    expect((await run({}, slow))?.written).toBeUndefined();
    expect(other?.written?.manifest).toBe('photos/all/2026-01-02T00-30Z/manifest.json');
  });

  test('of inventories that are on', async () => {
    await configure('photos', { ...INVENTORY, isEnabled: false });
    expect(await run()).toBeUndefined();
    expect(await stored()).toEqual([]);
  });
});

test('what is kept of a report has room for all data files that it may have, beside the longest key', () => {
  const file = { name: randomUUID(), size: Number.MAX_SAFE_INTEGER, md5: 'f'.repeat(32) };
  const files = Array.from({ length: MAX_FILES }, () => file);
  const after = '\u0001'.repeat(1024);
  const progress = { startedAt: Date.now(), phase: 'rows', configuration: 'f'.repeat(32), after, rows: 1e12, files };
  const note = { holder: randomUUID(), progress: { ...progress, afterVersion: 'v'.repeat(64) } };
  expect(Buffer.byteLength(JSON.stringify(note))).toBeLessThan(64 * 1024);
});
