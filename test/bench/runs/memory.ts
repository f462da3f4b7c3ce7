import type { RunningTestbed } from '../../support/gateway/testbed.ts';
import { type BenchBackend, startBenchBackend, startGateway } from '../servers/backend.ts';
import type { BenchOptions } from '../options.ts';
import { BenchProcess, forgetPeak, LoadGenerator, peakMebibytes } from '../servers/processes.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import type { S3Request } from '../load/sign.ts';
import type { SlowResult } from '../load/slow-readers.ts';
import { BUCKET } from '../load/work.ts';

const MIB = 1024 * 1024;
const READERS = 1000;
const WRITERS = 256;
/** So slow that a reader of 64 MiB is not done by the end of any run. */
const BYTES_PER_SECOND = 64 * 1024;
const GOAL_MIB = 350;

const READ: S3Request = { method: 'GET', path: `/${BUCKET}/64m` };
/** Half of them as they are, half in chunks with a checksum behind. */
const WRITTEN: readonly S3Request[] = Array.from({ length: WRITERS }, (_, index) => ({
  method: 'PUT',
  path: `/${BUCKET}/written-${index}`,
  size: 16 * MIB,
  payload: index % 2 === 0 ? 'unsigned' : 'crc32-trailer',
}));

interface MemoryResult {
  readonly name: string;
  readonly goalMebibytes: number;
  /** The most that was resident while all of them were there. */
  readonly peakMebibytes: number;
  /** The same before they came, one reader and one upload behind it. */
  readonly beforeMebibytes: number;
  /** Whose answer had begun and still went on at the end. */
  readonly readersServed: number;
  /** The others, by the first line of their answer: empty while they waited. */
  readonly otherReaders: SlowResult['others'];
  readonly bytesRead: number;
  readonly uploads: number;
}

/** What 1,000 slow readers and 256 writers at once keep resident in one process. */
export async function benchMemory(options: BenchOptions): Promise<MemoryResult> {
  const backend = await startBenchBackend(options);
  const [load, slow] = [new LoadGenerator(), new BenchProcess('load/slow-readers.ts')];
  try {
    // Clients that leave in the middle are what this is about: no line for each.
    const testbed = await startGateway(backend, { settings: { S3GW_LOG_LEVEL: 'error' } });
    try {
      return await measureMemory({ testbed, backend, load, slow }, options);
    } finally {
      await testbed.stop();
    }
  } finally {
    load.stop();
    slow.stop();
    await backend.stop();
  }
}

interface Scene {
  readonly testbed: RunningTestbed;
  readonly backend: BenchBackend;
  readonly load: LoadGenerator;
  readonly slow: BenchProcess;
}

async function measureMemory(
  { testbed, backend, load, slow }: Scene,
  { seconds, latency }: BenchOptions,
): Promise<MemoryResult> {
  const { pids } = testbed.bed;
  const signer = new RequestSigner(testbed.bed);
  const { port } = signer;
  const warm: readonly S3Request[] = [
    { method: 'PUT', path: `/${BUCKET}` },
    { method: 'PUT', path: READ.path, size: 64 * MIB },
    READ,
  ];
  await backend.store.delay(0);
  await load.run({ connections: 1, milliseconds: 0, port, requests: await signAll(signer, warm) });
  await backend.store.delay(latency);
  const [heads, requests] = [(await signAll(signer, [READ])).map(({ head }) => head), await signAll(signer, WRITTEN)];
  forgetPeak(pids);
  const beforeMebibytes = peakMebibytes(pids);
  const milliseconds = seconds * 1000;
  const reading = slow.ask({ port, readers: READERS, milliseconds, bytesPerSecond: BYTES_PER_SECOND, heads });
  const written = await load.run({ connections: WRITERS, milliseconds, port, requests });
  const read = (await reading) as SlowResult | { error: string };
  if ('error' in read) throw new Error(read.error);
  return {
    name: `mem-${READERS}-${WRITERS}`,
    goalMebibytes: GOAL_MIB,
    peakMebibytes: peakMebibytes(pids),
    beforeMebibytes,
    readersServed: read.alive,
    otherReaders: read.others,
    bytesRead: read.bytes,
    uploads: written.requests,
  };
}

/** A line for people. Where not all were written, or few read, nothing is proved, and that is told. */
export function memoryLine(result: MemoryResult): string {
  const { name, goalMebibytes, peakMebibytes: peak, beforeMebibytes, uploads } = result;
  const { readersServed, bytesRead } = result;
  const others = Object.entries(result.otherReaders).map(
    ([line, count]) => `${count} ${line === '' ? 'waited' : line}`,
  );
  const verdict = uploads < WRITERS ? 'NOT ALL WERE WRITTEN' : peak < goalMebibytes ? 'met' : 'MISSED';
  return (
    `${name}: ${peak.toFixed(0)} MiB at most, fewer than ${goalMebibytes} wanted: ${verdict} ` +
    `(${beforeMebibytes.toFixed(0)} before; ${readersServed} readers at a time took ${(bytesRead / 1e6).toFixed(0)} MB, ` +
    others.map((other) => `${other}, `).join('') +
    `${uploads} uploads of 16 MiB)\n`
  );
}
