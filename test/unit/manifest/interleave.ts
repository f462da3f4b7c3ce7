import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { UploadFixture } from './upload-fixture.ts';

const MOST_CALLS = 60;

export interface Point {
  readonly n: number;
  readonly side: 'before' | 'after';
}

/** Whether `main` made as many calls, and whether `other` ran: not after a call that failed. */
export interface Course {
  readonly reached: boolean;
  readonly met: boolean;
}

/** Runs `main` with `other` done as a whole at its n-th backend call, before or after that is applied. */
export async function interleave(
  fixture: UploadFixture,
  { n, side }: Point,
  main: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<Course> {
  let count = 0;
  let met = false;
  const act = async (): Promise<void> => {
    met = true;
    await other();
    for (let turn = 0; turn < 20; turn++) await nextTurn(); // what follows in the background
  };
  fixture.plan = () => (met || ++count !== n ? undefined : { kind: 'interleave', [side]: act });
  await main();
  fixture.plan = () => undefined;
  await fixture.idle();
  return { reached: count >= n, met };
}

/** Every point of `main` at which `other` can come in between. */
export async function everywhere(least: number, run: (at: Point) => Promise<Course>): Promise<void> {
  for (const side of ['before', 'after'] as const) {
    let meetings = 0;
    for (let n = 1; ; n++) {
      expect(n).toBeLessThan(MOST_CALLS);
      const { reached, met } = await run({ n, side });
      if (!reached) break;
      if (met) meetings += 1;
    }
    expect(meetings).toBeGreaterThan(least);
  }
}
