import { afterAll, beforeAll, vi } from 'vitest';
import { clientTime } from './client-time.ts';

/** `Date.now` is the clock of the client that runs. Random bytes are seeded where the test file mocks their sources. */
export function simulateTime(): void {
  beforeAll(() => {
    vi.spyOn(Date, 'now').mockImplementation(() => clientTime.now);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
}

/** How many times more than a run that gates a change. */
export const EFFORT = Number(process.env['INTERLEAVE_RUNS'] ?? 1);
