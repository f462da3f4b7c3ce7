import { cpus } from 'node:os';
import { startBenchBackend, startGateway } from '../servers/backend.ts';
import { measure, type Measured } from '../measuring/measure.ts';
import type { BenchOptions } from '../options.ts';
import { LoadGenerator } from '../servers/processes.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import { BUCKET, SETUP, WORKS } from '../load/work.ts';

/** Of what so many workers would do if nothing held them up. */
const SHARE = 0.85;
const NAMES: ReadonlySet<string> = new Set([
  'get-4k-32',
  'put-4k-32',
  'head-32',
  'get-64m-4',
  'put-64m-unsigned-4',
  'put-64m-crc32-trailer-4',
]);

/**
 * A replica of several workers and one of a single worker over one null backend, in alternating rounds. There is a
 * verdict only where the machine had the cores for it: what the single worker, load and backend leave idle must suffice
 * for what the goal takes more of all three.
 */
export async function benchWorkers(options: BenchOptions): Promise<Measured[]> {
  const backend = await startBenchBackend(options);
  const load = new LoadGenerator();
  const starting = [startGateway(backend, { workers: options.workers }), startGateway(backend)] as const;
  try {
    const [many, one] = await Promise.all(starting);
    const signers = { gateway: new RequestSigner(many.bed), bare: new RequestSigner(one.bed) };
    const targets = {
      gateway: { port: signers.gateway.port, pids: many.bed.pids },
      bare: { port: signers.bare.port, pids: one.bed.pids },
    };
    const needed = SETUP.filter(({ path }) => path.startsWith(`/${BUCKET}/`));
    const first = await signAll(signers.gateway, [{ method: 'PUT', path: `/${BUCKET}` }, ...needed]);
    await load.run({ connections: 1, milliseconds: 0, port: targets.gateway.port, requests: first });
    await backend.store.delay(options.latency);
    const results: Measured[] = [];
    for (const work of WORKS.filter(({ name }) => isWanted(name, options))) {
      const signed = {
        gateway: await signAll(signers.gateway, work.requests),
        bare: await signAll(signers.bare, work.requests),
      };
      const goal = SHARE * options.workers;
      const stage = { work, goal: { ratio: goal }, signed, targets, load, backend: backend.store };
      const result = judged(await measure(stage, options), goal);
      results.push(result);
      if (!options.json) process.stderr.write(`${work.name} ${result.ratio.toFixed(2)}\n`);
    }
    return results;
  } finally {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === 'fulfilled') await started.value.stop();
    }
    load.stop();
    await backend.stop();
  }
}

function isWanted(name: string, { only }: BenchOptions): boolean {
  return NAMES.has(name) && (only.length === 0 || only.some((part) => name.includes(part)));
}

/** The result with the reason why it says nothing, if it does not. */
function judged(result: Measured, goal: number): Measured {
  const { own, drivers, idle } = result.bare.cores;
  const more = (goal - 1) * (own + drivers);
  if (idle >= more) return result;
  const others = Math.max(0, cpus().length - idle - own - drivers);
  return {
    ...result,
    noVerdict:
      `${result.name}: of ${cpus().length} cores one worker took ${own.toFixed(2)}, load and backend ${drivers.toFixed(2)}, ` +
      `others ${others.toFixed(2)}; ${idle.toFixed(2)} were idle, and ${goal.toFixed(2)} times as much takes ${more.toFixed(2)} more`,
  };
}
