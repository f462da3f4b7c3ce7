import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { wrapStore } from '../../../src/store/wrap-store.ts';
import { exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { World } from '../spec/world.ts';

/* A quota of 100 bytes and 3 objects, of the bucket of each test. */

const QUOTA = { bytes: 100, objects: 3 };
const LARGE = 'x'.repeat(101);
let world: World;
let limited = '';
let bucket = '';
let calls: string[] = [];

beforeAll(async () => {
  const store = wrapStore(new MemoryBlobStore(), ({ method, ref }, run) => {
    // Records of buckets, and what is told other processes afterwards.
    if (method !== 'headContainer' && !/^[ab]\//.test(ref.name ?? '')) calls.push(method);
    return run();
  });
  world = await World.open({ bucketCacheMs: 20, quotaOf: (name) => (name === limited ? QUOTA : undefined) }, store);
});
afterAll(() => world.close());

beforeEach(async () => {
  bucket = await world.bucket();
  limited = bucket;
});

const names = async (): Promise<string[]> => {
  const { body } = await world.must('GET', `/${bucket}?versions`);
  return Array.from(body.matchAll(/<Key>([^<]*)</g), ([, key]) => key ?? '');
};

describe('is refused, and leaves nothing behind', () => {
  const refused = async (asked: Promise<{ readonly outcome: string; readonly body: string }>): Promise<void> => {
    const { outcome, body } = await asked;
    expect(outcome).toBe('403 QuotaExceeded');
    expect(body).toContain('<Message>The quota of the bucket or account does not allow it.</Message>');
    expect(body).toContain(`<BucketName>${bucket}</BucketName>`);
    expect(await names()).toEqual([]);
  };

  test('PutObject', () => refused(world.ask('PUT', `/${bucket}/k`, { body: LARGE })));

  test('PutObject before its body is read', async () => {
    const headers = { 'content-length': '1000000', expect: '100-continue' };
    const connection = await RawConnection.open(world.gateway.port);
    connection.send(signedHead({ method: 'PUT', target: `/${bucket}/k`, headers }));
    const answer = await connection.answer('PUT');
    connection.close();
    expect([answer.status, answer.interim]).toEqual([403, []]);
    expect(answer.body).toContain('<Code>QuotaExceeded</Code>');
  });

  test('PutObject in chunks of S3, by the length that is declared for what they hold', async () => {
    const body = `65\r\n${LARGE}\r\n0\r\n\r\n`;
    const headers = { 'x-amz-decoded-content-length': '101', 'content-length': String(body.length) };
    const payloadHash = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
    const head = signedHead({ method: 'PUT', target: `/${bucket}/k`, headers, payloadHash });
    const answer = await roundTrip(world.gateway.port, head + body, 'PUT');
    expect([answer.status, answer.body.includes('QuotaExceeded')]).toEqual([403, true]);
    const fits = { 'x-amz-decoded-content-length': '1', 'content-length': '11' };
    const small = signedHead({ method: 'PUT', target: `/${bucket}/k`, headers: fits, payloadHash });
    expect((await roundTrip(world.gateway.port, `${small}1\r\nx\r\n0\r\n\r\n`, 'PUT')).status).toBe(200);
  });

  test('PutObject in chunks of HTTP, when its length is known', async () => {
    const head = signedHead({ method: 'PUT', target: `/${bucket}/k`, headers: { 'transfer-encoding': 'chunked' } });
    const answer = await roundTrip(world.gateway.port, `${head}65\r\n${LARGE}\r\n0\r\n\r\n`, 'PUT');
    expect([answer.status, answer.body.includes('QuotaExceeded')]).toEqual([403, true]);
    expect(await names()).toEqual([]);
  });

  test('CopyObject', async () => {
    const other = await world.bucket();
    await world.put(`/${other}/large`, LARGE);
    await refused(world.copy(`/${bucket}/k`, `/${other}/large`));
  });

  test('UploadPart and UploadPartCopy', async () => {
    const other = await world.bucket();
    await world.put(`/${other}/large`, LARGE);
    const upload = await world.upload(`/${bucket}/k`);
    await refused(world.ask('PUT', `${upload}&partNumber=1`, { body: LARGE }));
    await refused(world.copyPart(upload, `/${other}/large`));
    expect((await world.must('GET', upload)).body).not.toContain('<Part>');
  });

  test('a form', async () => {
    const fields = [['key', 'k']] as const;
    const signed = signedV4(fields, exactly(fields, bucket));
    const answer = await roundTrip(world.gateway.port, formRequest(bucket, { fields: signed, file: LARGE }), 'POST');
    expect([answer.status, answer.body.includes('QuotaExceeded')]).toEqual([403, true]);
    expect(await names()).toEqual([]);
  });

  test('an object more than the quota allows, CompleteMultipartUpload of it, too', async () => {
    const upload = await world.upload(`/${bucket}/k`);
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
    for (const key of ['a', 'b', 'c']) await world.put(`/${bucket}/${key}`, '');
    expect(await world.outcome('PUT', `/${bucket}/d`)).toBe('403 QuotaExceeded');
    expect((await world.complete(upload, [headers['etag'] ?? ''])).outcome).toBe('403 QuotaExceeded');
    expect(await names()).toEqual(['a', 'b', 'c']);
  });
});

describe('passes', () => {
  test('what there is room for, each way to write', async () => {
    await world.put(`/${bucket}/a`, 'x'.repeat(40));
    expect((await world.copy(`/${bucket}/b`, `/${bucket}/a`)).outcome).toBe('200');
    const upload = await world.upload(`/${bucket}/c`);
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'x'.repeat(20) });
    expect((await world.complete(upload, [headers['etag'] ?? ''])).outcome).toBe('200');
    expect(await world.outcome('PUT', `/${bucket}/d`, { body: 'x' })).toBe('403 QuotaExceeded');
  });

  test('everything that removes or describes, when the quota is used up', async () => {
    await world.must('PUT', `/${bucket}?versioning`, {
      body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    });
    await world.put(`/${bucket}/a`, 'x'.repeat(100));
    const upload = await world.upload(`/${bucket}/b`);
    expect(await world.outcome('PUT', `/${bucket}/a`, { body: 'x' })).toBe('403 QuotaExceeded');
    expect(await world.putTags(`/${bucket}/a`, [['k', 'v']])).toBe('200');
    expect(await world.outcome('DELETE', upload)).toBe('204');
    expect(await world.outcome('DELETE', `/${bucket}/a`)).toBe('204');
    expect(await world.outcome('DELETE', `/${bucket}/a`)).toBe('204');
    expect(await world.outcome('GET', `/${bucket}?versions`)).toBe('200');
  });

  test('a Complete that is repeated, when the object was the last that there was room for', async () => {
    const upload = await world.upload(`/${bucket}/k`);
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
    const complete = async (): Promise<string> => (await world.complete(upload, [headers['etag'] ?? ''])).outcome;
    for (const key of ['a', 'b']) await world.put(`/${bucket}/${key}`, '');
    expect(await complete()).toBe('200');
    expect(await world.outcome('PUT', `/${bucket}/d`)).toBe('403 QuotaExceeded');
    expect(await complete()).toBe('200');
    expect(await names()).toEqual(['a', 'b', 'k']);
  });

  test('what comes after a request that failed: that counts for nothing', async () => {
    const headers = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    expect(await world.outcome('PUT', `/${bucket}/a`, { body: 'x'.repeat(90), headers })).toBe('400 BadDigest');
    await world.put(`/${bucket}/a`, 'x'.repeat(90));
  });
});

test('a write costs a list call more where there is a quota, and nothing where there is none', async () => {
  const plain = await world.bucket();
  const costOf = async (target: string): Promise<readonly string[]> => {
    await world.gateway.idle();
    calls = [];
    await world.put(target, 'x');
    return calls;
  };
  expect(await costOf(`/${plain}/a`)).toEqual(['write']);
  expect((await costOf(`/${bucket}/a`)).slice(0, 2)).toEqual(['list', 'write']);
});
