import { describe, expect, it } from 'vitest';
import { Gateway } from './gateway.ts';

describe('CreateMultipartUpload', () => {
  it('answers bucket, key and id, and the checksum it will keep', async () => {
    const gateway = await Gateway.open();
    const headers = { 'x-amz-checksum-algorithm': 'crc32c', 'x-amz-server-side-encryption': 'AES256' };
    const answer = await gateway.send('CreateMultipartUpload', { key: 'a&b', query: 'uploads', headers });
    expect(answer.status).toBe(200);
    expect(answer.xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<InitiateMultipartUploadResult xmlns="[^"]*"><Bucket>bucket<\/Bucket><Key>a&amp;b<\/Key>/,
    );
    expect(answer.headers).toEqual({
      'x-amz-server-side-encryption': 'AES256',
      'x-amz-checksum-algorithm': 'CRC32C',
      'x-amz-checksum-type': 'COMPOSITE',
    });
  });

  it.each<[Record<string, string>, number | string]>([
    [{}, 200],
    [{ 'x-amz-checksum-algorithm': 'CRC64NVME' }, 200],
    [{ 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' }, 200],
    [{ 'x-amz-checksum-algorithm': 'MD4' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-type': 'FULL_OBJECT' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'HALF' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-algorithm': 'CRC64NVME', 'x-amz-checksum-type': 'COMPOSITE' }, 'InvalidRequest'],
    [{ 'x-amz-checksum-algorithm': 'SHA256', 'x-amz-checksum-type': 'FULL_OBJECT' }, 'InvalidRequest'],
    [{ 'x-amz-acl': 'public-read', 'x-amz-grant-read': 'id=x' }, 'InvalidRequest'],
    [{ 'x-amz-tagging': 'a=b' }, 200],
    [{ 'x-amz-tagging': 'a=b&a=c' }, 'InvalidArgument'],
    [{ 'x-amz-server-side-encryption': 'aws:kms' }, 'NotImplemented'],
    [{ 'x-amz-server-side-encryption-customer-key': 'k' }, 'InvalidRequest'],
    [{ 'x-amz-storage-class': 'MOON' }, 'InvalidStorageClass'],
    [{ 'x-amz-meta-big': 'x'.repeat(3000) }, 'MetadataTooLarge'],
    [{ 'x-amz-expected-bucket-owner': '000000000000' }, 'AccessDenied'],
  ])('with %j: %s', async (headers, status) => {
    const gateway = await Gateway.open();
    expect((await gateway.send('CreateMultipartUpload', { key: 'k', query: 'uploads', headers })).status).toBe(status);
    expect(await gateway.fixture.openUploads()).toHaveLength(status === 200 ? 1 : 0);
  });

  it('is not for anonymous callers', async () => {
    const gateway = await Gateway.open();
    expect((await gateway.send('CreateMultipartUpload', { key: 'k', query: 'uploads', anonymous: true })).status).toBe(
      'AccessDenied',
    );
  });
});
