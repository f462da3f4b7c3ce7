import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Enrolled, Roster } from '../../../src/streams/roster.ts';

const run = promisify(execFile);

function entered(count: number): { readonly roster: Roster<Enrolled>; readonly items: readonly Enrolled[] } {
  const roster = new Roster<Enrolled>();
  const items = Array.from({ length: count }, () => ({ place: -1 }));
  for (const item of items) roster.add(item);
  return { roster, items };
}

describe('Roster', () => {
  it('has what was added and not removed, in whatever order it is removed', () => {
    const { roster, items } = entered(7);
    for (const gone of [3, 6, 0, 5]) roster.delete(items[gone] ?? { place: -1 });
    expect(roster.size).toBe(3);
    expect(new Set(roster)).toEqual(new Set([items[1], items[2], items[4]]));
    for (const item of items) roster.delete(item);
    expect([...roster]).toEqual([]);
  });

  it('removes nobody else for one who is not there', () => {
    const { roster, items } = entered(2);
    const [first = { place: -1 }] = items;
    roster.delete({ place: 0 });
    roster.delete({ place: -1 });
    roster.delete(first);
    roster.delete(first);
    expect([...roster]).toEqual([items[1]]);
    roster.add(first);
    expect(roster.size).toBe(2);
  });

  it('may lose and get items while somebody goes through it', () => {
    const { roster, items } = entered(3);
    const seen: Enrolled[] = [];
    for (const item of roster) {
      seen.push(item);
      roster.delete(item);
      roster.add({ place: -1 });
    }
    expect(seen).toEqual(items);
    expect(roster.size).toBe(3);
  });

  it('lets go of those that have left: young collections free them', async () => {
    const { stdout } = await run(process.execPath, [
      '--expose-gc',
      '--single-threaded',
      '--input-type=module',
      '-e',
      SCRIPT,
    ]);
    expect(Number(stdout)).toBeLessThan(ENTERED / 20);
  });
});

const ENTERED = 20_000;
/** Prints how many items, about, a young collection left among the old objects. */
const SCRIPT = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { Roster } from ${JSON.stringify(resolve(import.meta.dirname, '../../../src/streams/roster.ts'))};
  const ITEM_BYTES = 1024;
  const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  const roster = new Roster();
  const here = [];
  const enter = () => {
    const item = { place: -1, body: new Array(ITEM_BYTES / 8).fill(0) };
    roster.add(item);
    here.push(item);
  };
  for (let i = 0; i < 32; i += 1) enter();
  // From now on the roster and all in it are old.
  gc();
  const before = oldBytes();
  for (let i = 0; i < ${ENTERED}; i += 1) {
    enter();
    roster.delete(here.shift());
    if (i % 500 === 0) gc({ type: 'minor' });
  }
  console.log(Math.round((oldBytes() - before) / ITEM_BYTES));
`;
