import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  CreateBucketCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { BadNetwork } from '../histories/bad-network.ts';
import { Fleet } from '../histories/fleet.ts';
import { Random } from '../support/random.ts';
import { startBackend } from '../testbed/backend.ts';
import { describeAccounts } from '../testbed/main.ts';
import { parseOptions as testbedOptions } from '../testbed/options.ts';
import { StormClient } from './clients.ts';
import { type AskedChange, judge } from './judge.ts';
import { MortalReceiver } from './receiver.ts';

const BUCKETS = ['storm-plain', 'storm-versioned'] as const;
const ALL = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:ObjectTagging:*'] as const;
/** Requests of the run, longest time that one takes. */
const REQUEST_MS = 60_000;
/** No event for so long: none is to come. Longer than a claim, and than the longest pause of a sender. */
const SILENCE_MS = 90_000;
const MOST_LINES = 10;

interface Options {
  readonly backend: string;
  readonly changes: number;
  readonly clients: number;
  readonly killMs: number;
  readonly downMs: number;
  readonly seed: number;
}

function parseOptions(argv: readonly string[]): Options {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      backend: number,
      changes: number,
      clients: number,
      'kill-seconds': number,
      'down-seconds': number,
      seed: number,
    },
  });
  const seed = Number(values.seed ?? 1 + Math.floor(Math.random() * 1_000_000));
  const killMs = Number(values['kill-seconds'] ?? 5) * 1000;
  const downMs = Number(values['down-seconds'] ?? 20) * 1000;
  const { backend = 'azure', changes = 10_000, clients = 12 } = values;
  return { backend, changes: Number(changes), clients: Number(clients), killMs, downMs, seed };
}

/**
 * Changes of all kinds through two gateway processes that are killed every few seconds, over a network that loses
 * answers, while the receiver of their events dies now and then. In the end each acknowledged change must have been
 * told, no other, and those of a key in order.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv);
  const random = new Random(options.seed);
  const network = new BadNetwork(random);
  const receiver = new MortalReceiver(random);
  const url = await receiver.start();
  const backend = await startBackend({ ...testbedOptions(['--backend', options.backend]), plan: network.plan });
  try {
    const events = { pollMs: 200, targets: [{ name: 'hook', kind: 'webhook', url }] };
    const settings = { ...backend.settings, S3GW_EVENTS: JSON.stringify(events), S3GW_LOG_LEVEL: 'error' };
    const fleet = await Fleet.start({ replicas: 2, settings });
    const clients = fleet.ports.map(clientOf);
    try {
      network.calm();
      await makeBuckets(clients);
      network.resume();
      const asked = await storm({ options, random, fleet, clients, receiver });
      network.calm();
      await silence(receiver);
      print(`seed ${options.seed}: ${fleet.done['kill'] ?? 0} kills, ${receiver.downs} deaths of the receiver`);
      print(`faults: ${JSON.stringify(network.met)}`);
      process.exitCode = report(asked, receiver) ? 0 : 1;
    } finally {
      for (const client of clients) client.destroy();
      await fleet.stop();
    }
  } finally {
    await backend.stop();
    receiver.stop();
  }
}

interface Stage {
  readonly options: Options;
  readonly random: Random;
  readonly fleet: Fleet;
  readonly clients: readonly S3Client[];
  readonly receiver: MortalReceiver;
}

async function storm({ options, random, fleet, clients, receiver }: Stage): Promise<readonly AskedChange[]> {
  const enough = new AbortController();
  const { signal } = enough;
  const troubles = [receiver.die(options.downMs, signal), killAgain(fleet, random, options.killMs, signal)];
  const all = Array.from(
    { length: options.clients },
    (_, n) => new StormClient({ name: `c${n}`, clients, buckets: BUCKETS, random }),
  );
  let left = options.changes;
  await Promise.all(
    all.map(async (client) => {
      while (left-- > 0) {
        await client.change();
        if (left % 1000 === 0 && left > 0) print(`${left} changes to go, ${receiver.told.length} events taken`);
      }
    }),
  );
  enough.abort();
  await Promise.all(troubles);
  await fleet.quiet();
  return all.flatMap(({ asked }) => asked);
}

async function killAgain(fleet: Fleet, random: Random, ms: number, signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (!isOver()) await fleet.kill(random.below(fleet.ports.length));
  }
}

async function silence(receiver: MortalReceiver): Promise<void> {
  for (let told = -1; told !== receiver.told.length; ) {
    told = receiver.told.length;
    await sleep(SILENCE_MS);
  }
}

function report(asked: readonly AskedChange[], { told }: MortalReceiver): boolean {
  const { lost, invented, disordered, repeated } = judge(asked, told);
  const count = (outcome: string): number => asked.filter((one) => one.outcome === outcome).length;
  print(
    `${asked.length} changes: ${count('told')} to be told, ${count('untold')} need not be, ${count('refused')} refused, ${count('perhaps')} in doubt`,
  );
  print(`${told.length} events taken, ${repeated} of them repetitions`);
  for (const [name, faults] of Object.entries({ lost, invented, disordered })) {
    print(`${faults.length} ${name}`);
    for (const fault of faults.slice(0, MOST_LINES)) print(`  ${fault}`);
  }
  return lost.length + invented.length + disordered.length === 0;
}

async function makeBuckets([client]: readonly S3Client[]): Promise<void> {
  for (const Bucket of BUCKETS) {
    await client?.send(new CreateBucketCommand({ Bucket }));
    if (Bucket === BUCKETS[1]) {
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await client?.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    }
    const rule = { QueueArn: 'arn:aws:sqs:us-east-1:123456789012:hook', Events: [...ALL] };
    const NotificationConfiguration = { QueueConfigurations: [rule] };
    await client?.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration }));
  }
}

function clientOf(port: number): S3Client {
  const [account] = describeAccounts().accounts;
  return new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: account?.accessKey ?? '', secretAccessKey: account?.secretKey ?? '' },
    // A repetition would be another request, with another id.
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({ requestTimeout: REQUEST_MS, throwOnRequestTimeout: true }),
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
