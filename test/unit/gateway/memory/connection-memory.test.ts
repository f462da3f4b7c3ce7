import { describe, expect, it } from 'vitest';
import { ConnectionMemory, type Holding } from '../../../../src/gateway/memory/connection-memory.ts';

/** Memory of 100 bytes, and the names of the holdings that had to go, in turn. */
function scene(perSource = 0): {
  readonly memory: ConnectionMemory;
  readonly gone: string[];
  readonly open: (source: string | undefined, bytes: number) => Holding | undefined;
} {
  const memory = new ConnectionMemory({ bytes: 100, perSource });
  const gone: string[] = [];
  return {
    memory,
    gone,
    open: (source, bytes) => memory.open(source, bytes, () => void gone.push(`${String(source)} ${String(bytes)}`)),
  };
}

describe('when the memory is full', () => {
  it('the source that holds the most gets nothing more', () => {
    const { memory, gone, open } = scene();
    for (let count = 0; count < 10; count += 1) expect(open('a', 10)).toBeDefined();
    expect(open('a', 10)).toBeUndefined();
    expect([gone, memory.usedBytes, memory.dropped]).toEqual([[], 100, 1]);
  });

  it('another one gets what the largest holding of that source had', () => {
    const { memory, gone, open } = scene();
    for (const bytes of [20, 40, 10, 20]) open('a', bytes);
    open('b', 10);
    expect(open('c', 10)).toBeDefined();
    expect([gone, memory.usedBytes]).toEqual([['a 40'], 70]);
  });

  it('sources that hold the same take nothing from each other', () => {
    const { gone, open } = scene();
    for (let source = 0; source < 10; source += 1) open(String(source), 10);
    expect(open('another', 10)).toBeUndefined();
    expect(gone).toEqual([]);
  });

  it('a holding that serves a request goes only when its source has more than half of all', () => {
    const { memory, gone, open } = scene();
    for (const [source, bytes] of [
      ['a', 40],
      ['a', 10],
      ['b', 50],
    ] as const) {
      const holding = open(source, bytes);
      if (holding !== undefined) memory.settle(holding, true);
    }
    expect(open('c', 10)).toBeUndefined();
    const { memory: uneven, gone: goneThere, open: openThere } = scene();
    for (const bytes of [40, 30, 30]) uneven.settle(openThere('a', bytes) as Holding, true);
    expect(openThere('c', 10)).toBeDefined();
    expect([gone, goneThere]).toEqual([[], ['a 40']]);
  });

  it('a proxy loses nothing', () => {
    const { gone, open } = scene();
    open(undefined, 90);
    open('a', 10);
    expect(open('b', 20)).toBeUndefined();
    expect(gone).toEqual([]);
  });
});

it('what is given back, or ends, can be had again', () => {
  const { memory, open } = scene();
  const holding = open('a', 60) as Holding;
  expect(memory.take(holding, 41)).toBe(false);
  expect(memory.take(holding, 40)).toBe(true);
  memory.giveBack(holding, 40);
  memory.settle(holding, true);
  memory.end(holding);
  memory.end(holding);
  memory.giveBack(holding, 1);
  expect(memory.take(holding, 1)).toBe(false);
  expect(memory.usedBytes).toBe(0);
  expect(open('b', 100)).toBeDefined();
});

it('a source has so many holdings at most', () => {
  const { memory, open } = scene(2);
  const first = open('a', 1) as Holding;
  open('a', 1);
  expect(open('a', 1)).toBeUndefined();
  expect(open('b', 1)).toBeDefined();
  memory.end(first);
  expect(open('a', 1)).toBeDefined();
});
