import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { type Asked, World } from '../wire/spec/world.ts';

/** A two hundredth of what the gateway waits for, but for what a loaded machine needs. Milliseconds. */
const TIMEOUTS = { connect: 1_000, response: 400, copy: 2_000, total: 1_000, idle: 1_000 };
const RETRIES = { baseDelay: 5, maxDelay: 20 };
/** A request that hangs does so for ever: this long for all calls together, also on a machine that is busy. */
const PATIENCE = 15_000;

/** What a service does that hangs, with the answer that it would give. */
type Hang = 'never answers' | 'answers half a head' | 'trickles' | 'stops within the body' | 'trickles its body';

const MANNERS: readonly Hang[] = [
  'never answers',
  'answers half a head',
  'trickles',
  'stops within the body',
  'trickles its body',
];

/** Stands before a backend and, when it is told, lets it do its work and keeps the answers back. */
class Brake {
  manner: Hang | undefined;
  /** Requests that hang; others pass. */
  fits: (head: string) => boolean = () => true;
  /** Requests that hung so far. */
  held = 0;
  readonly sockets = new Set<Socket>();
  readonly hanging = new Set<Socket>();
  readonly #server: Server;

  constructor(port: number) {
    this.#server = createServer((client) => {
      const upstream = connect({ port, host: '127.0.0.1' });
      const state: { manner: Hang | undefined } = { manner: undefined };
      client.on('data', (data) => {
        const head = /^(?:GET|HEAD|PUT|POST|PATCH|DELETE) [^\r\n]*/.exec(data.toString('latin1'))?.[0];
        if (head !== undefined && this.manner !== undefined && this.fits(head)) state.manner = this.manner;
        if (state.manner !== undefined) this.hanging.add(client);
        if (head !== undefined && state.manner !== undefined) this.held += 1;
        upstream.write(data);
      });
      upstream.on('data', (data) => this.#back(client, data, state));
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(socket);
        socket
          .on('error', () => undefined)
          .on('close', () => {
            this.sockets.delete(socket);
            this.hanging.delete(socket);
            other.destroy();
          });
      }
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #back(client: Socket, data: Buffer, state: { manner: Hang | undefined }): void {
    const bodyAt = data.indexOf('\r\n\r\n') + 4;
    if (
      state.manner?.includes('body') === true &&
      bodyAt === data.length &&
      /^content-length: [1-9]|^transfer-encoding/im.exec(data.toString('latin1')) === null
    ) {
      // There is no body to hang in.
      state.manner = undefined;
      this.hanging.delete(client);
    }
    switch (state.manner) {
      case undefined:
        client.write(data);
        return;
      case 'never answers':
        return;
      case 'answers half a head':
        client.write(data.subarray(0, 20));
        return;
      case 'trickles':
        this.#trickle(client, data);
        return;
      case 'stops within the body':
        client.write(data.subarray(0, Math.min(bodyAt + 1, data.length - 1)));
        return;
      case 'trickles its body':
        client.write(data.subarray(0, bodyAt));
        this.#trickle(client, data.subarray(bodyAt));
    }
  }

  #trickle(client: Socket, data: Buffer): void {
    let at = 0;
    const drop = setInterval(() => {
      client.write(data.subarray(at, ++at));
      // The last byte never comes.
      if (client.destroyed || at >= data.length - 1) clearInterval(drop);
    }, 100);
    client.once('close', () => clearInterval(drop));
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

interface Scene {
  readonly world: World;
  readonly brake: Brake;
  readonly stop: () => Promise<void>;
}

const running: Scene[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((scene) => scene.stop()));
});

