import type { Goal } from './goals.ts';
import type { LoadResult } from '../load/load.ts';
import type { BenchOptions } from '../options.ts';
import type { ProfileSummary } from './profile-summary.ts';
import { cpuSeconds, forgetPeak, idleSeconds, peakMebibytes } from '../servers/processes.ts';
import type { LoadGenerator, NullBackend } from '../servers/processes.ts';
import { type Preparation, settled } from '../load/prepared.ts';
import type { WireRequest } from '../load/wire-request.ts';
import type { Work } from '../load/work.ts';

/** A server under load. */
export interface Target {
  readonly port: number;
  readonly pids: readonly number[];
}

export interface Side {
  /** Requests per second; median of the rounds. */
  readonly rate: number;
  /** Seconds of CPU per request, over all rounds: the kernel counts in hundredths of a second. */
  readonly cpu: number;
  readonly backendCalls: number;
  /** Milliseconds; median of the rounds. */
  readonly p50: number;
  readonly p99: number;
  /** MiB, over all rounds of this work. */
  readonly peak: number;
  readonly cores: Cores;
}

/** Cores that were busy with it, or with nothing, on the mean of all rounds. */
interface Cores {
  /** The server's processes. */
  readonly own: number;
  /** Load generator and null backend. */
  readonly drivers: number;
  readonly idle: number;
}

export interface Measured {
  readonly name: string;
  readonly connections: number;
  readonly bytes?: number;
  readonly goal?: Goal;
  /** Median of the rounds' own ratios, gateway to bare proxy. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  readonly gateway: Side;
  readonly bare: Side;
  readonly peers?: readonly PeerResult[];
  /** There was time for no more rounds. */
  readonly cutShort?: boolean;
  /** Why the ratio says nothing about the goal. */
  readonly noVerdict?: string;
  /** Where the gateway's time went, in one round more. */
  readonly profile?: ProfileSummary;
}

/** The name of the gateway with a worker for each core among the peers. */
export const ALL_CORES = 'all-cores';

/** Another S3 server, measured in the same rounds. */
export interface Peer {
  readonly name: string;
  readonly port: number;
  readonly signed: readonly WireRequest[];
  /** Empty: not known. */
  readonly pids: readonly number[];
}

/** What became of it; a peer that refuses a work says why. */
export type PeerResult =
  | ({ readonly name: string; readonly ratio: number } & Pick<Side, 'rate' | 'cpu' | 'p99' | 'peak'>)
  | { readonly name: string; readonly error: string };

export interface Stage {
  readonly work: Work;
  readonly goal?: Goal;
  /** Of `performance.now()`: no round but the first is begun after it. */
  readonly until?: number;
  readonly signed: Readonly<Record<'bare' | 'gateway', readonly WireRequest[]>>;
  readonly targets: Readonly<Record<'bare' | 'gateway', Target>>;
  readonly peers?: readonly Peer[];
  /** Signed requests of a turn of the gateway, for works that use up what they find. */
  readonly prepare?: (preparation: Preparation) => Promise<readonly WireRequest[]>;
  readonly load: LoadGenerator;
  readonly backend: NullBackend;
}

/** Before each work, so that nothing is measured that the compiler has not seen yet. */
const WARM_UP_MS = 1000;
/** A peer's turns are shorter: it is there to be compared with, not to be decided about. */
const PEER_SHARE = 0.5;
/** A peer that needs longer for its last answers is as good as none. */
const PEER_PATIENCE_MS = 20_000;

interface Turn {
  readonly rate: number;
  readonly requests: number;
  readonly seconds: number;
  /** Seconds. */
  readonly cpu: number;
  readonly driversCpu: number;
  readonly idle: number;
  readonly backendCalls: number;
  readonly p50: number;
  readonly p99: number;
}

export async function measure(stage: Stage, { rounds, seconds }: BenchOptions): Promise<Measured> {
  const { work, goal } = stage;
  const milliseconds = seconds * 1000 * (work.longer ?? 1);
  const turns: { bare: Turn[]; gateway: Turn[] } = { bare: [], gateway: [] };
  const runs = (stage.peers ?? []).map((peer) => new PeerRun(peer, stage));
  for (const side of ['bare', 'gateway'] as const) {
    await turn(stage, side, WARM_UP_MS);
    forgetPeak(stage.targets[side].pids);
  }
  for (const run of runs) await run.turn(WARM_UP_MS * PEER_SHARE);
  for (const run of runs) run.forget();
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0 && performance.now() > (stage.until ?? Infinity)) break;
    const order = round % 2 === 0 ? (['bare', 'gateway'] as const) : (['gateway', 'bare'] as const);
    for (const side of order) turns[side].push(await turn(stage, side, milliseconds));
    for (const run of runs) await run.turn(milliseconds * PEER_SHARE);
  }
  const ratios = turns.gateway.map(({ rate }, round) => rate / (turns.bare[round]?.rate ?? Number.NaN));
  const { name, connections, bytes } = work;
  return {
    name,
    connections,
    ...(bytes === undefined ? {} : { bytes }),
    ...(goal === undefined ? {} : { goal }),
    ratio: median(ratios),
    ratios,
    ...(ratios.length < rounds && { cutShort: true }),
    gateway: summary(turns.gateway, stage.targets.gateway),
    bare: summary(turns.bare, stage.targets.bare),
    ...(runs.length > 0 && { peers: runs.map((run) => run.result(turns.bare)) }),
  };
}

