import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcome } from '../support/clients/acl-client.ts';
import { oneChangeOfAName } from '../support/backends/fault-proxy/plans.ts';
import { World } from '../wire/spec/world.ts';
import { type FaultyBackend, startFaultyBackend } from './backends.ts';
import { type Versioning, historyOf, outcomeOf, sendTo } from './scene.ts';

/**
 * Writers of one key at once, where the backend takes one change a second of one name
 * (https://cloud.google.com/storage/quotas#objects).
 */
const WRITERS = 50;
/**
 * That get through at one change a second, in the eight seconds that a request may wait: eight, on a machine that has
 * time. Without a queue one or two do.
 */
const AT_LEAST = 3;
const NULL_ONLY: ReadonlySet<Versioning> = new Set(['never', 'suspended']);

let backend: FaultyBackend;
let world: World;

beforeAll(async () => {
  backend = await startFaultyBackend('gcs');
  world = await World.open({ versioningDrainMs: 1 }, backend.open());
});
afterAll(async () => {
  await world.close();
  await backend.stop();
});

async function bucketOf(versioning: Versioning): Promise<string> {
  const bucket = await world.bucket();
  const states = { never: [], enabled: ['Enabled'], suspended: ['Enabled', 'Suspended'], locked: [] }[versioning];
  for (const status of states) {
    await world.must('PUT', `/${bucket}?versioning`, {
      body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
    });
  }
  return bucket;
}

interface Written {
  readonly body: string;
  readonly outcome: string;
  readonly version: string;
  readonly retryAfter: number;
}

interface How {
  readonly headers?: Readonly<Record<string, string>>;
  readonly through?: World;
}

async function write(bucket: string, body: string, { headers = {}, through = world }: How = {}): Promise<Written> {
  const answer = await sendTo(through.gateway.port, { method: 'PUT', target: `/${bucket}/hot`, body, headers });
  return {
    body,
    outcome: outcomeOf(answer),
    version: answer.headers['x-amz-version-id'] ?? 'null',
    retryAfter: Number(answer.headers['retry-after']),
  };
}

/** Body of each version, in the order of the listing. */
async function storedIn(bucket: string): Promise<string[]> {
  const history = await historyOf(world, bucket, 'hot');
  return Promise.all(history.map(async ({ id }) => (await world.must('GET', `/${bucket}/hot?versionId=${id}`)).body));
}

function expectHonest(all: readonly Written[]): void {
  const told = all.filter(({ outcome: said }) => said !== '200');
  expect(new Set(told.map(({ outcome: said }) => said))).toEqual(
    told.length === 0 ? new Set() : new Set(['503 SlowDown']),
  );
  for (const { retryAfter } of told) expect(retryAfter).toBeGreaterThanOrEqual(1);
}

/** Reads the key all the while. @returns how often */
async function readWhile(bucket: string, busy: Promise<unknown>): Promise<number> {
  let reads = 0;
  const ended = new AbortController();
  void busy.finally(() => ended.abort());
  while (!ended.signal.aborted) {
    await world.must('GET', `/${bucket}/hot`);
    reads += 1;
    await new Promise((done) => setTimeout(done, 50));
  }
  return reads;
}

test.each(['never', 'enabled', 'suspended'] as const)(
  '50 writers of one key, %s',
  async (versioning) => {
    const bucket = await bucketOf(versioning);
    const first = await write(bucket, 'the first');
    backend.proxy.follow(oneChangeOfAName());
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(bucket, `writer ${i}`)));
    const reads = await readWhile(bucket, writing);
    const all = [first, ...(await writing)];
    await backend.proxy.quiet();
    backend.proxy.follow();

    // Each that queued would have waited for a writer's turn, a second long.
    expect(reads).toBeGreaterThan(12);
    expectHonest(all);
    const done = all.filter(({ outcome: said }) => said === '200');
    console.info(
      `${versioning}: ${done.length - 1} of ${WRITERS} written, ${all.length - done.length} told to slow down`,
    );
    expect(done.length - 1).toBeGreaterThanOrEqual(AT_LEAST);
    const stored = await storedIn(bucket);
    if (NULL_ONLY.has(versioning)) {
      expect(stored).toHaveLength(1);
      expect(done.map(({ body }) => body)).toContain(stored[0]);
    } else {
      expect(stored.toSorted()).toEqual(done.map(({ body }) => body).toSorted());
      const listed = (await historyOf(world, bucket, 'hot')).map(({ id }) => id);
      expect(listed.toSorted()).toEqual(done.map(({ version }) => version).toSorted());
    }
  },
  60_000,
);

test('writers of one key through three gateways, whose queues know nothing of each other: none lost, none twice', async () => {
  const bucket = await bucketOf('enabled');
  const gateways = [
    world,
    await World.open({ versioningDrainMs: 1 }, backend.open()),
    await World.open({ versioningDrainMs: 1 }, backend.open()),
  ];
  backend.proxy.follow(oneChangeOfAName());
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, i) => write(bucket, `writer ${i}`, { through: gateways[i % 3] ?? world })),
  );
  await backend.proxy.quiet();
  backend.proxy.follow();
  for (const gateway of gateways.slice(1)) await gateway.close();

  expectHonest(all);
  const done = all.filter(({ outcome: said }) => said === '200').map(({ body }) => body);
  console.info(`three gateways: ${done.length} of ${all.length} written`);
  expect(done.length).toBeGreaterThan(0);
  expect((await storedIn(bucket)).toSorted()).toEqual(done.toSorted());
}, 180_000);

test('of those that create a key one succeeds, and the others hear that it is there, or that they are too many', async () => {
  const bucket = await bucketOf('never');
  backend.proxy.follow(oneChangeOfAName());
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, i) => write(bucket, `writer ${i}`, { headers: { 'if-none-match': '*' } })),
  );
  backend.proxy.follow();
  const said = all.map((one) => one.outcome);
  expect(said.filter((one) => one === '200')).toHaveLength(1);
  for (const one of said) expect(['200', '412 PreconditionFailed', '503 SlowDown']).toContain(one);
  expect(await storedIn(bucket)).toEqual(all.filter((one) => one.outcome === '200').map(({ body }) => body));
}, 180_000);

test('clients that wait as they are told all get through, each once', async () => {
  const bucket = await bucketOf('enabled');
  backend.proxy.follow(oneChangeOfAName(200));
  const patient = async (body: string): Promise<number> => {
    for (let turn = 1; ; turn++) {
      const written = await write(bucket, body);
      if (written.outcome === '200') return turn;
      expect(written.outcome).toBe('503 SlowDown');
      await new Promise((done) => setTimeout(done, written.retryAfter * 1000));
    }
  };
  const bodies = Array.from({ length: 6 }, (_, i) => `patient ${i}`);
  await Promise.all(bodies.map(patient));
  backend.proxy.follow();
  expect((await storedIn(bucket)).toSorted()).toEqual(bodies);
  expect(outcome(await world.ask('GET', `/${bucket}/hot`))).toBe('200');
}, 180_000);
