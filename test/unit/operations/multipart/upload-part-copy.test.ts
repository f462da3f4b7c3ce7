import { describe, expect, it } from 'vitest';
import { md5Of } from '../../manifest/upload-fixture.ts';
import { Gateway, element } from './gateway.ts';

describe('UploadPartCopy', () => {
  async function copying(
    body: string,
    more: { headers?: Record<string, string>; smallRangeCopy?: boolean; query?: string; sent?: string } = {},
  ) {
    const gateway = await Gateway.open();
    gateway.settings = { ...gateway.settings, smallRangeCopy: more.smallRangeCopy ?? true };
    await gateway.fixture.put('source', body);
    const uploadId = await gateway.create('k');
    const headers = { 'x-amz-copy-source': 'bucket/source', ...more.headers };
    const query = more.query ?? `partNumber=1&uploadId=${uploadId}`;
    const answer = await gateway.send('UploadPartCopy', {
      key: 'k',
      query,
      headers,
      ...(more.sent !== undefined && { body: more.sent }),
    });
    return { gateway, uploadId, answer, etag: element(answer.xml, 'ETag')?.replaceAll('&quot;', '') ?? '' };
  }

  it('copies a whole object with its MD5 as ETag', async () => {
    const { gateway, uploadId, answer, etag } = await copying('0123456789');
    expect(answer).toMatchObject({ status: 200, long: true, headers: { 'x-amz-server-side-encryption': 'AES256' } });
    expect(answer.headers).not.toHaveProperty('x-amz-copy-source-version-id');
    expect(answer.xml).toMatch(/<CopyPartResult [^>]*><LastModified>[^<]*.000Z<\/LastModified><ETag>/);
    expect(etag).toBe(md5Of('0123456789'));
    expect((await gateway.complete('k', uploadId, [etag])).status).toBe(200);
    expect(await gateway.fixture.text('k')).toBe('0123456789');
  });

  it('copies a range; its ETag is 32 hex digits, the same for the same bytes of the same state', async () => {
    const { gateway, uploadId, etag } = await copying('0123456789', {
      headers: { 'x-amz-copy-source-range': 'bytes=3-6' },
    });
    expect(etag).toMatch(/^[0-9a-f]{32}$/);
    expect((await gateway.complete('k', uploadId, [etag])).status).toBe(200);
    expect(await gateway.fixture.text('k')).toBe('3456');
    const whole = await copying('0123456789', { headers: { 'x-amz-copy-source-range': 'bytes=0-9' } });
    expect(whole.etag).toBe(md5Of('0123456789'));
  });

  it('copies from an object that is still a private blob, and an empty one', async () => {
    const gateway = await Gateway.open({ settling: false });
    const source = await gateway.create('source');
    await gateway.complete('source', source, [await gateway.part('source', source, 1, 'assembled')]);
    await gateway.fixture.put('empty', '');
    const uploadId = await gateway.create('k');
    const etags = [];
    for (const [index, name] of ['source', 'empty'].entries()) {
      const headers = { 'x-amz-copy-source': `/bucket/${name}` };
      const { status, xml } = await gateway.send('UploadPartCopy', {
        key: 'k',
        query: `partNumber=${index + 1}&uploadId=${uploadId}`,
        headers,
      });
      expect(status).toBe(200);
      etags.push(element(xml, 'ETag')?.replaceAll('&quot;', '') ?? '');
    }
    expect((await gateway.complete('k', uploadId, etags)).status).toBe(200);
    expect(await gateway.fixture.text('k')).toBe('assembled');
  });

  it('looks again when the source is replaced under it', async () => {
    const gateway = await Gateway.open();
    await gateway.fixture.put('source', 'before');
    const uploadId = await gateway.create('k');
    let replaced = false;
    gateway.fixture.plan = ({ method }) => {
      if (method !== 'stagePartFrom' || replaced) return undefined;
      replaced = true;
      return { kind: 'interleave', before: () => gateway.fixture.put('source', 'afterwards') };
    };
    const answer = await gateway.send('UploadPartCopy', {
      key: 'k',
      query: `partNumber=1&uploadId=${uploadId}`,
      headers: { 'x-amz-copy-source': 'bucket/source' },
    });
    expect(element(answer.xml, 'ETag')).toBe(`&quot;${md5Of('afterwards')}&quot;`);
  });

  it.each<[string, string | number]>([
    ['bytes=0-9', 200],
    // ceph/s3-tests test_multipart_copy_invalid_range, test_multipart_copy_improper_range
    ['bytes=0-10', 'InvalidRange'],
    ['bytes=10-12', 'InvalidRequest'],
    ['0-2', 'InvalidArgument'],
    ['bytes=0', 'InvalidArgument'],
    ['bytes=1-', 'InvalidArgument'],
    ['bytes=-2', 'InvalidArgument'],
    ['bytes=2-1', 'InvalidArgument'],
    ['bytes=hello-world', 'InvalidArgument'],
    ['bytes=0-bar', 'InvalidArgument'],
    ['bytes=hello-', 'InvalidArgument'],
    ['bytes=0-2,3-5', 'InvalidArgument'],
    ['', 'InvalidArgument'],
  ])('of the range %s of ten bytes: %s', async (range, status) => {
    const { answer } = await copying('0123456789', { headers: { 'x-amz-copy-source-range': range } });
    expect(answer.status).toBe(status);
  });

  it('of a range of a small source needs the setting', async () => {
    const headers = { 'x-amz-copy-source-range': 'bytes=0-4' };
    expect((await copying('0123456789', { headers, smallRangeCopy: false })).answer.status).toBe('InvalidRequest');
    const bad = { 'x-amz-copy-source-range': '0-4' };
    expect((await copying('0123456789', { headers: bad, smallRangeCopy: false })).answer.status).toBe(
      'InvalidArgument',
    );
  });

  it.each<[string, Parameters<typeof copying>[1], string]>([
    ['no key in the source', { headers: { 'x-amz-copy-source': 'bucket' } }, 'InvalidArgument'],
    ['a source that is not there', { headers: { 'x-amz-copy-source': 'bucket/none' } }, 'NoSuchKey'],
    ['a bucket that is not there', { headers: { 'x-amz-copy-source': 'no-such-bucket/k' } }, 'NoSuchBucket'],
    [
      'another owner than expected',
      { headers: { 'x-amz-source-expected-bucket-owner': '000000000000' } },
      'AccessDenied',
    ],
    ['a condition that fails', { headers: { 'x-amz-copy-source-if-match': 'other' } }, 'PreconditionFailed'],
    [
      'a condition that holds against it',
      { headers: { 'x-amz-copy-source-if-none-match': '*' } },
      'PreconditionFailed',
    ],
    ['an upload that is not there', { query: 'partNumber=1&uploadId=none' }, 'NoSuchUpload'],
    ['a body', { sent: 'bytes' }, 'InvalidRequest'],
    ['a customer key', { headers: { 'x-amz-copy-source-server-side-encryption-customer-key': 'k' } }, 'InvalidRequest'],
  ])('with %s: %3$s', async (_name, more, code) => {
    const { answer, gateway } = await copying('0123456789', more);
    expect(answer).toMatchObject({ status: code, long: false });
    expect(await gateway.fixture.names('p/')).toEqual([]);
  });

  it('echoes the customer algorithm', async () => {
    const name = 'x-amz-server-side-encryption-customer-algorithm';
    expect((await copying('x', { headers: { [name]: 'AES256' } })).answer.headers[name]).toBe('AES256');
    expect((await copying('x', { headers: { [name]: 'ROT13' } })).answer.status).toBe(
      'InvalidEncryptionAlgorithmError',
    );
  });
});
