import { cpus } from 'node:os';
import type { RunningTestbed } from '../support/testbed.ts';
import { startBenchBackend, startGateway } from './backend.ts';
import { benchFair, fairLines } from './fair.ts';
import { benchMemory, memoryLines } from './memory.ts';
import { measure } from './measure.ts';
import type { Measured, Stage, Target } from './measure.ts';
import { parseOptions, USAGE } from './options.ts';
import { benchObserved } from './observed.ts';
import type { BenchOptions } from './options.ts';
import { benchPolicies } from './policies.ts';
import { BenchProcess, LoadGenerator, portOf } from './processes.ts';
import { rawRequests } from './raw-requests.ts';
import { table } from './report.ts';
import { runBench } from './run-bench.ts';
import { BenchPeer } from './peers.ts';
import { RequestSigner, signAll } from './sign.ts';
import { beginUpload, ofUpload } from './upload.ts';
import { benchWorkers } from './workers.ts';
import { BARE_CONTAINER, BUCKETS, SETUP, WORKS } from './work.ts';

export function main(argv: readonly string[]): Promise<void> {
  return runBench({ parse: () => parseOptions(argv), usage: USAGE }, async (options) => {
    process.stdout.write(await measuredText(options));
  });
}

async function measuredText(options: BenchOptions): Promise<string> {
  if (options.memory) return memoryText(options);
  if (options.fair) return fairText(options);
  const results = await benchOf(options);
  if (!options.json) return table(results, sidesOf(options));
  const { rounds, seconds } = options;
  const about = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length, rounds, seconds };
  return `${JSON.stringify({ ...about, results }, null, 2)}\n`;
}

async function memoryText(options: BenchOptions): Promise<string> {
  const found = await benchMemory(options);
  return options.json ? `${JSON.stringify(found, null, 2)}\n` : memoryLines(found);
}

async function fairText(options: BenchOptions): Promise<string> {
  const found = await benchFair(options);
  return options.json ? `${JSON.stringify(found, null, 2)}\n` : fairLines(found);
}

function benchOf(options: BenchOptions): Promise<Measured[]> {
  if (options.policies) return benchPolicies(options);
  if (options.workers > 1) return benchWorkers(options);
  return options.observed ? benchObserved(options) : bench(options);
}

function sidesOf({ observed, policies, workers }: BenchOptions): Parameters<typeof table>[1] {
  if (workers > 1) return { gateway: `${workers} workers`, other: 'one worker' };
  if (policies) return { gateway: '20 statements', other: 'no policy' };
  return observed ? { gateway: 'observed', other: 'unobserved' } : undefined;
}

async function bench(options: BenchOptions): Promise<Measured[]> {
  const backend = await startBenchBackend(options);
  const { store, origin, caFile } = backend;
  const load = new LoadGenerator();
  const children: BenchProcess[] = [load];
  let testbed: RunningTestbed | undefined;
  try {
    const bare = new BenchProcess('bare-proxy.ts', origin, ...(caFile === undefined ? [] : [caFile]));
    children.push(bare);
    const barePort = await portOf(bare);
    testbed = await startGateway(backend);
    const signer = new RequestSigner(testbed.bed);
    const targets = {
      bare: { port: barePort, pids: [bare.pid] },
      gateway: { port: signer.port, pids: testbed.bed.pids },
    };
    await setUp(signer, load, { targets, wire: backend.wire });
    const uploadId = await beginUpload(signer);
    const peers = options.peers.map((peer) => new BenchPeer(peer));
    for (const peer of peers) await peer.setUp(load);
    await store.delay(options.latency);
    return await measureAll({ signer, targets, load, backend: store, uploadId, peers }, options);
  } finally {
    await testbed?.stop();
    for (const child of children) child.stop();
    await backend.stop();
  }
}

interface Ready extends Omit<Stage, 'work' | 'signed' | 'peers'> {
  readonly signer: RequestSigner;
  readonly uploadId: string;
  readonly peers: readonly BenchPeer[];
}

async function measureAll({ signer, uploadId, peers, ...stage }: Ready, options: BenchOptions): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const work of WORKS) {
    if (options.only.length > 0 && !options.only.some((name) => work.name.includes(name))) continue;
    const signed = {
      gateway: await signAll(
        signer,
        work.requests.map((request) => ofUpload(request, uploadId)),
      ),
      bare: await signAll(signer, rawRequests(work.bare ?? work.requests, options.backend)),
    };
    try {
      const result = await measure(
        { ...stage, work, signed, peers: await Promise.all(peers.map((peer) => peer.readyFor(work))) },
        options,
      );
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
