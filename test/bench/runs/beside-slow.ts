import { type BenchBackend, startBenchBackend, startGateway } from '../servers/backend.ts';
import { median } from '../measuring/measure.ts';
import type { BenchOptions } from '../options.ts';
import { BenchProcess, forgetPeak, LoadGenerator, peakMebibytes } from '../servers/processes.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import type { S3Request } from '../load/sign.ts';
import type { SlowResult } from '../load/slow-readers.ts';
import type { WireRequest } from '../load/wire-request.ts';
import { BUCKET } from '../load/work.ts';

const MIB = 1024 * 1024;
const READERS = 1000;
const BYTES_PER_SECOND = 64 * 1024;
/** Clients come one after the other: each first fills some MiB of this machine's kernel. Milliseconds. */
const ARRIVE = 20_000;
const SETTLE = 25_000;
/** From so many addresses, one of them that of the small requests. */
const ADDRESSES = 50;
const CONNECTIONS = 8;
/** p99 of small requests beside the readers, in times of that without. */
const GOAL = 3;
const GOAL_MIB = 350;

const names = Array.from({ length: 64 }, (_, index) => `/${BUCKET}/small-${index}`);
const LARGE: S3Request = { method: 'GET', path: `/${BUCKET}/64m` };
const WORK = {
  'get-4k': names.map((path): S3Request => ({ method: 'GET', path })),
  'put-4k': names.map((path): S3Request => ({ method: 'PUT', path, size: 4096, payload: 'unsigned' })),
};

interface Beside {
  readonly work: string;
  /** Milliseconds, medians of the rounds. */
  readonly alone: number;
  readonly beside: number;
  readonly ratio: number;
}

interface SlowBesideResult {
  readonly name: string;
  readonly goal: number;
  readonly rows: readonly Beside[];
  readonly peakMebibytes: number;
  /** Whose answer had begun and still went on at the end, of how many. */
  readonly readersServed: number;
  readonly bytesRead: number;
}

/** What small requests wait longer beside 1,000 clients that read a large object slowly, and what is resident then. */
export async function benchBesideSlow(options: BenchOptions): Promise<SlowBesideResult> {
  const backend = await startBenchBackend(options);
  const [small, slow] = [new LoadGenerator(), new BenchProcess('load/slow-readers.ts')];
  try {
    const testbed = await startGateway(backend, { settings: { S3GW_LOG_LEVEL: 'error' } });
    try {
      const signer = new RequestSigner(testbed.bed);
      const setup = await signAll(signer, [
        { method: 'PUT', path: `/${BUCKET}` },
        { method: 'PUT', path: LARGE.path, size: 64 * MIB, payload: 'unsigned' },
        ...WORK['put-4k'],
      ]);
      await small.run({ port: signer.port, connections: 1, milliseconds: 0, requests: setup });
      const work: Work[] = [];
      for (const [name, requests] of Object.entries(WORK)) {
        work.push({ name, requests: await signAll(signer, requests) });
      }
      const heads = (await signAll(signer, [LARGE])).map(({ head }) => head);
      return await measure(
        { port: signer.port, pids: testbed.bed.pids, work, heads },
        { small, slow, backend },
        options,
      );
    } finally {
      await testbed.stop();
    }
  } finally {
    for (const child of [small, slow]) child.stop();
    await backend.stop();
  }
}

interface Work {
  readonly name: string;
  readonly requests: readonly WireRequest[];
}

interface Scene {
  readonly port: number;
  readonly pids: readonly number[];
  readonly work: readonly Work[];
  readonly heads: readonly string[];
}

interface Drivers {
  readonly small: LoadGenerator;
  readonly slow: BenchProcess;
  readonly backend: BenchBackend;
}

async function measure(
  { port, pids, work, heads }: Scene,
  { small, slow, backend }: Drivers,
  { rounds, seconds, latency }: BenchOptions,
): Promise<SlowBesideResult> {
  await backend.store.delay(latency);
  const milliseconds = seconds * 1000;
  const p99 = async ({ requests }: Work): Promise<number> =>
    (await small.run({ port, connections: CONNECTIONS, milliseconds, requests })).p99;
  const round = async (): Promise<number[]> => {
    const found: number[] = [];
    for (const each of work) found.push(await p99(each));
    return found;
  };
  await round();
  const [alone, beside]: [number[][], number[][]] = [[], []];
  for (let at = 0; at < rounds; at += 1) alone.push(await round());
  forgetPeak(pids);
  const during = SETTLE + rounds * work.length * (milliseconds + 500);
  const reading = slow.ask({
    port,
    readers: READERS,
    milliseconds: during,
    bytesPerSecond: BYTES_PER_SECOND,
    heads,
    arriveWithin: ARRIVE,
    addresses: ADDRESSES,
  });
  await new Promise((resolve) => setTimeout(resolve, SETTLE));
  for (let at = 0; at < rounds; at += 1) beside.push(await round());
  const read = (await reading) as SlowResult | { error: string };
  if ('error' in read) throw new Error(read.error);
  const rows = work.map(({ name }, at): Beside => {
    const [before, during99] = [alone, beside].map((all) => median(all.map((found) => found[at] ?? 0)));
    return { work: name, alone: before ?? 0, beside: during99 ?? 0, ratio: (during99 ?? 0) / (before ?? 1) };
  });
  return {
    name: `beside-${READERS}-slow`,
    goal: GOAL,
    rows,
    peakMebibytes: peakMebibytes(pids),
    readersServed: read.alive,
    bytesRead: read.bytes,
  };
}

/** A line for people for each kind of work, and one for the memory. */
export function besideSlowLines({ name, goal, rows, ...rest }: SlowBesideResult): string {
  const verdict = (ok: boolean): string => (ok ? 'met' : 'MISSED');
  const lines = rows.map(
    ({ work, alone, beside, ratio }) =>
      `${name}, ${work}: p99 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} beside: ${ratio.toFixed(1)} times, ` +
      `at most ${goal} wanted: ${verdict(ratio <= goal)}\n`,
  );
  const { peakMebibytes: peak, readersServed, bytesRead } = rest;
  return (
    lines.join('') +
    `${name}: ${peak.toFixed(0)} MiB at most, fewer than ${GOAL_MIB} wanted: ${verdict(peak < GOAL_MIB)}; ` +
    `${readersServed} of ${READERS} readers at a time took ${(bytesRead / 1e6).toFixed(0)} MB\n`
  );
}
