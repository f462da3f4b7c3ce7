/**
 * The load generator, a process of its own: takes a `LoadJob` from its parent, answers with a `LoadResult`
 * or `{ error }`.
 */
import { LoadConnection } from './load-connection.ts';
import { SendableRequest } from './sendable.ts';
import type { WireRequest } from './wire-request.ts';

export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  /** No request is begun after this; 0: each request is sent once. */
  readonly milliseconds: number;
  /** Sent in turn. */
  readonly requests: readonly WireRequest[];
  /** Milliseconds that the last answers may take when no more are begun; absent: a minute. */
  readonly patience?: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Until the last answer was complete. */
  readonly seconds: number;
  /** Milliseconds within which half and 99 of 100 answers came, from the first byte sent to the last received. */
  readonly p50: number;
  readonly p99: number;
}

const PATIENCE_MS = 60_000;

async function run(job: LoadJob): Promise<LoadResult> {
  const { port, connections, milliseconds, requests, patience = PATIENCE_MS } = job;
  const sendables = requests.map((request) => new SendableRequest(request));
  const open = Array.from({ length: connections }, () => new LoadConnection(port));
  const started = performance.now();
  const taken: number[] = [];
  let begun = 0;
  const mayBegin = (): boolean =>
    milliseconds === 0 ? begun < sendables.length : performance.now() - started < milliseconds;
  const late = new Error(`no answer within ${patience / 1000} s of the end`);
  const giveUp = setTimeout(() => open.forEach((connection) => connection.close(late)), milliseconds + patience);
  try {
    await Promise.all(
      open.map(async (connection) => {
        while (mayBegin()) {
          const request = sendables[begun % sendables.length];
          begun += 1;
          if (request === undefined) continue;
          const sent = performance.now();
          await connection.exchange(request);
          taken.push(performance.now() - sent);
        }
      }),
    );
  } finally {
    clearTimeout(giveUp);
    for (const connection of open) connection.close();
  }
  const seconds = (performance.now() - started) / 1000;
  taken.sort((a, b) => a - b);
  return { requests: begun, seconds, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