/** The rounds of a peer. One that refuses a request is asked no more. */
class PeerRun {
  readonly #peer: Peer;
  readonly #stage: Stage;
  #results: LoadResult[] = [];
  /** Seconds in all of these rounds. */
  #cpu = 0;
  #error: string | undefined;

  constructor(peer: Peer, stage: Stage) {
    this.#peer = peer;
    this.#stage = stage;
  }

  async turn(milliseconds: number): Promise<void> {
    if (this.#error !== undefined) return;
    const { work, load } = this.#stage;
    const { port, pids, signed: requests } = this.#peer;
    const { connections } = work;
    try {
      const before = cpuSeconds(pids);
      this.#results.push(await load.run({ port, connections, milliseconds, requests, patience: PEER_PATIENCE_MS }));
      this.#cpu += cpuSeconds(pids) - before;
    } catch (error) {
      this.#error = String(error).slice(0, 300);
    }
  }

  forget(): void {
    this.#results = [];
    this.#cpu = 0;
    forgetPeak(this.#peer.pids);
  }

  result(bare: readonly Turn[]): PeerResult {
    const { name } = this.#peer;
    if (this.#error !== undefined) return { name, error: this.#error };
    const rates = this.#results.map(({ requests, seconds }) => requests / seconds);
    return {
      name,
      ratio: median(rates.map((rate, round) => rate / (bare[round]?.rate ?? Number.NaN))),
      rate: median(rates),
      cpu: this.#cpu / sum(this.#results.map(({ requests }) => requests)),
      p99: median(this.#results.map(({ p99 }) => p99)),
      peak: peakMebibytes(this.#peer.pids),
    };
  }
}

async function turn(
  { work, signed, targets, load, backend, prepare }: Stage,
  side: 'bare' | 'gateway',
  milliseconds: number,
): Promise<Turn> {
  const { port, pids } = targets[side];
  const prepared = side === 'gateway' && work.prepare !== undefined ? await prepare?.(work.prepare) : undefined;
  if (prepared !== undefined) await settled(backend);
  const callsBefore = await backend.calls();
  const drivers = [load.pid, backend.pid];
  const before = { cpu: cpuSeconds(pids), drivers: cpuSeconds(drivers), idle: idleSeconds() };
  const { requests, seconds, p50, p99 } = await load.run({
    port,
    connections: work.connections,
    milliseconds: prepared === undefined ? milliseconds : 0,
    requests: prepared ?? signed[side],
  });
  if (prepared !== undefined) await settled(backend);
  return {
    rate: requests / seconds,
    requests,
    seconds,
    cpu: cpuSeconds(pids) - before.cpu,
    driversCpu: cpuSeconds(drivers) - before.drivers,
    idle: idleSeconds() - before.idle,
    backendCalls: ((await backend.calls()) - callsBefore) / requests,
    p50,
    p99,
  };
}

/** One result of several of the same work, each with processes of its own. */
export function combined(results: readonly [Measured, ...Measured[]]): Measured {
  const ratios = results.flatMap((result) => result.ratios);
  const side = (name: 'gateway' | 'bare'): Side => ({
    rate: median(results.map((result) => result[name].rate)),
    cpu: median(results.map((result) => result[name].cpu)),
    backendCalls: median(results.map((result) => result[name].backendCalls)),
    p50: median(results.map((result) => result[name].p50)),
    p99: median(results.map((result) => result[name].p99)),
    peak: Math.max(...results.map((result) => result[name].peak)),
    cores: {
      own: median(results.map((result) => result[name].cores.own)),
      drivers: median(results.map((result) => result[name].cores.drivers)),
      idle: median(results.map((result) => result[name].cores.idle)),
    },
  });
  return {
    ...results[0],
    ratio: median(results.map(({ ratio }) => ratio)),
    ratios,
    gateway: side('gateway'),
    bare: side('bare'),
  };
}

function summary(turns: readonly Turn[], { pids }: Target): Side {
  return {
    rate: median(turns.map(({ rate }) => rate)),
    cpu: sum(turns.map(({ cpu }) => cpu)) / sum(turns.map(({ requests }) => requests)),
    backendCalls: median(turns.map(({ backendCalls }) => backendCalls)),
    p50: median(turns.map(({ p50 }) => p50)),
    p99: median(turns.map(({ p99 }) => p99)),
    peak: peakMebibytes(pids),
    cores: {
      own: sum(turns.map(({ cpu }) => cpu)) / sum(turns.map(({ seconds }) => seconds)),
      drivers: sum(turns.map(({ driversCpu }) => driversCpu)) / sum(turns.map(({ seconds }) => seconds)),
      idle: sum(turns.map(({ idle }) => idle)) / sum(turns.map(({ seconds }) => seconds)),
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
