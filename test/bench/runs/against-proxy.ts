import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import type { RunningTestbed } from '../../support/gateway/testbed.ts';
import { type BenchBackend, startBenchBackend, startGateway } from '../servers/backend.ts';
import { GOALS, verdicts } from '../measuring/goals.ts';
import { ALL_CORES, measure, type Measured, type Stage, type Target } from '../measuring/measure.ts';
import type { BenchOptions } from '../options.ts';
import { type PeerServer, startPeers } from '../servers/peer-servers.ts';
import { BenchPeer } from '../servers/peers.ts';
import { BenchProcess, LoadGenerator, portOf } from '../servers/processes.ts';
import { summaryOf } from '../measuring/profile-summary.ts';
import { Profiler } from '../measuring/profiler.ts';
import type { Preparation } from '../load/prepared.ts';
import { rawRequests } from '../load/raw-requests.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import { beginUpload, ofUpload } from '../load/upload.ts';
import type { WireRequest } from '../load/wire-request.ts';
import { BARE_CONTAINER, BUCKETS, SETUP, type Work, WORKS } from '../load/work.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROFILED_MS = 3000;
/** Kept for profiles. */
const RESERVED_MS = 60_000;

/** What runs, to be stopped in the end. */
interface Running {
  readonly children: BenchProcess[];
  readonly peers: PeerServer[];
  testbed?: RunningTestbed;
}

/** The gateway, and the other S3 servers that were named, against a bare proxy: each work in alternating rounds. */
export async function benchAgainstProxy(options: BenchOptions): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const backend = await startBenchBackend(options);
  const running: Running = { children: [], peers: [] };
  try {
    const end = performance.now() + options.within * 60_000;
    const until = options.profile === undefined ? end : end - RESERVED_MS;
    const ready = await start({ backend, folder, running }, options);
    const results = await measureAll({ ...ready, until }, options);
    return options.profile === undefined ? results : await profiled(results, { ...ready, until: end }, options);
  } finally {
    await running.testbed?.stop();
    for (const peer of running.peers) await peer.stop();
    for (const child of running.children) child.stop();
    await backend.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Ready extends Omit<Stage, 'work' | 'signed' | 'peers'> {
  readonly signer: RequestSigner;
  readonly uploadId: string;
  readonly peers: readonly BenchPeer[];
  /** Where the gateway's inspector listens once it is asked to. */
  readonly inspectPort: number;
}

interface Place {
  readonly backend: BenchBackend;
  readonly folder: string;
  readonly running: Running;
}

async function start({ backend, folder, running }: Place, options: BenchOptions): Promise<Ready> {
  const { store, origin, caFile, wire } = backend;
  const load = new LoadGenerator();
  const bare = new BenchProcess('servers/bare-proxy.ts', origin, ...(caFile === undefined ? [] : [caFile]));
  running.children.push(load, bare);
  const barePort = await portOf(bare);
  const inspectPort = await freePort();
  const inspected = { settings: { NODE_OPTIONS: `--inspect-port=127.0.0.1:${inspectPort}` } };
  running.testbed = await startGateway(backend, options.profile === undefined ? {} : inspected);
  const { bed } = running.testbed;
  const signer = new RequestSigner(bed);
  const targets = { bare: { port: barePort, pids: [bare.pid] }, gateway: { port: signer.port, pids: bed.pids } };
  await setUp(signer, load, { targets, wire });
  const uploadId = await beginUpload(signer);
  if (!options.alone) {
    running.peers.push(...(await onAllCores(backend)));
    running.peers.push(...(await peersOf(options, { origin, folder, isNull: true })));
  }
  const given = options.peers.map((peer) => new BenchPeer({ ...peer, pids: [] }));
  const own = running.peers.map(({ endpoint, ...peer }) => {
    return new BenchPeer({ ...peer, port: Number(new URL(endpoint).port), region: 'us-east-1' });
  });
  const peers = [...given, ...own];
  for (const peer of peers) await peer.setUp(load);
  await store.delay(options.latency);
  return { signer, targets, load, backend: store, uploadId, peers, inspectPort };
}

/** The gateway once more, as it is by default: with a worker for each core. */
async function onAllCores(backend: BenchBackend): Promise<PeerServer[]> {
  const workers = availableParallelism();
  if (workers === 1) return [];
  const { bed, stop } = await startGateway(backend, { workers });
  const { accessKey = '', secretKey = '' } = bed.accounts[0] ?? {};
  return [{ name: ALL_CORES, endpoint: bed.endpoints[0] ?? '', accessKey, secretKey, pids: bed.pids, stop }];
}

/** They speak Azure's wire, in plain. */
async function peersOf({ programs, backend, backendTls }: BenchOptions, place: Parameters<typeof startPeers>[1]) {
  return backend === 'azure' && !backendTls ? startPeers(programs, place) : [];
}

async function measureAll(ready: Ready, options: BenchOptions): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const work of WORKS.filter(({ name }) => isWanted(name, options))) {
    try {
      if (performance.now() > (ready.until ?? Infinity)) throw new Error('there was no time left');
      const result = await measure(await stageOf(work, ready, options), options);
      results.push(result);
      if (!options.json) process.stderr.write(`${work.name} ${result.ratio.toFixed(2)}\n`);
    } catch (error) {
      // What was measured before is not lost, nor what comes.
      process.stderr.write(`!!! ${work.name} is missing: ${String(error).slice(0, 300)} !!!\n`);
      process.exitCode = 1;
    }
  }
  return results;
}

