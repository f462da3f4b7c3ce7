import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Random } from '../../support/random.ts';
import { type RunningTestbed, startTestbedWith } from '../../support/gateway/testbed.ts';
import { MortalReceiver } from '../../event-storm/receiver.ts';

const PHOTOS = 'photos';
const DATA = 'team-data';
const KEYS = 60;
/** Of the hour: the receiver of events is away at its end. */
const RECEIVER_AWAY = 0.96;
/** Requests a minute: so many, and as many more at the height of a wave. */
const LEAST_A_MINUTE = 40;
const WAVE_A_MINUTE = 120;
const WAVE_MINUTES = 37;
const QUOTA_BYTES = 8_000_000;

/** Two replicas, behind which clients have been at work for a while. */
interface BusyHour {
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/**
 * Two accounts read and write on two replicas in waves, over a backend that fails now and then, with a quota, a
 * sweeper that counts, and a receiver of events that is away at the end.
 * @param minutes how long it takes
 */
export async function busyHour(minutes: number): Promise<BusyHour> {
  const random = new Random(2026);
  const receiver = new MortalReceiver(random);
  const url = await receiver.start();
  const away = new AbortController();
  const bed = await startTestbedWith(
    {
      S3GW_EVENTS: JSON.stringify({ targets: [{ name: 'thumbnails', kind: 'webhook', url }] }),
      S3GW_QUOTAS: JSON.stringify({ buckets: [{ pattern: DATA, bytes: QUOTA_BYTES }] }),
    },
    ...['--backend', 'azure', '--replicas', '2', '--admin-port', '0', '--lifecycle-day', '600'],
    ...['--fault-plan', 'test/testbed/plans/flaky.ts'],
  );
  const clients = ['main', 'alt'].map((account) => clientsOf(bed, account));
  const stop = async (): Promise<void> => {
    away.abort();
    for (const client of clients.flat()) client.destroy();
    await bed.stop();
    receiver.stop();
  };
  try {
    const [photographers = [], team = []] = clients;
    await photographers[0]?.send(new CreateBucketCommand({ Bucket: PHOTOS }));
    await team[0]?.send(new CreateBucketCommand({ Bucket: DATA }));
    await team[0]?.send(tellThumbnails());
    void receiver.die(minutes * RECEIVER_AWAY * 60_000, away.signal);
    await work({ photographers, team, random }, minutes);
    return { adminUrl: bed.bed.adminEndpoints[0] ?? '', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface People {
  readonly photographers: readonly S3Client[];
  readonly team: readonly S3Client[];
  readonly random: Random;
}

async function work(people: People, minutes: number): Promise<void> {
  const started = Date.now();
  await fill(people);
  const underWay = new Set<Promise<void>>();
  for (let minute = 0; minute < minutes; minute = (Date.now() - started) / 60_000) {
    const one = request(people)
      .catch(() => undefined)
      .finally(() => underWay.delete(one));
    underWay.add(one);
    const wave = (1 + Math.sin((minute / WAVE_MINUTES) * 2 * Math.PI)) / 2;
    await sleep((2 * people.random.below(1000) * 60) / (LEAST_A_MINUTE + WAVE_A_MINUTE * wave));
  }
  await Promise.all(underWay);
}

/** Half of the keys, so that most reads find something. */
async function fill({ photographers, team }: People): Promise<void> {
  for (let index = 0; index < KEYS; index += 2) {
    await photographers[0]?.send(new PutObjectCommand({ ...photoOf(index), Body: randomBytes(50_000) }));
    await team[0]?.send(new PutObjectCommand({ ...reportOf(index), Body: randomBytes(50_000) }));
  }
}

async function request({ photographers, team, random }: People): Promise<void> {
  const photo = photoOf(random.below(KEYS));
  const report = reportOf(random.below(KEYS));
  const Body = randomBytes(10_000 + random.below(200_000));
  const ours = random.pick(photographers);
  const theirs = random.pick(team);
  const dice = random.below(100);
  if (dice < 20) await ours.send(new PutObjectCommand({ ...photo, Body }));
  else if (dice < 55) await read(ours, photo);
  else if (dice < 62) await ours.send(new ListObjectsV2Command({ Bucket: PHOTOS, Prefix: '2026/' }));
  else if (dice < 76) await theirs.send(new PutObjectCommand({ ...report, Body }));
  else if (dice < 90) await read(theirs, report);
  else if (dice < 96) await theirs.send(new DeleteObjectCommand(report));
  else await read(theirs, photo);
}

function photoOf(index: number): ObjectPlace {
  return { Bucket: PHOTOS, Key: `2026/IMG_${index}.jpg` };
}

function reportOf(index: number): ObjectPlace {
  return { Bucket: DATA, Key: `reports/${index}.parquet` };
}

interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
}

async function read(client: S3Client, object: ObjectPlace): Promise<void> {
  const { Body } = await client.send(new GetObjectCommand(object));
  await Body?.transformToByteArray();
}

function tellThumbnails(): PutBucketNotificationConfigurationCommand {
  const queue = { QueueArn: 'arn:aws:sqs:us-east-1:222222222222:thumbnails', Events: ['s3:ObjectCreated:*' as const] };
  return new PutBucketNotificationConfigurationCommand({
    Bucket: DATA,
    NotificationConfiguration: { QueueConfigurations: [queue] },
  });
}

/** A client for each replica. */
function clientsOf({ bed }: RunningTestbed, name: string): S3Client[] {
  const account = bed.accounts.find((one) => one.name === name);
  if (account === undefined) throw new Error(`the test bed has no account ${name}`);
  const credentials = { accessKeyId: account.accessKey, secretAccessKey: account.secretKey };
  return bed.endpoints.map(
    (endpoint) => new S3Client({ endpoint, region: bed.region, forcePathStyle: true, credentials }),
  );
}
