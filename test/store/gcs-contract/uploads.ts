import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import { md5 } from './raw-gcs.ts';
import type { Subject } from './subject.ts';

const UNIT = 256 * 1024;

export function uploadTests(subject: Subject, test: Define): void {
  oneRequestTests(subject, test);
  resumableTests(subject, test);
}

function oneRequestTests(subject: Subject, test: Define): void {
  test('a media upload answers generation, metageneration, md5Hash and crc32c', async () => {
    const { gcs, bucket } = subject;
    const { status, json } = await gcs.media(bucket, 'media', 'hello');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: 'media',
      bucket,
      size: '5',
      metageneration: '1',
      md5Hash: md5('hello'),
      crc32c: 'mnG7TA==',
      contentType: 'text/plain',
    });
    expect(json['generation']).toMatch(/^\d{10,19}$/);
  });

  test('a multipart upload keeps content headers and metadata, case and script of it too', async () => {
    const { gcs, bucket } = subject;
    const fields = {
      contentType: 'a/b',
      cacheControl: 'no-store',
      contentDisposition: 'inline',
      contentEncoding: 'x',
      contentLanguage: 'de',
      metadata: { CamelCase: 'V', 'with-dash': 'ü€' },
    };
    await gcs.multipart(bucket, { name: 'fields', ...fields }, 'data');
    expect((await gcs.get(bucket, 'fields')).json).toMatchObject(fields);
  });

  test('a multipart upload keeps bytes that look like its own framing', async () => {
    const { gcs, bucket } = subject;
    const bytes = Buffer.concat([Buffer.from('\r\n--zz\r\n'), randomBytes(100_000), Buffer.from('\r\n')]);
    await gcs.multipart(bucket, { name: 'framing' }, bytes);
    expect((await gcs.read(bucket, 'framing')).bytes.equals(bytes)).toBe(true);
  });

  test('an md5Hash in the resource that does not fit: 400, nothing stored', async () => {
    const { gcs, bucket } = subject;
    expect((await gcs.multipart(bucket, { name: 'bad-md5', md5Hash: md5('other') }, 'data')).status).toBe(400);
    expect((await gcs.get(bucket, 'bad-md5')).status).toBe(404);
    expect((await gcs.multipart(bucket, { name: 'good-md5', md5Hash: md5('data') }, 'data')).status).toBe(200);
  });

  test('a crc32c in the resource that does not fit: 400', async () => {
    expect((await subject.gcs.multipart(subject.bucket, { name: 'bad-crc', crc32c: 'AAAAAA==' }, 'data')).status).toBe(
      400,
    );
  });

  test('x-goog-hash and Content-MD5 that do not fit: 400', async () => {
    const { gcs, bucket } = subject;
    expect(
      (await gcs.media(bucket, 'bad-hash', 'data', { headers: { 'x-goog-hash': `md5=${md5('other')}` } })).status,
    ).toBe(400);
    expect((await gcs.media(bucket, 'bad-header', 'data', { headers: { 'content-md5': md5('other') } })).status).toBe(
      400,
    );
  });

  test('custom metadata above 8 KiB: refused', async () => {
    const { gcs, bucket } = subject;
    expect((await gcs.multipart(bucket, { name: 'large', metadata: { a: 'x'.repeat(9000) } }, 'x')).status).toBeOneOf([
      400, 413,
    ]);
    expect((await gcs.multipart(bucket, { name: 'almost', metadata: { a: 'x'.repeat(8000) } }, 'x')).status).toBe(200);
  });

  test('every write has a generation of its own, a higher one', async () => {
    const { gcs, bucket } = subject;
    const seen: bigint[] = [];
    for (let i = 0; i < 20; i += 1) {
      seen.push(BigInt((await gcs.media(bucket, 'generations', String(i))).json['generation'] as string));
    }
    expect(seen.every((generation, i) => i === 0 || generation > (seen[i - 1] ?? 0n))).toBe(true);
  });

  test('a bucket that does not exist: 404', async () => {
    expect((await subject.gcs.media('contract-missing-bucket', 'x', 'y')).status).toBe(404);
  });

  test('a client that goes away in the middle leaves nothing', async () => {
    const { gcs, bucket } = subject;
    const stop = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536));
        setTimeout(() => stop.abort(), 50);
        return new Promise((resolve) => setTimeout(resolve, 100));
      },
    });
    const url = `${gcs.endpoint}/upload/storage/v1/b/${bucket}/o?uploadType=media&name=cut`;
    await expect(fetch(url, { method: 'POST', body, duplex: 'half', signal: stop.signal })).rejects.toThrow();
    expect((await gcs.get(bucket, 'cut')).status).toBe(404);
  });
}

function resumableTests(subject: Subject, test: Define): void {
  const bytes = randomBytes(2 * UNIT + 100);

  test('resumable: chunks answer 308 with what is there, the last one the object', async () => {
    const { gcs, bucket } = subject;
    const upload = await gcs.resumable(bucket, 'chunks');
    expect(new URL(upload.location).hostname).toBe('127.0.0.1');
    const first = await upload.put(`0-${UNIT - 1}/*`, bytes.subarray(0, UNIT));
    expect([first.status, first.headers.get('range')]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect((await upload.put(`${UNIT}-${2 * UNIT - 1}/*`, bytes.subarray(UNIT, 2 * UNIT))).status).toBe(308);
    expect((await gcs.get(bucket, 'chunks')).status).toBe(404);
    expect((await upload.put(`${2 * UNIT}-${bytes.length - 1}/${bytes.length}`, bytes.subarray(2 * UNIT))).status).toBe(
      200,
    );
    expect((await gcs.read(bucket, 'chunks')).bytes.equals(bytes)).toBe(true);
  });

  test('resumable: asked how far it has come', async () => {
    const upload = await subject.gcs.resumable(subject.bucket, 'asked');
    const before = await upload.put('*/*');
    expect([before.status, before.headers.get('range')]).toEqual([308, null]);
    await upload.put(`0-${UNIT - 1}/*`, bytes.subarray(0, UNIT));
    const midway = await upload.put('*/*');
    expect([midway.status, midway.headers.get('range')]).toEqual([308, `bytes=0-${UNIT - 1}`]);
  });

  test('resumable: bytes that are sent again are skipped', async () => {
    const { gcs, bucket } = subject;
    const upload = await gcs.resumable(bucket, 'overlap');
    await upload.put(`0-${UNIT - 1}/*`, bytes.subarray(0, UNIT));
    await upload.put(`0-${bytes.length - 1}/${bytes.length}`, bytes);
    expect((await gcs.read(bucket, 'overlap')).bytes.equals(bytes)).toBe(true);
  });

  test('resumable: cancelled is gone', async () => {
    const upload = await subject.gcs.resumable(subject.bucket, 'cancelled');
    expect((await upload.cancel()).status).toBe(499);
    expect((await upload.put('0-9/10', bytes.subarray(0, 10))).status).toBeGreaterThanOrEqual(400);
  });

  test('resumable: the condition of the start is judged at the end', async () => {
    const { gcs, bucket } = subject;
    const upload = await gcs.resumable(bucket, 'late', { ifGenerationMatch: 0 });
    await gcs.media(bucket, 'late', 'somebody else');
    expect((await upload.put('0-99/100', bytes.subarray(0, 100))).status).toBe(412);
    expect((await gcs.read(bucket, 'late')).text).toBe('somebody else');
  });
}
