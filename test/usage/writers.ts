import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { startTestbedWith, type Testbed } from '../support/gateway/testbed.ts';

const BUCKET = 'limited';
const OBJECT_BYTES = 16 * 1024;
/** As many objects as fit; many more than are written within the time of the bound. */
const OBJECTS = 1500;
const EXCHANGE_MS = 1000;
/** Writers go on for so long after the first refusal: then each process has told the other, and asked again. */
const ON_MS = 3 * EXCHANGE_MS;
/** The run ends then in any case. */
const LIMIT_MS = 120_000;

interface Written {
  readonly replica: number;
  readonly begun: number;
  readonly ended: number;
}

interface Outcome {
  readonly lines: readonly string[];
  readonly holds: boolean;
}

/**
 * Clients on two gateway processes write into one bucket until its quota is used up. It may be exceeded by what the
 * other process had under way when the last write was let in, and by what it had finished within twice the time of
 * exchange before: that is what a process cannot know.
 */
export async function writersRun(backend: string, writers: number): Promise<Outcome> {
  const quota = [{ pattern: BUCKET, bytes: OBJECTS * OBJECT_BYTES }];
  const settings = { S3GW_QUOTAS__BUCKETS: JSON.stringify(quota), S3GW_QUOTAS__EXCHANGE_MS: String(EXCHANGE_MS) };
  const bed = await startTestbedWith(settings, '--backend', backend, '--replicas', '2');
  const clients = clientsOf(bed.bed);
  try {
    await clients[0]?.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const { written, refused } = await writeAll(clients, writers);
    const stored = await storedObjects(clients[0]);
    const bound = unknownToTheLast(written);
    const excess = stored - OBJECTS;
    const perSecond =
      written.length /
      ((Math.max(...written.map(({ ended }) => ended)) - Math.min(...written.map(({ begun }) => begun))) / 1000);
    return {
      holds: refused > 0 && excess >= 0 && excess <= bound && stored === written.length,
      lines: [
        `${String(writers)} writers, quota ${String(OBJECTS)} objects' bytes, exchange every ${String(EXCHANGE_MS)} ms, ${perSecond.toFixed(0)} writes a second`,
        `stored ${String(stored)}, acknowledged ${String(written.length)}, refused ${String(refused)}`,
        `exceeded by ${String(excess)}; the bound allows ${String(bound)}`,
      ],
    };
  } finally {
    for (const client of clients) client.destroy();
    await bed.stop();
  }
}

function clientsOf({ endpoints, accounts, region }: Testbed): S3Client[] {
  const [account] = accounts;
  if (account === undefined) throw new Error('the test bed has no account');
  const credentials = { accessKeyId: account.accessKey, secretAccessKey: account.secretKey };
  return endpoints.map(
    (endpoint) => new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 }),
  );
}

async function writeAll(
  clients: readonly S3Client[],
  writers: number,
): Promise<{ readonly written: readonly Written[]; readonly refused: number }> {
  const body = Buffer.alloc(OBJECT_BYTES, 'x');
  const written: Written[] = [];
  let refused = 0;
  let until = performance.now() + LIMIT_MS;
  const write = async (writer: number): Promise<void> => {
    const replica = writer % clients.length;
    for (let count = 0; performance.now() < until; count += 1) {
      const begun = performance.now();
      const request = { Bucket: BUCKET, Key: `${String(writer)}/${String(count)}`, Body: body };
      try {
        await clients[replica]?.send(new PutObjectCommand(request));
        written.push({ replica, begun, ended: performance.now() });
      } catch (error) {
        if (!(error instanceof S3ServiceException) || error.name !== 'QuotaExceeded') throw error;
        if (refused === 0) until = performance.now() + ON_MS;
        refused += 1;
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return { written, refused };
}

/** Objects that the other process had under way when the last write was let in, or had finished just before. */
function unknownToTheLast(written: readonly Written[]): number {
  const last = written.reduce((a, b) => (b.begun > a.begun ? b : a));
  return written.filter(({ replica, ended }) => replica !== last.replica && ended > last.begun - 2 * EXCHANGE_MS)
    .length;
}

async function storedObjects(client: S3Client | undefined): Promise<number> {
  let stored = 0;
  let token: string | undefined;
  do {
    const page = await client?.send(new ListObjectsV2Command({ Bucket: BUCKET, ContinuationToken: token }));
    stored += page?.KeyCount ?? 0;
    token = page?.NextContinuationToken;
  } while (token !== undefined);
  return stored;
}
