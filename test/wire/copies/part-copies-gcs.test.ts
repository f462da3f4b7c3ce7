import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGcsStore } from '../../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { World, element } from '../spec/world.ts';
import { SILENT } from '../../support/silent-log.ts';

/**
 * What UploadPartCopy costs on Cloud Storage, which copies whole objects and composes whole objects, and knows of no
 * ranges.
 */
const MIB = 1024 * 1024;
const FIRST = 'a'.repeat(5 * MIB);
const SECOND = 'b'.repeat(1000);

let double: GcsDouble;
let world: World;
/** What the spans of the operations say. */
const observers = new RequestObservers(SILENT);
let said: unknown[] = [];
let seen = 0;

const sent = (pattern: RegExp): number => double.requests.slice(seen).filter((request) => pattern.test(request)).length;
const stagedParts = (): string[] =>
  [...(double.state.buckets.get('system')?.names ?? [])].filter((name) => name.startsWith('~parts/'));

beforeAll(async () => {
  double = await startGcsDouble({ record: true });
  observers.add({
    ended: ({ notes }) => notes?.['backend.part_copy'] !== undefined && said.push(notes['backend.part_copy']),
  });
  world = await World.open(
    { observers },
    createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' }, pinsSources: true }),
  );
  await world.must('PUT', '/photos');
  const upload = await world.upload('/photos/source');
  const etags: string[] = [];
  for (const [i, body] of [FIRST, SECOND].entries()) {
    etags.push((await world.must('PUT', `${upload}&partNumber=${i + 1}`, { body })).headers['etag'] ?? '');
  }
  expect((await world.complete(upload, etags)).outcome).toBe('200');
});

afterAll(async () => {
  await world.close();
  await double.stop();
});

/** What the requests so far were said to have been done with. */
function heard(): unknown[] {
  observers.flush();
  return said;
}

beforeEach(() => {
  observers.flush();
  said = [];
  seen = double.requests.length;
});

test('the parts of a completed upload are objects no more: there is nothing left that a range could be composed of', async () => {
  await expect.poll(stagedParts).toEqual([]);
});

test.each([
  ['a whole object', undefined, 'rewrite', FIRST + SECOND],
  ['a range that is the whole object', `bytes=0-${FIRST.length + SECOND.length - 1}`, 'rewrite', FIRST + SECOND],
  ['a range that was a whole part', `bytes=0-${FIRST.length - 1}`, 'stream', FIRST],
  ['any other range', 'bytes=100-5242999', 'stream', FIRST.slice(100) + SECOND.slice(0, 120)],
] as const)('%s', async (_what, range, how, bytes) => {
  const upload = await world.upload('/photos/target');
  const copied = await world.copyPart(
    upload,
    '/photos/source',
    range === undefined ? {} : { 'x-amz-copy-source-range': range },
  );
  expect(copied.outcome).toBe('200');
  await expect.poll(heard).toEqual([how]);
  const [rewrites, reads] = [sent(/rewriteTo.*~parts/), sent(/^GET \/(?:photos|system\/v)\//)];
  expect([rewrites, reads]).toEqual(how === 'rewrite' ? [1, 0] : [0, 1]);
  expect((await world.complete(upload, [element(copied.body, 'ETag').replaceAll('&quot;', '"')])).outcome).toBe('200');
  expect((await world.must('GET', '/photos/target')).body === bytes).toBe(true);
});
