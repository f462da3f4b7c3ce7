import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  type Event,
  GetBucketNotificationConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  SASProtocol,
  StorageSharedKeyCredential,
  generateAccountSASQueryParameters,
} from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import { ACCESS_KEY, SECRET_KEY } from '../support/clients/sign-raw.ts';
import { portOf, startCommand } from '../support/gateway/start-command.ts';

const SIGNING_KEY = 'a-key-of-the-webhook';
const gateway = startCommand({ keep: true });

interface Message {
  readonly type: string | undefined;
  readonly signature: string | undefined;
  readonly body: string;
}

/** A receiver that keeps what it was sent. While it is down it answers 503. */
class Receiver {
  readonly messages: Message[] = [];
  isDown = false;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#take(request).then((status) => response.writeHead(status).end());
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  stop(): void {
    this.#server.close();
  }

  async #take(request: IncomingMessage): Promise<number> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (this.isDown) return 503;
    const { 'content-type': type, 'x-s3gw-signature': signature } = request.headers;
    this.messages.push({ type, signature: signature?.toString(), body });
    return 204;
  }

  /** All records of S3's own form. */
  records(): S3Record[] {
    return this.messages.flatMap(({ body }) => (JSON.parse(body) as { Records?: S3Record[] }).Records ?? []);
  }
}

interface S3Record {
  readonly eventName: string;
  readonly s3: { readonly object: Readonly<Record<string, string | number>> };
}

const CLOUDS = {
  async Azurite() {
    const { endpoint, stop } = await startAzurite();
    return { backend: { kind: 'azure', endpoint, credential: { kind: 'accountKey', keyEnv: 'AZURE_KEY' } }, stop };
  },
  async 'the double of Cloud Storage'() {
    const { endpoint, stop } = await startGcsDouble();
    return { backend: { kind: 'gcs', endpoint, bucketPrefix: 'events-', credential: { kind: 'anonymous' } }, stop };
  },
};

