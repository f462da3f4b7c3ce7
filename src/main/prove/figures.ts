import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Call } from '../../observe/call.ts';
import type { BlobRef, BlobStore } from '../../store/blob-store.ts';
import { readAll } from '../../streams/bytes.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { S3Client } from './s3-client.ts';

/** One thing that was measured, in the unit of the row. */
export interface Figure {
  readonly what: string;
  readonly count: number;
  readonly unit: 'ms' | 'MiB/s';
  readonly median: number;
  /** Nine of ten were no slower; absent where one value was taken. */
  readonly p90?: number;
}

interface Measured {
  readonly store: BlobStore;
  readonly container: string;
  readonly client: S3Client;
  readonly bucket: string;
  /** How often each round trip is measured. */
  readonly calls: number;
  readonly call: Call;
}

const SMALL = randomBytes(1024);
const LARGE = randomBytes(16 * 1024 * 1024);
const LARGE_OBJECTS = 8;
const AT_ONCE = 4;
const MIB = 1024 * 1024;

/** Round trips of the account by itself and through the gateway, one at a time, then throughput with four at a time. */
export async function measure(measured: Measured): Promise<Figure[]> {
  const { calls, client, bucket } = measured;
  const ok = async (method: string, key: string, body?: Buffer): Promise<void> => {
    const { status } = await client.send(method, key === '' ? `/${bucket}` : `/${bucket}/${key}`, {
      ...(body && { body }),
    });
    if (status >= 300) throw new Error(`${method} was answered ${status}`);
  };
  await ok('PUT', '');
  const trips: readonly (readonly [what: string, run: (index: number) => Promise<unknown>])[] = [
    ...tripsOf(measured),
    ['PutObject of 1 KiB, through the gateway', (index) => ok('PUT', `small/${index}`, SMALL)],
    ['GetObject of 1 KiB, through the gateway', (index) => ok('GET', `small/${index}`)],
    ['HeadObject, through the gateway', (index) => ok('HEAD', `small/${index}`)],
    ['ListObjectsV2, through the gateway', () => ok('GET', '')],
  ];
  const figures: Figure[] = [];
  for (const [what, run] of trips) figures.push(await roundTrips(what, calls, run));
  const large = Array.from({ length: LARGE_OBJECTS }, (_, index) => `large/${index}`);
  figures.push(await throughput('PutObject of 16 MiB, four at a time', large, (key) => ok('PUT', key, LARGE)));
  figures.push(await throughput('GetObject of 16 MiB, four at a time', large, (key) => ok('GET', key)));
  return figures;
}

function tripsOf({ store, container, call }: Measured): (readonly [string, (index: number) => Promise<unknown>])[] {
  const ref = (index: number): BlobRef => ({ container, name: `figures/${index}` });
  return [
    ['write of 1 KiB, the cloud alone', (index) => store.write(ref(index), SMALL, { metadata: {} }, call)],
    ['read of 1 KiB, the cloud alone', async (index) => readAll((await store.read(ref(index), {}, call)).body)],
    ['properties, the cloud alone', (index) => store.head(ref(index), call)],
    ['listing, the cloud alone', () => store.list(container, { prefix: 'figures/', limit: 100 }, call)],
  ];
}

async function roundTrips(what: string, count: number, run: (index: number) => Promise<unknown>): Promise<Figure> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    await run(index);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => rounded(times[Math.min(count - 1, Math.floor(count * share))] ?? 0);
  return { what, count, unit: 'ms', median: at(0.5), p90: at(0.9) };
}

async function throughput(what: string, keys: readonly string[], run: (key: string) => Promise<void>): Promise<Figure> {
  const began = performance.now();
  await mapConcurrent(keys, AT_ONCE, run);
  const seconds = (performance.now() - began) / 1000;
  return { what, count: keys.length, unit: 'MiB/s', median: rounded((keys.length * LARGE.length) / MIB / seconds) };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
