import { type BenchBackend, startBenchBackend, startGateway } from '../servers/backend.ts';
import { median } from '../measuring/measure.ts';
import type { BenchOptions } from '../options.ts';
import { BenchProcess, LoadGenerator, portOf } from '../servers/processes.ts';
import { rawRequests } from '../load/raw-requests.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import type { S3Request } from '../load/sign.ts';
import type { WireRequest } from '../load/wire-request.ts';
import { BARE_CONTAINER, BUCKET } from '../load/work.ts';

const MIB = 1024 * 1024;
const SMALL = 64;
const CONNECTIONS = 32;
/** Half of them read, half write. */
const TRANSFERS = 64;
const BULK_SIZE = 16 * MIB;
/** p99 of small reads beside the transfers, in times of that without. */
const GOAL = 3;

const names = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const gets: readonly S3Request[] = names(SMALL).map((index) => ({ method: 'GET', path: `/${BUCKET}/small-${index}` }));
const bulkRead: S3Request = { method: 'GET', path: `/${BUCKET}/bulk` };
const bulk = (container: string): S3Request[] =>
  names(TRANSFERS).map((index) =>
    index % 2 === 0
      ? bulkRead
      : { method: 'PUT', path: `/${container}/bulk-${index}`, size: BULK_SIZE, payload: 'unsigned' },
  );
const SETUP: readonly S3Request[] = [
  { method: 'PUT', path: `/${BUCKET}` },
  ...gets.map(({ path }): S3Request => ({ method: 'PUT', path, size: 4096, payload: 'unsigned' })),
  { method: 'PUT', path: bulkRead.path, size: BULK_SIZE, payload: 'unsigned' },
];

/** Milliseconds, medians of the rounds. */
interface Delays {
  readonly alone: { readonly p50: number; readonly p99: number };
  readonly beside: { readonly p50: number; readonly p99: number };
  /** p99 beside to p99 alone, median of the rounds' own ratios. */
  readonly ratio: number;
  /** Bytes a second of the transfers, until the last of them was over. */
  readonly bulkRate: number;
}

interface FairResult {
  readonly name: string;
  readonly goal: number;
  readonly gateway: Delays;
  readonly bare: Delays;
}

interface Subject {
  readonly port: number;
  readonly gets: readonly WireRequest[];
  readonly bulk: readonly WireRequest[];
}

/** What small reads wait longer when 64 large transfers go on beside them: through the gateway, and the proxy. */
export async function benchFair(options: BenchOptions): Promise<FairResult> {
  const backend = await startBenchBackend(options);
  const [small, large] = [new LoadGenerator(), new LoadGenerator()];
  const bare = new BenchProcess(
    'servers/bare-proxy.ts',
    backend.origin,
    ...(backend.caFile === undefined ? [] : [backend.caFile]),
  );
  try {
    const barePort = await portOf(bare);
    const testbed = await startGateway(backend);
    try {
      const signer = new RequestSigner(testbed.bed);
      const raw = (requests: readonly S3Request[]): Promise<WireRequest[]> =>
        signAll(signer, rawRequests(requests, backend.wire));
      const once = { connections: 1, milliseconds: 0 };
      await small.run({ ...once, port: signer.port, requests: await signAll(signer, SETUP) });
      const container = await raw([{ method: 'PUT', path: `/${BARE_CONTAINER}` }]);
      await small.run({ ...once, port: barePort, requests: container });
      const subjects = {
        gateway: { port: signer.port, gets: await signAll(signer, gets), bulk: await signAll(signer, bulk(BUCKET)) },
        bare: { port: barePort, gets: await raw(gets), bulk: await raw(bulk(BARE_CONTAINER)) },
      };
      return await measureFair(subjects, { small, large, backend }, options);
    } finally {
      await testbed.stop();
    }
  } finally {
    for (const child of [small, large, bare]) child.stop();
    await backend.stop();
  }
}

interface Drivers {
  readonly small: LoadGenerator;
  readonly large: LoadGenerator;
  readonly backend: BenchBackend;
}

async function measureFair(
  subjects: Readonly<Record<'gateway' | 'bare', Subject>>,
  drivers: Drivers,
  options: BenchOptions,
): Promise<FairResult> {
  const rounds: Record<'gateway' | 'bare', Round[]> = { gateway: [], bare: [] };
  await drivers.backend.store.delay(options.latency);
  for (const side of ['bare', 'gateway'] as const) await fairRound(subjects[side], drivers, 1000);
  for (let round = 0; round < options.rounds; round += 1) {
    for (const side of round % 2 === 0 ? (['bare', 'gateway'] as const) : (['gateway', 'bare'] as const)) {
      rounds[side].push(await fairRound(subjects[side], drivers, options.seconds * 1000));
    }
  }
  return { name: 'fair-get-4k', goal: GOAL, gateway: delaysOf(rounds.gateway), bare: delaysOf(rounds.bare) };
}

type Round = Omit<Delays, 'ratio'>;

async function fairRound(
  { port, gets: requests, bulk: transfers }: Subject,
  drivers: Drivers,
  milliseconds: number,
): Promise<Round> {
  const { small, large } = drivers;
  const job = { port, connections: CONNECTIONS, milliseconds, requests };
  const alone = await small.run(job);
  // All connections have a transfer for as long as small reads are counted.
  const moving = large.run({ port, connections: TRANSFERS, milliseconds: milliseconds + 500, requests: transfers });
  const beside = await small.run(job);
  const moved = await moving;
  return { alone, beside, bulkRate: (moved.requests * BULK_SIZE) / moved.seconds };
}

function delaysOf(rounds: readonly Round[]): Delays {
  const of = (side: 'alone' | 'beside', quantile: 'p50' | 'p99'): number =>
    median(rounds.map((round) => round[side][quantile]));
  return {
    alone: { p50: of('alone', 'p50'), p99: of('alone', 'p99') },
    beside: { p50: of('beside', 'p50'), p99: of('beside', 'p99') },
    ratio: median(rounds.map(({ alone, beside }) => beside.p99 / alone.p99)),
    bulkRate: median(rounds.map(({ bulkRate }) => bulkRate)),
  };
}

/** A line for people for each side. */
export function fairLines({ name, goal, gateway, bare }: FairResult): string {
  const line = (who: string, { alone, beside, ratio, bulkRate }: Delays): string =>
    `${name}, ${who}: p99 ${alone.p99.toFixed(1)} ms alone, ${beside.p99.toFixed(1)} beside ${TRANSFERS} transfers: ` +
    `${ratio.toFixed(1)} times (p50 ${alone.p50.toFixed(1)} and ${beside.p50.toFixed(1)}; transfers ${(bulkRate / 1e6).toFixed(0)} MB/s)`;
  const verdict = gateway.ratio <= goal ? 'met' : 'MISSED';
  return `${line('gateway', gateway)}, at most ${goal} wanted: ${verdict}\n${line('bare proxy', bare)}\n`;
}
