import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import type { Subject } from './subject.ts';

export function bucketTests(subject: Subject, test: Define): void {
  const create = (resource: object): Promise<{ status: number }> =>
    subject.gcs.send('POST', '/storage/v1/b', { query: { project: 'demo-p' }, body: resource });

  test('a bucket is made once', async () => {
    expect((await create({ name: subject.bucket })).status).toBe(409);
    expect((await subject.gcs.send('GET', subject.gcs.bucket(subject.bucket))).json).toMatchObject({
      name: subject.bucket,
    });
    expect((await subject.gcs.send('GET', subject.gcs.bucket('contract-missing-bucket'))).status).toBe(404);
  });

  test('the list of buckets, by prefix', async () => {
    const { json } = await subject.gcs.send('GET', '/storage/v1/b', {
      query: { project: 'demo-p', prefix: subject.bucket },
    });
    expect((json['items'] as { name: string }[]).map(({ name }) => name)).toEqual([subject.bucket]);
  });

  test('a bucket that is not empty is not deleted: 409', async () => {
    const { gcs } = subject;
    const bucket = await gcs.newBucket();
    await gcs.media(bucket, 'x', 'y');
    expect((await gcs.send('DELETE', gcs.bucket(bucket))).status).toBe(409);
    await gcs.delete(bucket, 'x');
    expect((await gcs.send('DELETE', gcs.bucket(bucket))).status).toBeLessThan(300);
    expect((await gcs.send('GET', gcs.bucket(bucket))).status).toBe(404);
  });

  test('soft delete is on unless it is turned off', async () => {
    const { gcs } = subject;
    const policy = async (bucket: string): Promise<unknown> => {
      const { softDeletePolicy } = (await gcs.send('GET', gcs.bucket(bucket))).json as {
        softDeletePolicy?: Record<string, unknown>;
      };
      return softDeletePolicy?.['retentionDurationSeconds'];
    };
    expect(await policy(await gcs.newBucket())).toBe('604800');
    expect(await policy(await gcs.newBucket({ softDeletePolicy: { retentionDurationSeconds: '0' } }))).toBe('0');
  });

  test('names that are no bucket names: 400', async () => {
    for (const name of ['ab', 'Upper', 'goog-mine', 'my-google-bucket', 'x'.repeat(64), '-dash']) {
      expect((await create({ name })).status, name).toBe(400);
    }
  });
}
