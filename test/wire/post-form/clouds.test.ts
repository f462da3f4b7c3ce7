import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome, send } from '../../support/clients/acl-client.ts';
import { CLOUDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { type TestGateway, startGatewayOver } from '../../support/gateway/gateway.ts';
import { type Fields, exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { testCall } from '../../support/test-call.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';

describe.each(Object.keys(CLOUDS))('forms over %s', (name) => {
  let cloud: Cloud;
  let gateway: TestGateway<BlobStore>;
  const bucket = 'forms';
  const fields: Fields = [
    ['key', 'file'],
    ['x-amz-meta-a', 'b'],
  ];
  const SIGNED = (): Fields => signedV4(fields, exactly(fields, bucket));

  beforeAll(async () => {
    cloud = await startCloud(name);
    gateway = await startGatewayOver(cloud.open());
    expect((await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}` })).status).toBe(200);
  }, 180_000);
  afterAll(async () => {
    await gateway.close();
    await cloud.stop();
  });

  async function head(): Promise<Readonly<Record<string, string>>> {
    return (
      await send(gateway.port, 'owner', {
        method: 'HEAD',
        target: `/${bucket}/file`,
        headers: { 'x-amz-checksum-mode': 'ENABLED' },
      })
    ).headers;
  }

  test.each(['never', 'Enabled', 'Suspended'])('are objects where versioning is %s', async (status) => {
    if (status !== 'never') {
      const body = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
      expect((await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}?versioning`, body })).status).toBe(
        200,
      );
    }
    for (const size of [0, 10_000, 100_000, 1_000_000]) {
      const bytes = randomBytes(size);
      const checksum = createHash('sha256').update(bytes).digest('base64');
      const answer = await roundTrip(
        gateway.port,
        formRequest(bucket, { fields: [...SIGNED(), ['x-amz-checksum-sha256', checksum]], file: bytes }),
        'POST',
      );
      expect([outcome(answer), answer.headers['etag']]).toEqual([
        '204',
        `"${createHash('md5').update(bytes).digest('hex')}"`,
      ]);
      expect(await head()).toMatchObject({
        'content-length': String(size),
        etag: answer.headers['etag'],
        'x-amz-meta-a': 'b',
        'x-amz-checksum-sha256': checksum,
      });
    }
  });

  test('leave what was there when they are refused at their end, and nothing beside it', async () => {
    const { etag } = await head();
    const staged = async (): Promise<number> =>
      (await gateway.store.list('system', { limit: 1000 }, testCall())).entries.filter(({ name: entry }) =>
        entry.includes('~'),
      ).length;
    const before = await staged();
    const wrong: Fields = [...SIGNED(), ['x-amz-checksum-crc32', 'AAAAAA==']];
    expect(
      outcome(
        await roundTrip(gateway.port, formRequest(bucket, { fields: wrong, file: randomBytes(500_000) }), 'POST'),
      ),
    ).toBe('400 BadDigest');
    expect((await head())['etag']).toBe(etag);
    expect(await staged()).toBeLessThanOrEqual(before);
  });
});
