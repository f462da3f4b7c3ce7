import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import type { Subject } from './subject.ts';

/** https://cloud.google.com/storage/docs/batch */
export function batchTests(subject: Subject, test: Define): void {
  const send = (calls: readonly string[]): ReturnType<typeof subject.gcs.send> => {
    const parts = calls.map(
      (call, n) =>
        `--batch_b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <n+${n}>\r\n\r\n${call} HTTP/1.1\r\n\r\n\r\n`,
    );
    return subject.gcs.send('POST', '/batch/storage/v1', {
      headers: { 'content-type': 'multipart/mixed; boundary=batch_b' },
      body: `${parts.join('')}--batch_b--\r\n`,
    });
  };
  /** Some say 200 of what is done. */
  const statuses = (text: string): number[] =>
    [...text.matchAll(/\r\nHTTP\/1\.1 (\d+)/g)].map(([, status]) => (status === '200' ? 204 : Number(status)));

  test('a batch of deletions is answered in order, each by its id', async () => {
    const { gcs, bucket } = subject;
    for (const name of ['batch/a b', 'batch/ü']) await gcs.media(bucket, name, 'x');
    const { status, text, headers } = await send(
      ['batch/a b', 'batch/never', 'batch/ü'].map((name) => `DELETE ${gcs.object(bucket, name)}`),
    );
    expect([status, headers.get('content-type')?.split(';', 1)[0]]).toEqual([200, 'multipart/mixed']);
    expect(statuses(text)).toEqual([204, 404, 204]);
    expect([...text.matchAll(/Content-ID: (.*)\r\n/gi)].map(([, id]) => id)).toEqual(
      [0, 1, 2].map((n) => `<response-n+${n}>`),
    );
    expect((await gcs.get(bucket, 'batch/a b')).status).toBe(404);
  });

  test('each deletion of a batch has conditions of its own', async () => {
    const { gcs, bucket } = subject;
    for (const name of ['batch/kept', 'batch/pinned']) await gcs.media(bucket, name, 'x');
    const { json } = await gcs.get(bucket, 'batch/pinned');
    const pinned = `?ifGenerationMatch=${String(json['generation'])}&ifMetagenerationMatch=1`;
    const { text } = await send([
      `DELETE ${gcs.object(bucket, 'batch/kept')}?ifGenerationMatch=1`,
      `DELETE ${gcs.object(bucket, 'batch/pinned')}${pinned}`,
    ]);
    expect(statuses(text)).toEqual([412, 204]);
    expect(text).toContain('conditionNotMet');
    expect((await gcs.get(bucket, 'batch/kept')).status).toBe(200);
  });

  test('what is no batch is refused', async () => {
    expect((await subject.gcs.send('POST', '/batch/storage/v1', { body: 'x' })).status).toBe(400);
  });
}
