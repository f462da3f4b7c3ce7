import { startBenchBackend, startGateway } from './backend.ts';
import type { LoadResult } from './load.ts';
import type { BenchOptions } from './options.ts';
import { BenchProcess, forgetPeak, LoadGenerator, peakMebibytes } from './processes.ts';
import { RequestSigner, signAll } from './sign.ts';
import type { S3Request } from './sign.ts';
import type { SlowResult } from './slow-readers.ts';
import { BUCKET } from './work.ts';

const MIB = 1024 * 1024;
const READERS = 512;
const WRITERS = 256;
/** So slow that a reader of 64 MiB is not done by the end of any run. */
const BYTES_PER_SECOND = 64 * 1024;
const GOAL_MIB = 400;

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
  /** The same after the start, a warm-up of one reader and writer behind it. */
  readonly beforeMebibytes: number;
  readonly readersAlive: number;
  readonly bytesRead: number;
  readonly uploads: number;
}

/** What 512 slow readers and 256 writers at once keep resident in one process. */
export async function benchMemory(options: BenchOptions): Promise<MemoryResult> {
  const backend = await startBenchBackend(options);
  const [load, slow] = [new LoadGenerator(), new BenchProcess('slow-readers.ts')];
  try {
    const testbed = await startGateway(backend);
    try {
      const { pids } = testbed.bed;
      const signer = new RequestSigner(testbed.bed);
      const { port } = signer;
      const buckets: readonly S3Request[] = [{ method: 'PUT', path: `/${BUCKET}` }];
      const warm = [...buckets, { method: 'PUT', path: READ.path, size: 64 * MIB }, READ];
      await load.run({ connections: 1, milliseconds: 0, port, requests: await signAll(signer, warm) });
      await backend.store.delay(options.latency);
      forgetPeak(pids);
      const beforeMebibytes = peakMebibytes(pids);
      const milliseconds = options.seconds * 1000;
      const heads = (await signAll(signer, [READ])).map(({ head }) => head);
      const reading = slow.ask({ port, readers: READERS, milliseconds, bytesPerSecond: BYTES_PER_SECOND, heads });
      const requests = await signAll(signer, WRITTEN);
      const written: LoadResult = await load.run({ connections: WRITERS, milliseconds, port, requests });
      const read = (await reading) as SlowResult | { error: string };
      if ('error' in read) throw new Error(read.error);
      return {
        name: `mem-${READERS}-${WRITERS}`,
        goalMebibytes: GOAL_MIB,
        peakMebibytes: peakMebibytes(pids),
        beforeMebibytes,
        readersAlive: read.alive,
        bytesRead: read.bytes,
        uploads: written.requests,
      };
    } finally {
      await testbed.stop();
    }
  } finally {
    load.stop();
    slow.stop();
    await backend.stop();
  }
}

/** One line for people; readers that were cut off are no proof of anything, and are told. */
export function memoryLine(result: MemoryResult): string {
  const { name, goalMebibytes, peakMebibytes: peak, beforeMebibytes, readersAlive, bytesRead, uploads } = result;
  const isWhole = readersAlive === READERS && uploads >= WRITERS;
  const verdict = !isWhole ? 'NOT ALL WERE SERVED' : peak < goalMebibytes ? 'met' : 'MISSED';
  return (
    `${name}: ${peak.toFixed(0)} MiB resident at most, below ${goalMebibytes} wanted: ${verdict} (before ${beforeMebibytes.toFixed(0)}; ` +
    `${readersAlive} readers took ${(bytesRead / 1e6).toFixed(0)} MB, ${uploads} uploads of 16 MiB)\n`
  );
}