function isWanted(name: string, { only, goals }: BenchOptions): boolean {
  if (goals && GOALS[name] === undefined) return false;
  return only.length === 0 || only.some((part) => name.includes(part));
}

/** Signed anew for each work: a signature is good for fifteen minutes. */
async function stageOf(work: Work, ready: Ready, options: BenchOptions): Promise<Stage> {
  const { signer, uploadId, peers, ...stage } = ready;
  const goal = GOALS[work.name];
  const ofGateway = work.requests.map((request) => ofUpload(request, uploadId));
  const signed = {
    gateway: await signAll(signer, ofGateway),
    bare: await signAll(signer, rawRequests(work.bare ?? work.requests, options.backend)),
  };
  const prepare = async (preparation: Preparation): Promise<readonly WireRequest[]> =>
    signAll(signer, await preparation({ signer, load: stage.load, port: signer.port }));
  // What is used up would have to be made for each of them.
  const all = work.prepare === undefined ? await Promise.all(peers.map((peer) => peer.readyFor(work))) : [];
  return { ...stage, work, signed, peers: all, prepare, ...(goal !== undefined && { goal }) };
}

/** One round more of the rows that missed their goal, or of all that were asked for, with a profile of the gateway. */
async function profiled(results: readonly Measured[], ready: Ready, options: BenchOptions): Promise<Measured[]> {
  const { profile: folder = '.', only } = options;
  mkdirSync(folder, { recursive: true });
  const profiler = await Profiler.attach(ready.targets.gateway.pids[0] ?? 0, ready.inspectPort);
  const all: Measured[] = [];
  for (const result of results) {
    const isMet = result.goal === undefined || verdicts(result.goal, result).every((verdict) => verdict.isMet);
    const work = WORKS.find(({ name }) => name === result.name);
    const isLate = performance.now() > (ready.until ?? Infinity);
    if (work === undefined || isLate || (isMet && only.length === 0)) {
      all.push(result);
      continue;
    }
    const { signed, targets, load, prepare } = await stageOf(work, { ...ready, peers: [] }, options);
    // What is used up is sent once.
    const made = work.prepare === undefined ? undefined : await prepare?.(work.prepare);
    const milliseconds = made === undefined ? PROFILED_MS : 0;
    const { connections } = work;
    const job = { port: targets.gateway.port, connections, milliseconds, requests: made ?? signed.gateway };
    await profiler.start();
    await load.run(job);
    const found = await profiler.stop();
    writeFileSync(join(folder, `${work.name}.cpuprofile`), JSON.stringify(found));
    all.push({ ...result, profile: summaryOf(found, ROOT) });
  }
  profiler.close();
  return all;
}

async function setUp(
  signer: RequestSigner,
  load: LoadGenerator,
  { targets, wire }: { readonly targets: { bare: Target; gateway: Target }; readonly wire: BenchOptions['backend'] },
): Promise<void> {
  const buckets = await signAll(signer, BUCKETS);
  const raw = rawRequests([{ method: 'PUT', path: `/${BARE_CONTAINER}` }], wire);
  const container = await signAll(signer, raw);
  const once = { connections: 1, milliseconds: 0 };
  await load.run({ ...once, port: targets.gateway.port, requests: buckets });
  await load.run({ ...once, port: targets.bare.port, requests: container });
  await load.run({ ...once, connections: 8, port: targets.gateway.port, requests: await signAll(signer, SETUP) });
}
