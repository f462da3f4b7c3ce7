import { describe, expect, it } from 'vitest';
import { NamedRows, PLACES, TABLE_WIDTH } from '../../../../src/admin/overview/named-rows.ts';
import { TimeRing } from '../../../../src/admin/overview/time-ring.ts';
import { Random } from '../../../support/random.ts';

const MINUTE = 60_000;
const DISTINCT = 1_000_000;

function table(): { rows: NamedRows<string>; ring: TimeRing; count: (name: string, time?: number) => void } {
  const ring = new TimeRing(MINUTE, 4, TABLE_WIDTH);
  const random = new Random(7);
  const rows = new NamedRows<string>({
    nameOf: (bucket) => ({ bucket }),
    rings: [ring],
    offset: 0,
    random: () => random.next(),
  });
  return {
    rows,
    ring,
    count: (name, time = 0) => {
      const start = ring.open(time);
      const at = start + rows.rowOf(name, name, true);
      ring.cells[at] = (ring.cells[at] ?? 0) + 1;
    },
  };
}

function read(rows: NamedRows<string>, ring: TimeRing, times: readonly number[] = [0]): Map<string, number> {
  const sum = (at: number): number =>
    times.reduce((all, time) => all + (ring.cells[(ring.find(time) ?? 0) + at] ?? 0), 0);
  return new Map([...rows.rows()].map(([name, at]) => [name?.bucket ?? 'others', sum(at)]));
}

describe('a table by name', () => {
  it('tells a few names apart exactly', () => {
    const { rows, ring, count } = table();
    for (let index = 0; index < 100; index += 1) count(`b${index % PLACES}`);
    expect(read(rows, ring).get('b0')).toBe(4);
    expect(read(rows, ring).get('others')).toBe(0);
  });

  it('keeps its memory, its sum and the names that matter under a million names', () => {
    const { rows, ring, count } = table();
    const { bytes } = ring;
    let total = 0;
    for (let index = 0; index < DISTINCT; index += 1) {
      count(`stranger-${index}`);
      total += 1;
      if (index % 20 === 0) {
        count('busy');
        total += 1;
      }
    }
    const counts = read(rows, ring);
    expect(counts.size).toBe(PLACES + 1);
    expect(ring.bytes).toBe(bytes);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(counts.get('busy')).toBeGreaterThan(DISTINCT / 20 / 2);
    expect(counts.get('busy')).toBeLessThanOrEqual(DISTINCT / 20);
  });

  it('moves what a name had counted to the others, in every slice', () => {
    const { rows, ring, count } = table();
    for (let index = 0; index < PLACES; index += 1) for (const time of [0, MINUTE]) count(`old-${index}`, time);
    for (let index = 0; index < 100_000; index += 1) count(`new-${index % 5}`, 2 * MINUTE);
    const old = [...read(rows, ring, [0, MINUTE])];
    expect(old.reduce((sum, [, count]) => sum + count, 0)).toBe(2 * PLACES);
    expect(old.find(([name]) => name === 'others')?.[1]).toBeGreaterThan(0);
  });

  it('gives a name no place that may not have one', () => {
    const { rows, ring } = table();
    const start = ring.open(0);
    for (const name of ['a', 'b']) ring.cells[start + rows.rowOf(name, name, false)] = 1;
    expect([...read(rows, ring).keys()]).toEqual(['others']);
  });

  it('lets new names in after a while, however busy the old ones were', () => {
    const { rows, ring, count } = table();
    for (let index = 0; index < PLACES * 10_000; index += 1) count(`old-${index % PLACES}`);
    for (let index = 0; index < 14; index += 1) rows.age();
    for (let index = 0; index < 200; index += 1) count('new');
    expect(read(rows, ring).get('new')).toBeGreaterThan(100);
  });
});
