import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../support/free-port.ts';
import { startBackend } from '../testbed/backend.ts';
import { type Replica, startReplica } from '../testbed/gateway-process.ts';
import { describeAccounts } from '../testbed/main.ts';
import { parseOptions } from '../testbed/options.ts';
import { findNginx, startNginx } from './nginx.ts';
import { Writer } from './writer.ts';

const USAGE = 'usage: npm run test:replicas -- [--seconds N] [--workers N] [--hold]';
const REPLICAS = 3;
const WRITERS = 6;
const PAUSE_MS = 1500;

/** One replica at a port of its own, which comes back there after each end. */
interface Place {
  readonly port: number;
  replica: Replica;
}

/**
 * Three replicas over one Azurite, behind nginx that deals requests out in turn. One of them is told to stop, and is
 * started again, all the time, while clients of the AWS SDK write, read and list. `--hold`: all stay up, and nothing is
 * written, until Ctrl-C: for clients of one's own.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seconds: { type: 'string', default: '30' },
      workers: { type: 'string', default: '1' },
      hold: { type: 'boolean', default: false },
    },
  });
  const nginx = findNginx();
  if (nginx === undefined) {
    process.stderr.write(`test:replicas needs nginx (Debian: apt-get install nginx-light)\n${USAGE}\n`);
    process.exitCode = 1;
    return;
  }
  const backend = await startBackend(parseOptions([]));
  const places: Place[] = [];
  try {
    const start = (port: number): Promise<Replica> =>
      startReplica(
        { ...backend.settings, S3GW_LISTENERS: JSON.stringify([{ host: '127.0.0.1', port }]) },
        Number(values.workers),
      );
    for (let index = 0; index < REPLICAS; index += 1) {
      const port = await freePort();
      places.push({ port, replica: await start(port) });
    }
    const front = await startNginx(
      nginx,
      await freePort(),
      places.map(({ port }) => `http://127.0.0.1:${port}`),
    );
    try {
      if (values.hold) {
        await hold(front.endpoint);
      } else {
        process.exitCode = (await run({ endpoint: front.endpoint, places, start, seconds: Number(values.seconds) }))
          ? 0
          : 1;
      }
    } finally {
      await front.stop();
    }
  } finally {
    await Promise.all(places.map(({ replica }) => replica.stop()));
    await backend.stop();
  }
}

async function hold(endpoint: string): Promise<void> {
  process.stdout.write(`${JSON.stringify({ endpoint, ...describeAccounts() })}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

interface Stage {
  readonly endpoint: string;
  readonly places: readonly Place[];
  readonly start: (port: number) => Promise<Replica>;
  readonly seconds: number;
}

/** @returns whether every request succeeded, and nothing that was acknowledged is gone */
async function run({ endpoint, places, start, seconds }: Stage): Promise<boolean> {
  const s3 = createClient(endpoint);
  const [plain, versioned] = [`plain-${randomBytes(4).toString('hex')}`, `versions-${randomBytes(4).toString('hex')}`];
  for (const bucket of [plain, versioned]) await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  await s3.send(new PutBucketVersioningCommand({ Bucket: versioned, VersioningConfiguration: { Status: 'Enabled' } }));

  const until = Date.now() + seconds * 1000;
  const writers = Array.from(
    { length: WRITERS },
    (_, index) => new Writer(s3, index % 2 === 0 ? plain : versioned, `writer-${index}`),
  );
  const [restarts] = await Promise.all([
    restartInTurn(places, start, until),
    ...writers.map((writer) => writer.run(until)),
  ]);
  await Promise.all(writers.map((writer, index) => writer.verify(index % 2 === 1)));
  s3.destroy();
  return report(writers, restarts);
}

/**
 * The SDK as it comes: three attempts. The one that finds its kept connection closed, and the one that meets a replica
 * on its way out, leave one more.
 */
function createClient(endpoint: string): S3Client {
  const { region, accounts } = describeAccounts();
  const [{ accessKey, secretKey } = { accessKey: undefined, secretKey: undefined }] = accounts;
  if (accessKey === undefined || secretKey === undefined) throw new Error('the test bed has no account');
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  });
}

async function restartInTurn(places: readonly Place[], start: Stage['start'], until: number): Promise<number> {
  let restarts = 0;
  while (Date.now() < until) {
    const place = places[restarts % places.length];
    if (place === undefined) break;
    await place.replica.stop();
    await sleep(PAUSE_MS);
    place.replica = await start(place.port);
    await sleep(PAUSE_MS);
    restarts += 1;
  }
  return restarts;
}

function report(writers: readonly Writer[], restarts: number): boolean {
  const total: Record<string, number> = {};
  for (const { counts } of writers) {
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
  }
  const failures = writers.flatMap((writer) => writer.failures);
  const requests = Object.values(total).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${requests} operations (${Object.entries(total)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}), ${restarts} restarts, ${failures.length} failures\n`,
  );
  for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`);
  return failures.length === 0 && requests > 0 && restarts > 0;
}
