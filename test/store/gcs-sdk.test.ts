import { randomBytes } from 'node:crypto';
import { type Bucket, Storage } from '@google-cloud/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GcsDouble, startGcsDouble } from '../../adapters/doubles/index.ts';

// Google's own client, which knows nothing of ours, must find the service that it expects in the double.

let double: GcsDouble;
let bucket: Bucket;

beforeAll(async () => {
  double = await startGcsDouble({ maxListRows: 2 });
  // It would put another path in front of everything.
  delete process.env['STORAGE_EMULATOR_HOST'];
  const storage = new Storage({
    apiEndpoint: double.endpoint,
    projectId: 'demo-p',
    retryOptions: { autoRetry: false, maxRetries: 0 },
  });
  [bucket] = await storage.createBucket('sdk-bucket');
});

afterAll(() => double.stop());

test('saves in one request and reads back, with checksums', async () => {
  const file = bucket.file('dir/one request ü');
  await file.save('hello', { resumable: false, contentType: 'text/x', metadata: { metadata: { k: 'v' } } });
  const [bytes] = await file.download({ validation: 'crc32c' });
  const [metadata] = await file.getMetadata();
  expect([bytes.toString(), metadata.contentType, metadata.metadata?.['k']]).toEqual(['hello', 'text/x', 'v']);
});

test.each([
  ['whole', {}],
  ['in chunks', { chunkSize: 256 * 1024 }],
])('uploads resumably, %s', async (_what, options) => {
  const bytes = randomBytes(700_000);
  const file = bucket.file('resumable');
  await file.save(bytes, { resumable: true, ...options });
  const [read] = await file.download();
  expect(read.equals(bytes)).toBe(true);
});

test('conditions, metadata, copies, combinations and listings', async () => {
  const [a, b] = [bucket.file('list/a'), bucket.file('list/b')];
  await a.save('a', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } });
  await expect(a.save('x', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } })).rejects.toMatchObject({
    code: 412,
  });
  await a.setMetadata({ metadata: { one: '1' } });
  await a.copy(b);
  const [combined] = await bucket.combine([a, b], bucket.file('list/c'));
  expect((await combined.download())[0].toString()).toBe('aa');
  const [files] = await bucket.getFiles({ prefix: 'list/' });
  expect(files.map(({ name }) => name)).toEqual(['list/a', 'list/b', 'list/c']);
  await a.delete();
  expect(await a.exists()).toEqual([false]);
});

test('reads ranges as a stream', async () => {
  const file = bucket.file('ranges');
  await file.save('0123456789', { resumable: false });
  const [bytes] = await file.download({ start: 3, end: 5 });
  expect(bytes.toString()).toBe('345');
});
