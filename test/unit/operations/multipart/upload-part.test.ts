import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { md5Of, multipartEtag } from '../../manifest/upload-fixture.ts';
import { CRC, crc32Of, sha256Of } from './checksums.ts';
import { Gateway, type Sent, element } from './gateway.ts';

describe('UploadPart', () => {
  it('answers the MD5 and the checksum that was sent', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const answer = await gateway.send('UploadPart', {
      key: 'k',
      query: `partNumber=1&uploadId=${uploadId}`,
      body: 'data',
      headers: { [CRC]: crc32Of('data') },
    });
    expect(answer).toMatchObject({
      status: 200,
      headers: { etag: `"${md5Of('data')}"`, [CRC]: crc32Of('data'), 'x-amz-server-side-encryption': 'AES256' },
    });
  });

  it('streams what is too large to be held', async () => {
    const gateway = await Gateway.open();
    gateway.settings = { ...gateway.settings, holdBytes: 0 };
    const uploadId = await gateway.create('k');
    const body = 'x'.repeat(200_000);
    expect(await gateway.part('k', uploadId, 1, body)).toBe(`"${md5Of(body)}"`);
    expect((await gateway.complete('k', uploadId, [md5Of(body)])).status).toBe(200);
    expect(await gateway.fixture.text('k')).toBe(body);
  });

  it('takes an empty part', async () => {
    const gateway = await Gateway.open();
    for (const holdBytes of [0, 64]) {
      gateway.settings = { ...gateway.settings, holdBytes };
      const uploadId = await gateway.create('k');
      const etag = await gateway.part('k', uploadId, 1, '');
      expect(element((await gateway.complete('k', uploadId, [etag])).xml, 'ETag')).toBe(
        `&quot;${multipartEtag('')}&quot;`,
      );
      expect(await gateway.fixture.text('k')).toBe('');
    }
  });

  it.each([
    ['partNumber=0', 'InvalidArgument'],
    ['partNumber=10001', 'InvalidArgument'],
    ['partNumber=-1', 'InvalidArgument'],
    ['partNumber=one', 'InvalidArgument'],
    ['partNumber=', 'InvalidArgument'],
    ['partNumber=1&versionId=null', 'InvalidArgument'],
    ['partNumber=10000', 200],
  ])('with %s: %s', async (query, status) => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const answer = await gateway.send('UploadPart', { key: 'k', query: `${query}&uploadId=${uploadId}`, body: 'x' });
    expect(answer.status).toBe(status);
    expect(answer.bodyRead).toBe(status === 200);
  });

  it('does not ask for the body of a part of no upload', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    for (const sent of [
      { key: 'k', query: 'partNumber=1&uploadId=abc1234def' },
      { key: 'other', query: `partNumber=1&uploadId=${uploadId}` },
    ]) {
      expect(await gateway.send('UploadPart', { ...sent, body: 'x' })).toMatchObject({
        status: 'NoSuchUpload',
        bodyRead: false,
      });
    }
  });

  it.each<[string, Omit<Sent, 'key' | 'query'>, string]>([
    ['Content-MD5 that is none', { headers: { 'content-md5': 'bad' } }, 'InvalidDigest'],
    [
      'a wrong Content-MD5',
      { headers: { 'content-md5': Buffer.from(md5Of('other'), 'hex').toString('base64') } },
      'BadDigest',
    ],
    ['a wrong checksum', { headers: { [CRC]: crc32Of('other') } }, 'BadDigest'],
    [
      'a wrong payload hash',
      { payload: { kind: 'hash', sha256: createHash('sha256').update('other').digest('hex') } },
      'XAmzContentSHA256Mismatch',
    ],
    ['fewer bytes than declared', { headers: { 'content-length': '9' } }, 'IncompleteBody'],
    ['more than 5 GiB', { headers: { 'content-length': '5368709121' } }, 'EntityTooLarge'],
  ])('refused for %s leaves the part that was there', async (_name, sent, code) => {
    for (const holdBytes of [0, 64]) {
      const gateway = await Gateway.open();
      gateway.settings = { ...gateway.settings, holdBytes };
      const uploadId = await gateway.create('k');
      const etag = await gateway.part('k', uploadId, 1, 'good');
      expect(
        (
          await gateway.send('UploadPart', {
            key: 'k',
            query: `partNumber=1&uploadId=${uploadId}`,
            body: 'bad part',
            ...sent,
          })
        ).status,
      ).toBe(code);
      expect((await gateway.complete('k', uploadId, [etag])).status).toBe(200);
      expect(await gateway.fixture.text('k')).toBe('good');
    }
  });

  it.each<[string, Record<string, string>, Record<string, string>, number | string]>([
    ['composite, right algorithm', { 'x-amz-checksum-algorithm': 'CRC32' }, { [CRC]: crc32Of('x') }, 200],
    ['composite, none', { 'x-amz-checksum-algorithm': 'CRC32' }, {}, 'InvalidRequest'],
    ['composite, another', { 'x-amz-checksum-algorithm': 'SHA256' }, { [CRC]: crc32Of('x') }, 'InvalidRequest'],
    ['full object, none', { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' }, {}, 200],
    ['full object, another', { 'x-amz-checksum-algorithm': 'CRC64NVME' }, { [CRC]: crc32Of('x') }, 'InvalidRequest'],
    ['no algorithm, any', {}, { 'x-amz-checksum-sha256': sha256Of('x') }, 200],
  ])('with a checksum: %s', async (_name, created, headers, status) => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k', created);
    const answer = await gateway.send('UploadPart', {
      key: 'k',
      query: `partNumber=1&uploadId=${uploadId}`,
      body: 'x',
      headers,
    });
    expect(answer.status).toBe(status);
    if (created['x-amz-checksum-type'] === 'FULL_OBJECT') expect(answer.headers[CRC]).toBe(crc32Of('x'));
  });
});