async function openScene(service: string): Promise<Scene> {
  const isAzure = service === 'Azurite';
  const backend = isAzure ? await startAzurite() : await startGcsDouble();
  const { port, pathname } = new URL(backend.endpoint);
  const brake = new Brake(Number(port));
  const endpoint = (await brake.listen()) + (isAzure ? pathname : '');
  const options = { endpoint, timeouts: TIMEOUTS, retries: RETRIES };
  const store: BlobStore =
    'storeOptions' in backend
      ? createAzureStore({ ...options, credential: backend.storeOptions.credential })
      : createGcsStore({ ...options, credential: { kind: 'anonymous' } });
  const world = await World.open({ versioningDrainMs: 1, systemContainer: 'hanging-system', longAnswerMs: 100 }, store);
  const scene = {
    world,
    brake,
    stop: async () => {
      brake.stop();
      await world.close();
      await backend.stop();
    },
  };
  running.push(scene);
  return scene;
}

describe.each(['Azurite', 'the double of Cloud Storage'])('%s hangs', (service) => {
  test.each(MANNERS)(
    'it %s: every request ends in 503 in time, the call is named, its connection is gone',
    async (manner) => {
      const { world, brake } = await openScene(service);
      const bucket = await world.bucket();
      await world.put(`/${bucket}/key`, 'bytes');
      const upload = await world.upload(`/${bucket}/large`);
      const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
      const parts = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
      const requests: [string, string, Asked?][] = [
        ['GET', '/'],
        ['GET', `/${bucket}?list-type=2`],
        ['GET', `/${bucket}/key`],
        ['HEAD', `/${bucket}/key`],
        ['PUT', `/${bucket}/key`, { body: 'new' }],
        ['PUT', `/${bucket}/streamed`, { body: 'x'.repeat(1_200_000) }],
        ['DELETE', `/${bucket}/key`],
        ['POST', upload, { body: parts }],
        ['DELETE', `/${bucket}`],
      ];
      const played = async ([method, target, asked]: [string, string, Asked?]): Promise<void> => {
        const began = performance.now();
        const outcome = await world.ask(method, target, asked).then(
          (answer) => answer.outcome,
          () => 'broken off',
        );
        const took = performance.now() - began;
        const what = `${method} ${target} after ${Math.round(took)} ms`;
        expect(took, what).toBeLessThan(PATIENCE);
        // Where the head says all (HEAD, and on Azure changes), a body that does not come is nobody's loss; one of a
        // GET breaks off.
        const isBodyOnly = manner.includes('body');
        expect(outcome, what).toMatch(
          isBodyOnly
            ? /^(?:20\d|404.*|503 ServiceUnavailable|200 ServiceUnavailable|broken off|409.*|503)$/
            : /^(?:503 ServiceUnavailable|503|200 ServiceUnavailable)$/,
        );
      };
      // The bucket's record is remembered for a moment: some hang in looking at it, some in calls of their own.
      await world.outcome('HEAD', `/${bucket}/none`);
      brake.manner = manner;
      await Promise.all(requests.map(played));
      brake.manner = undefined;
      await expect.poll(() => brake.hanging.size).toBe(0);
      const late = world.gateway.logged.filter(({ message }) => message === 'the backend did not answer in time');
      const named = {
        requestId: expect.any(String) as string,
        call: expect.stringMatching(/^[a-zA-Z]+$/) as string,
        waitedMs: expect.any(Number) as number,
      };
      for (const { fields } of late) expect(fields).toMatchObject(named);
      // Who waited for a look at the bucket that another request made knows the call alone.
      expect(late.map(({ fields }) => fields)).toContainEqual(
        expect.objectContaining({ ...named, backend: service === 'Azurite' ? 'azure' : 'gcs' }),
      );
      await world.must('GET', '/');
    },
    60_000,
  );
});

test('attempts add up to the time of one request, whatever they are for', async () => {
  const { world, brake } = await openScene('Azurite');
  brake.manner = 'never answers';
  brake.held = 0;
  const began = performance.now();
  expect(await world.outcome('GET', '/')).toBe('503 ServiceUnavailable');
  expect(performance.now() - began).toBeGreaterThan(TIMEOUTS.total * 0.8);
  // Each may take `response`: within `total` there is room for two and a half, and each by itself would have four.
  expect(brake.held).toBeLessThan(4);
});
