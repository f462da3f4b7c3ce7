import { describe, expect, it, vi } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { explore } from './explore.ts';
import { Run } from './run.ts';
import { finish } from './at-rest.ts';
import { simulateTime } from './simulation.ts';
import { startOf } from './starts.ts';
import { Violation } from './trace.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('./seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('./seeded-random.ts')),
}));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: async () => undefined,
}));

const SWAP = { kind: 'put', mode: 'never', condition: 'current', key: 'k' } as const;
const TWO_SWAPS = [
  { skew: 0, operations: [SWAP] },
  { skew: 7, operations: [SWAP] },
];

/** A store that takes no notice of conditions. */
function heedless(store: BlobStore): BlobStore {
  return {
    ...store,
    write: (ref, body, { condition: _condition, ...request }, call) => store.write(ref, body, request, call),
  };
}

/** A store that says it has written, and has not. */
function forgetful(store: BlobStore): BlobStore {
  return { ...store, remove: async () => undefined };
}

describe('the machinery that tries orders of calls', () => {
  simulateTime();

  it('does the same again, call for call', async () => {
    const start = await startOf('never', 'unsettled');
    const text = async (): Promise<string> => {
      const run = await Run.begin({
        start,
        clients: [{ skew: 0, operations: [{ kind: 'complete', mode: 'never', key: 'k' }] }, ...TWO_SWAPS],
        background: true,
      });
      await finish(run);
      return run.trace.text;
    };
    const first = await text();
    expect(first.split('\n').length).toBeGreaterThan(15);
    expect(await text()).toBe(first);
  });

  it('finds nothing where conditions are heeded, after going through every order', async () => {
    const result = await explore(
      { start: await startOf('never', 'inline'), clients: TWO_SWAPS },
      { faults: 0, maxRuns: 1000, atEnd: async () => undefined },
    );
    expect(result).toMatchObject({ complete: true, ends: 2 });
  });

  it('notices that a compare-and-swap is none', async () => {
    const plan = { start: await startOf('never', 'inline'), clients: TWO_SWAPS, spoil: heedless };
    await expect(explore(plan, { faults: 0, maxRuns: 1000, atEnd: async () => undefined })).rejects.toThrow(
      /I1: .* its condition did not hold/,
    );
  });

  it('notices that an acknowledged DELETE did nothing', async () => {
    const plan = {
      start: await startOf('never', 'inline'),
      clients: [{ skew: 0, operations: [{ kind: 'delete', mode: 'never', key: 'k' }] }],
      spoil: forgetful,
    } as const;
    await expect(explore(plan, { faults: 0, maxRuns: 10, atEnd: async () => undefined })).rejects.toThrow(Violation);
  });
});
