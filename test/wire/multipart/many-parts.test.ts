import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGcsStore } from '../../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { intermediateComposes } from '../../../adapters/gcs/compose-plan.ts';
import { withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { mapConcurrent } from '../../../src/streams/map-concurrent.ts';
import { type Answer, World } from '../spec/world.ts';

/** UPLOAD_PARTS=10000 for the most that S3 takes, everywhere. */
const PARTS = Number(process.env['UPLOAD_PARTS'] ?? 1000);
const MIN_PART = 5 * 1024 * 1024;
const AT_ONCE = 8;
const INTERVAL_MS = 100;
const SLOW_MS = 3.5 * INTERVAL_MS;

/** Parts are copies of these: real ones, of the least size that S3 takes, that cost no memory. */
const SOURCES = ['a', 'b', 'c'].map((letter, index) => letter.repeat(MIN_PART + index));
/** Which it is follows no pattern of 32. */
const sourceOf = (number: number): number => ((number * number) % 7) % SOURCES.length;
const textOf = (number: number): string => SOURCES[sourceOf(number)] ?? '';

interface Upload {
  readonly target: string;
  readonly parts: number;
  readonly completed: Answer;
}

/** An upload of so many parts, completed over a backend that takes its time to put them together. */
async function uploadOf(world: World, parts: number): Promise<Upload> {
  const bucket = await world.bucket();
  for (const [index, text] of SOURCES.entries()) await world.put(`/${bucket}/source-${index}`, text);
  const target = `/${bucket}/large`;
  const upload = await world.upload(target);
  const numbers = Array.from({ length: parts }, (_, index) => index + 1);
  const etags = await mapConcurrent(numbers, AT_ONCE, async (number) => {
    const { body } = await world.copyPart(upload, `/${bucket}/source-${sourceOf(number)}`, {}, number);
    return /<ETag>(.*)<\/ETag>/.exec(body)?.[1] ?? body;
  });
  return { target, parts, completed: await world.complete(upload, etags) };
}

/** What S3 says of such an object, computed apart. */
function expectedOf(parts: number): { etag: string; size: number; starts: number[] } {
  const digests = SOURCES.map((text) => createHash('md5').update(text).digest());
  const all = createHash('md5');
  const starts: number[] = [];
  let size = 0;
  for (let number = 1; number <= parts; number += 1) {
    starts.push(size);
    size += textOf(number).length;
    all.update(digests[sourceOf(number)] ?? '');
  }
  return { etag: `"${all.digest('hex')}-${parts}"`, size, starts };
}

async function expectWhole(world: World, { target, parts, completed }: Upload): Promise<void> {
  const { etag, size, starts } = expectedOf(parts);
  expect(completed.status).toBe(200);
  // Begun, and kept alive, while the backend was still at work.
  expect(completed.body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n {2,}<CompleteMultipartUploadResult /);
  expect(completed.body).toContain(`<ETag>${etag.replaceAll('"', '&quot;')}</ETag>`);
  const { headers } = await world.must('HEAD', target);
  expect([headers['etag'], headers['content-length']]).toEqual([etag, String(size)]);
  for (const number of [2, 32, 33, 34, Math.ceil(parts / 2), parts - 1, parts]) {
    const start = starts[number - 1] ?? 0;
    const { body } = await world.must('GET', target, { headers: { range: `bytes=${start - 1}-${start}` } });
    expect(body, `from part ${number - 1} to ${number}`).toBe(`${textOf(number - 1)[0]}${textOf(number)[0]}`);
  }
}

const open = (store: BlobStore): Promise<World> =>
  World.open(
    { longAnswerMs: INTERVAL_MS },
    withFaults(store, ({ method }) => (method === 'assemble' ? { kind: 'delay', ms: SLOW_MS } : undefined)),
  );

test('10,000 parts over memory', async () => {
  const world = await open(new MemoryBlobStore());
  await expectWhole(world, await uploadOf(world, 10_000));
  await world.close();
}, 300_000);

describe(`${PARTS} parts over the double of Cloud Storage`, () => {
  let double: GcsDouble;
  let world: World;
  beforeAll(async () => {
    double = await startGcsDouble({ record: true });
    world = await open(
      createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' }, pinsSources: true }),
    );
  });
  afterAll(async () => {
    await world.close();
    await double.stop();
  });

  test(
    'are put together by as many calls as the tree has, and nothing of them is left over',
    async () => {
      const upload = await uploadOf(world, PARTS);
      await expectWhole(world, upload);
      const composes = double.requests.filter((request) => /^POST .*\/compose\?/.test(request)).length;
      expect(composes).toBe(intermediateComposes(PARTS).reduce((sum, level) => sum + level, 1));
      const staged = (): number =>
        [...double.state.buckets.values()].flatMap(({ names }) => names.filter((name) => name.startsWith('~parts/')))
          .length;
      await expect.poll(staged, { timeout: 30_000 }).toBe(0);
    },
    60_000 + PARTS * 100,
  );
});