describe.each(Object.keys(CLOUDS) as (keyof typeof CLOUDS)[])('events over %s', (name) => {
  const hook = new Receiver();
  const cloud = new Receiver();
  let stop = async (): Promise<void> => undefined;
  const clients: S3Client[] = [];

  beforeAll(async () => {
    const started = await CLOUDS[name]();
    stop = () => started.stop();
    const file = gateway.configFile(`${started.backend.kind}.yaml`, {
      backends: { main: { ...started.backend, owner: 'main', systemContainer: 'system' } },
      events: {
        pollMs: 200,
        targets: [
          { name: 'hook', kind: 'webhook', url: await hook.start(), secretEnv: 'HOOK_SECRET' },
          { name: 'cloud', kind: 'cloudEvents', url: await cloud.start() },
        ],
      },
    });
    const environment = { AZURE_KEY: DEVELOPMENT_KEY, HOOK_SECRET: SIGNING_KEY };
    const ports = await Promise.all([0, 1].map(() => portOf(gateway.start(['--config', file], environment))));
    clients.push(...ports.map(clientOf));
  });

  afterAll(async () => {
    hook.stop();
    cloud.stop();
    for (const client of clients) client.destroy();
    await stop();
  });

  test('come to the receiver that the bucket names, from whichever replica made the change', async () => {
    const [one, two] = clients as [S3Client, S3Client];
    await one.send(new CreateBucketCommand({ Bucket: 'watched' }));
    const configuration = {
      QueueConfigurations: [
        { Id: 'hooked', QueueArn: arn('sqs', 'hook'), Events: events('s3:ObjectCreated:*'), Filter: suffix('.jpg') },
      ],
      TopicConfigurations: [{ Id: 'removed', TopicArn: arn('sns', 'cloud'), Events: events('s3:ObjectRemoved:*') }],
    };
    await put(one, configuration);
    expect(JSON.parse(hook.messages[0]?.body ?? '')).toMatchObject({ Event: 's3:TestEvent', Bucket: 'watched' });
    const got = await two.send(new GetBucketNotificationConfigurationCommand({ Bucket: 'watched' }));
    expect(got).toMatchObject({
      ...configuration,
      QueueConfigurations: [{ Filter: { Key: { FilterRules: [{ Name: 'Suffix', Value: '.jpg' }] } } }],
    });

    const object = { Bucket: 'watched', Key: 'a b/ä+c.jpg' };
    const { ETag } = await two.send(new PutObjectCommand({ ...object, Body: 'bytes' }));
    await one.send(new PutObjectCommand({ ...object, Key: 'another.txt', Body: 'bytes' }));
    await one.send(new DeleteObjectCommand(object));

    await vi.waitFor(() => expect(cloud.messages.length).toBeGreaterThan(1), { timeout: 30_000 });
    await vi.waitFor(() => expect(hook.records()).toHaveLength(1), { timeout: 30_000 });
    const [record] = hook.records();
    expect(record).toMatchObject({
      eventVersion: '2.1',
      eventName: 'ObjectCreated:Put',
      requestParameters: { sourceIPAddress: '127.0.0.1' },
      s3: {
        configurationId: 'hooked',
        object: { key: 'a+b/%C3%A4%2Bc.jpg', size: 5, eTag: ETag?.replaceAll('"', '') },
      },
    });
    const removed = JSON.parse(cloud.messages.at(-1)?.body ?? '') as { data: S3Record };
    expect(cloud.messages.at(-1)?.type).toContain('application/cloudevents+json');
    expect(removed).toMatchObject({
      specversion: '1.0',
      type: 'com.amazonaws.s3.ObjectRemoved:Delete',
      subject: object.Key,
      data: { eventName: 'ObjectRemoved:Delete' },
    });
    expect(sequencerOf(removed.data) > sequencerOf(record)).toBe(true);
    for (const { signature, body } of hook.messages) {
      const [, time = '', mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
      expect(createHmac('sha256', SIGNING_KEY).update(`${time}.${body}`).digest('hex')).toBe(mac);
    }
  });

  test('wait for a receiver that is down, and hold no request up', async () => {
    const [one] = clients as [S3Client];
    const known = hook.records().length;
    hook.isDown = true;
    const keys = Array.from({ length: 5 }, (_, n) => `down-${n}.jpg`);
    for (const Key of keys) await one.send(new PutObjectCommand({ Bucket: 'watched', Key, Body: Key }));
    hook.isDown = false;
    const seen = (): unknown[] =>
      hook
        .records()
        .slice(known)
        .map(({ s3 }) => s3.object['key']);
    await vi.waitFor(() => expect(new Set(seen())).toEqual(new Set(keys)), { timeout: 30_000 });
  });
});

test('a queue of Azure Queue Storage gets a message an event', async () => {
  const main = createRequire(import.meta.url).resolve('azurite/dist/src/queue/main.js');
  const options = ['--queueHost', '127.0.0.1', '--queuePort', '0', '--inMemoryPersistence', '--skipApiVersionCheck'];
  const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  let client: S3Client | undefined;
  try {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await vi.waitFor(() => expect(printed).toMatch(/listens on http/), { timeout: 60_000 });
    const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1] ?? '';
    const queue = `http://127.0.0.1:${port}/${DEVELOPMENT_ACCOUNT}/changes`;
    const sas = sasOfQueues();
    expect((await fetch(`${queue}?${sas}`, { method: 'PUT' })).status).toBe(201);
    const file = gateway.configFile('queue.yaml', {
      events: { pollMs: 200, targets: [{ name: 'changes', kind: 'azureQueue', urlEnv: 'QUEUE' }] },
    });
    client = clientOf(await portOf(gateway.start(['--config', file], { QUEUE: `${queue}?${sas}` })));
    await client.send(new CreateBucketCommand({ Bucket: 'watched' }));
    await put(client, {
      QueueConfigurations: [{ QueueArn: arn('sqs', 'changes'), Events: events('s3:ObjectCreated:Put') }],
    });
    await client.send(new PutObjectCommand({ Bucket: 'watched', Key: 'k', Body: 'bytes' }));
    const messages = async (): Promise<string[]> => {
      const answer = await fetch(`${queue}/messages?peekonly=true&numofmessages=32&${sas}`);
      const texts = [...(await answer.text()).matchAll(/<MessageText>([^<]*)</g)];
      return texts.map(([, text = '']) => Buffer.from(text, 'base64').toString());
    };
    await vi.waitFor(async () => expect(await messages()).toHaveLength(2), { timeout: 30_000 });
    const [test, event] = await messages();
    expect(JSON.parse(test ?? '')).toMatchObject({ Event: 's3:TestEvent' });
    expect(JSON.parse(event ?? '')).toMatchObject({ Records: [{ eventName: 'ObjectCreated:Put' }] });
  } finally {
    client?.destroy();
    child.kill('SIGKILL');
  }
});

function sequencerOf(record: S3Record | undefined): string {
  return String(record?.s3.object['sequencer']);
}

function sasOfQueues(): string {
  const values = {
    expiresOn: new Date(Date.now() + 3_600_000),
    permissions: AccountSASPermissions.parse('rwdlacup'),
    protocol: SASProtocol.HttpsAndHttp,
    resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
    services: AccountSASServices.parse('q').toString(),
  };
  const credential = new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY);
  return generateAccountSASQueryParameters(values, credential).toString();
}

function clientOf(port: number): S3Client {
  return new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
  });
}

async function put(client: S3Client, NotificationConfiguration: object): Promise<void> {
  await client.send(new PutBucketNotificationConfigurationCommand({ Bucket: 'watched', NotificationConfiguration }));
}

function arn(service: string, name: string): string {
  return `arn:aws:${service}:us-east-1:123456789012:${name}`;
}

function events(...names: Event[]): Event[] {
  return names;
}

function suffix(value: string): object {
  return { Key: { FilterRules: [{ Name: 'suffix', Value: value }] } };
}
