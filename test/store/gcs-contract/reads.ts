import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import { md5 } from './raw-gcs.ts';
import type { Subject } from './subject.ts';

export function readTests(subject: Subject, test: Define): void {
  const bytes = randomBytes(1000);

  test('ranges: first bytes, open end, clipped end', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'ranges', bytes);
    const expected: [string, string, Buffer][] = [
      ['0-9', 'bytes 0-9/1000', bytes.subarray(0, 10)],
      ['990-', 'bytes 990-999/1000', bytes.subarray(990)],
      ['10-5000', 'bytes 10-999/1000', bytes.subarray(10)],
    ];
    for (const [range, contentRange, content] of expected) {
      for (const path of [`${gcs.object(bucket, 'ranges')}?alt=media`, gcs.xml(bucket, 'ranges')]) {
        const answer = await gcs.send('GET', path, { headers: { range: `bytes=${range}` } });
        expect([answer.status, answer.headers.get('content-range'), answer.bytes.equals(content)]).toEqual([
          206,
          contentRange,
          true,
        ]);
      }
    }
  });

  test('ranges: past the end: 416', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'ranges-past', bytes);
    for (const range of ['1000-', '2000-3000']) {
      expect((await gcs.read(bucket, 'ranges-past', { headers: { range: `bytes=${range}` } })).status).toBe(416);
      expect(
        (await gcs.send('GET', gcs.xml(bucket, 'ranges-past'), { headers: { range: `bytes=${range}` } })).status,
      ).toBe(416);
    }
  });

  test('an XML read answers bytes, content headers, hashes, generations and custom metadata together', async () => {
    const { gcs, bucket } = subject;
    const fields = {
      contentType: 'a/b',
      cacheControl: 'no-store',
      contentDisposition: 'inline',
      contentLanguage: 'de',
      metadata: { one: '1', two_2: 'x y' },
    };
    const { json } = await gcs.multipart(bucket, { name: 'xml/read', ...fields }, 'hello');
    const { status, headers, text } = await gcs.send('GET', gcs.xml(bucket, 'xml/read'));
    expect([status, text]).toEqual([200, 'hello']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'a/b',
      'cache-control': 'no-store',
      'content-disposition': 'inline',
      'content-language': 'de',
      'x-goog-meta-one': '1',
      'x-goog-meta-two_2': 'x y',
      'x-goog-generation': String(json['generation']),
      'x-goog-stored-content-length': '5',
    });
    expect(headers.get('x-goog-hash')).toContain(`md5=${md5('hello')}`);
  });

  test('an XML read answers the metageneration', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'xml-meta', 'x');
    await gcs.patch(bucket, 'xml-meta', { metadata: { a: '1' } });
    expect((await gcs.send('GET', gcs.xml(bucket, 'xml-meta'))).headers.get('x-goog-metageneration')).toBe('2');
  });

  test('generation= reads the current one, and no other', async () => {
    const { gcs, bucket } = subject;
    const first = String((await gcs.media(bucket, 'gen', '1')).json['generation']);
    const second = String((await gcs.media(bucket, 'gen', '2')).json['generation']);
    const statuses = await Promise.all(
      [second, first, '12345'].map((generation) => gcs.read(bucket, 'gen', { query: { generation } })),
    );
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404]);
  });

  test('what is stored packed stays packed for who accepts gzip, and is unpacked for others', async () => {
    const { gcs, bucket } = subject;
    const packed = gzipSync('hello');
    await gcs.multipart(bucket, { name: 'packed', contentEncoding: 'gzip', contentType: 'text/plain' }, packed);
    // fetch unpacks by itself what comes packed: the length that was stored tells which it was. The
    // service names it as the answer's own, or not.
    const kept = await gcs.send('GET', gcs.xml(bucket, 'packed'));
    const length = kept.headers.get('content-length') ?? kept.headers.get('x-goog-stored-content-length');
    expect([kept.headers.get('content-encoding'), length]).toEqual(['gzip', String(packed.length)]);
    const unpacked = await gcs.send('GET', gcs.xml(bucket, 'packed'), { headers: { 'accept-encoding': 'identity' } });
    expect([unpacked.headers.get('content-encoding'), unpacked.text]).toEqual([null, 'hello']);
  });

  test('what does not exist: 404 with a document that says what is missing', async () => {
    const { gcs, bucket } = subject;
    expect((await gcs.get(bucket, 'never')).json['error']).toMatchObject({ code: 404 });
    expect((await gcs.send('GET', gcs.xml(bucket, 'never'))).text).toContain('<Code>NoSuchKey</Code>');
    expect((await gcs.send('GET', gcs.xml('contract-missing-bucket', 'never'))).text).toContain(
      '<Code>NoSuchBucket</Code>',
    );
  });
}
