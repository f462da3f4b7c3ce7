import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { crc32 } from 'node:zlib';
import { testCall } from '../../../support/test-call.ts';
import { OWNER, md5Of, multipartEtag } from '../../manifest/upload-fixture.ts';
import { Gateway, type Sent, element, elements } from './gateway.ts';

const CRC = 'x-amz-checksum-crc32';

function crc32Of(text: string): string {
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE(crc32(text));
  return digest.toString('base64');
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

describe('CreateMultipartUpload', () => {
  it('answers bucket, key and id, and the checksum it will keep', async () => {
    const gateway = await Gateway.open();
    const headers = { 'x-amz-checksum-algorithm': 'crc32c', 'x-amz-server-side-encryption': 'AES256' };
    const answer = await gateway.send('CreateMultipartUpload', { key: 'a&b', query: 'uploads', headers });
    expect(answer.status).toBe(200);
    expect(answer.xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<InitiateMultipartUploadResult xmlns="[^"]*"><Bucket>bucket<\/Bucket><Key>a&amp;b<\/Key>/);
    expect(answer.headers).toEqual({ 'x-amz-server-side-encryption': 'AES256', 'x-amz-checksum-algorithm': 'CRC32C', 'x-amz-checksum-type': 'COMPOSITE' });
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
    [{ 'x-amz-server-side-encryption-customer-key': 'k' }, 'NotImplemented'],
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
    expect((await gateway.send('CreateMultipartUpload', { key: 'k', query: 'uploads', anonymous: true })).status).toBe('AccessDenied');
  });
});

describe('UploadPart', () => {
  it('answers the MD5 and the checksum that was sent', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const answer = await gateway.send('UploadPart', { key: 'k', query: `partNumber=1&uploadId=${uploadId}`, body: 'data', headers: { [CRC]: crc32Of('data') } });
    expect(answer).toMatchObject({ status: 200, headers: { etag: `"${md5Of('data')}"`, [CRC]: crc32Of('data'), 'x-amz-server-side-encryption': 'AES256' } });
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
      expect(element((await gateway.complete('k', uploadId, [etag])).xml, 'ETag')).toBe(`&quot;${multipartEtag('')}&quot;`);
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
    for (const sent of [{ key: 'k', query: 'partNumber=1&uploadId=abc1234def' }, { key: 'other', query: `partNumber=1&uploadId=${uploadId}` }]) {
      expect(await gateway.send('UploadPart', { ...sent, body: 'x' })).toMatchObject({ status: 'NoSuchUpload', bodyRead: false });
    }
  });

  it.each<[string, Omit<Sent, 'key' | 'query'>, string]>([
    ['Content-MD5 that is none', { headers: { 'content-md5': 'bad' } }, 'InvalidDigest'],
    ['a wrong Content-MD5', { headers: { 'content-md5': Buffer.from(md5Of('other'), 'hex').toString('base64') } }, 'BadDigest'],
    ['a wrong checksum', { headers: { [CRC]: crc32Of('other') } }, 'BadDigest'],
    ['a wrong payload hash', { payload: { kind: 'hash', sha256: createHash('sha256').update('other').digest('hex') } }, 'XAmzContentSHA256Mismatch'],
    ['fewer bytes than declared', { headers: { 'content-length': '9' } }, 'IncompleteBody'],
    ['more than 5 GiB', { headers: { 'content-length': '5368709121' } }, 'EntityTooLarge'],
  ])('refused for %s leaves the part that was there', async (_name, sent, code) => {
    for (const holdBytes of [0, 64]) {
      const gateway = await Gateway.open();
      gateway.settings = { ...gateway.settings, holdBytes };
      const uploadId = await gateway.create('k');
      const etag = await gateway.part('k', uploadId, 1, 'good');
      expect((await gateway.send('UploadPart', { key: 'k', query: `partNumber=1&uploadId=${uploadId}`, body: 'bad part', ...sent })).status).toBe(code);
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
    const answer = await gateway.send('UploadPart', { key: 'k', query: `partNumber=1&uploadId=${uploadId}`, body: 'x', headers });
    expect(answer.status).toBe(status);
    if (created['x-amz-checksum-type'] === 'FULL_OBJECT') expect(answer.headers[CRC]).toBe(crc32Of('x'));
  });
});

describe('CompleteMultipartUpload', () => {
  it('answers where the object is, also when it is repeated', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('dir/a b&c');
    const etag = await gateway.part('dir/a b&c', uploadId, 1, 'data');
    const answer = await gateway.complete('dir/a b&c', uploadId, [etag]);
    expect(answer).toMatchObject({ status: 200, long: true });
    expect(element(answer.xml, 'Location')).toBe('http://localhost:8080/bucket/dir/a%20b%26c');
    expect(element(answer.xml, 'Key')).toBe('dir/a b&amp;c');
    expect(element(answer.xml, 'ETag')).toBe('&quot;2068bfdec27f4616282c1124300f0ae6-1&quot;');
    expect((await gateway.complete('dir/a b&c', uploadId, [etag])).xml).toBe(answer.xml);
  });

  it('takes the last entry of a part that is listed twice', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    await gateway.part('k', uploadId, 1, 'data');
    const body = `<CompleteMultipartUpload>${part('1', 'f'.repeat(32))}${part('1', good)}</CompleteMultipartUpload>`;
    expect(await gateway.send('CompleteMultipartUpload', { key: 'k', query: `uploadId=${uploadId}`, body })).toMatchObject({ status: 200 });
    expect(await gateway.fixture.text('k')).toBe('data');
  });

  const part = (number: string, etag: string): string => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`;
  const good = md5Of('data');
  it.each([
    ['nothing', '', 'MalformedXML'],
    ['no XML', 'parts, please', 'MalformedXML'],
    ['another document', '<Delete/>', 'MalformedXML'],
    ['no part', '<CompleteMultipartUpload/>', 'InvalidRequest'],
    ['a part without number', `<CompleteMultipartUpload><Part><ETag>${good}</ETag></Part></CompleteMultipartUpload>`, 'MalformedXML'],
    ['a part without ETag', '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>', 'MalformedXML'],
    ['a number that is none', `<CompleteMultipartUpload>${part('one', good)}</CompleteMultipartUpload>`, 'MalformedXML'],
    ['number 0', `<CompleteMultipartUpload>${part('0', good)}</CompleteMultipartUpload>`, 'InvalidArgument'],
    ['number 10001', `<CompleteMultipartUpload>${part('10001', good)}</CompleteMultipartUpload>`, 'InvalidArgument'],
    ['parts out of order', `<CompleteMultipartUpload>${part('2', good)}${part('1', good)}</CompleteMultipartUpload>`, 'InvalidPartOrder'],
    ['a part twice, the last with a wrong ETag', `<CompleteMultipartUpload>${part('1', good)}${part('1', 'f'.repeat(32))}</CompleteMultipartUpload>`, 'InvalidPart'],
    ['a part that is not there', `<CompleteMultipartUpload>${part('1', good)}${part('2', good)}</CompleteMultipartUpload>`, 'InvalidPart'],
    ['a wrong ETag', `<CompleteMultipartUpload>${part('1', 'f'.repeat(32))}</CompleteMultipartUpload>`, 'InvalidPart'],
  ])('refuses %s, and the upload stays open', async (_name, body, code) => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const etag = await gateway.part('k', uploadId, 1, 'data');
    expect(await gateway.send('CompleteMultipartUpload', { key: 'k', query: `uploadId=${uploadId}`, body })).toMatchObject({ status: code, long: false });
    expect(await gateway.fixture.text('k')).toBeUndefined();
    expect((await gateway.complete('k', uploadId, [etag])).status).toBe(200);
  });

  it.each<[Record<string, string>, number | string]>([
    [{ 'if-none-match': '*' }, 'PreconditionFailed'],
    [{ 'if-none-match': md5Of('old') }, 'PreconditionFailed'],
    [{ 'if-none-match': 'other' }, 200],
    [{ 'if-match': `"${md5Of('old')}"` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': 'other' }, 'PreconditionFailed'],
    [{ 'x-amz-mp-object-size': '4' }, 200],
    [{ 'x-amz-mp-object-size': '5' }, 'InvalidRequest'],
    [{ 'x-amz-mp-object-size': 'four' }, 'InvalidRequest'],
    [{ [CRC]: crc32Of('data') }, 'InvalidRequest'],
    [{ [CRC]: crc32Of('data'), 'x-amz-checksum-sha256': sha256Of('data') }, 'InvalidRequest'],
  ])('over an object, with %j: %s', async (headers, status) => {
    const gateway = await Gateway.open();
    await gateway.fixture.put('k', 'old');
    const uploadId = await gateway.create('k');
    const etag = await gateway.part('k', uploadId, 1, 'data');
    expect(await gateway.complete('k', uploadId, [etag], headers)).toMatchObject({ status, long: status === 200 });
    expect(await gateway.fixture.text('k')).toBe(status === 200 ? 'data' : 'old');
    if (status !== 200) expect((await gateway.complete('k', uploadId, [etag])).status).toBe(200);
  });

  it('with If-Match and no object: 404 NoSuchKey', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const etag = await gateway.part('k', uploadId, 1, 'data');
    expect((await gateway.complete('k', uploadId, [etag], { 'if-match': '*' })).status).toBe('NoSuchKey');
  });

  it('checks the checksum of the object, not of its own body', async () => {
    const gateway = await Gateway.open();
    const created = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' };
    const uploadId = await gateway.create('k', created);
    const etags = [await gateway.part('k', uploadId, 1, '12345'), await gateway.part('k', uploadId, 2, '6789')];
    const type = { 'x-amz-checksum-type': 'FULL_OBJECT' };
    expect((await gateway.complete('k', uploadId, etags, { [CRC]: crc32Of('other'), ...type })).status).toBe('BadDigest');
    const answer = await gateway.complete('k', uploadId, etags, { [CRC]: crc32Of('123456789'), ...type });
    expect(answer.status).toBe(200);
    expect(element(answer.xml, 'ChecksumCRC32')).toBe(crc32Of('123456789'));
    expect(element(answer.xml, 'ChecksumType')).toBe('FULL_OBJECT');
  });

  it('refuses a small part before the last', async () => {
    const gateway = await Gateway.open({ minPartSize: 5_242_880 });
    const uploadId = await gateway.create('k');
    const etags = [await gateway.part('k', uploadId, 1, 'small'), await gateway.part('k', uploadId, 2, 'last')];
    expect((await gateway.complete('k', uploadId, etags)).status).toBe('EntityTooSmall');
    expect((await gateway.complete('k', uploadId, etags.slice(0, 1))).status).toBe(200);
  });
});

describe('AbortMultipartUpload', () => {
  it('frees the parts and ends the upload', async () => {
    const gateway = await Gateway.open();
    await gateway.fixture.put('k', 'kept');
    const uploadId = await gateway.create('k');
    const etag = await gateway.part('k', uploadId, 1, 'data');
    const query = `uploadId=${uploadId}`;
    expect(await gateway.send('AbortMultipartUpload', { key: 'k', query })).toMatchObject({ status: 204, xml: '' });
    expect(await gateway.fixture.names('u/', 'p/', 'c/')).toEqual([]);
    expect((await gateway.complete('k', uploadId, [etag])).status).toBe('NoSuchUpload');
    expect((await gateway.send('AbortMultipartUpload', { key: 'k', query })).status).toBe('NoSuchUpload');
    expect((await gateway.send('ListParts', { key: 'k', query })).status).toBe('NoSuchUpload');
    expect(await gateway.fixture.text('k')).toBe('kept');
  });
});

describe('ListParts', () => {
  it('answers as S3 does, element by element', async () => {
    const gateway = await Gateway.open();
    const created = await gateway.send('CreateMultipartUpload', { key: 'k', query: 'uploads', headers: { 'x-amz-storage-class': 'STANDARD_IA' }, user: { name: 'eve', arn: 'arn:aws:iam::1:user/eve' } });
    const uploadId = element(created.xml, 'UploadId') ?? '';
    for (const number of [1, 2, 5]) {
      await gateway.part('k', uploadId, number, { body: `part ${number}`, headers: { [CRC]: crc32Of(`part ${number}`) } });
    }
    const { xml } = await gateway.send('ListParts', { key: 'k', query: `uploadId=${uploadId}&max-parts=2` });
    expect(xml.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.000Z/g, 'DATE')).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<ListPartsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
      `<Bucket>bucket</Bucket><Key>k</Key><UploadId>${uploadId}</UploadId>` +
      '<Initiator><ID>arn:aws:iam::1:user/eve</ID><DisplayName>eve</DisplayName></Initiator>' +
      `<Owner><ID>${OWNER}</ID><DisplayName>Main &amp; Co</DisplayName></Owner><StorageClass>STANDARD_IA</StorageClass>` +
      '<PartNumberMarker>0</PartNumberMarker><NextPartNumberMarker>2</NextPartNumberMarker><MaxParts>2</MaxParts><IsTruncated>true</IsTruncated>' +
      [1, 2].map((n) =>
        `<Part><PartNumber>${n}</PartNumber><LastModified>DATE</LastModified><ETag>&quot;${md5Of(`part ${n}`)}&quot;</ETag><Size>6</Size>` +
        `<ChecksumCRC32>${crc32Of(`part ${n}`)}</ChecksumCRC32></Part>`).join('') +
      '</ListPartsResult>',
    );
    const rest = await gateway.send('ListParts', { key: 'k', query: `uploadId=${uploadId}&max-parts=2&part-number-marker=2` });
    expect(elements(rest.xml, 'PartNumber')).toEqual(['5']);
    expect(element(rest.xml, 'IsTruncated')).toBe('false');
  });

  it.each([
    ['max-parts=', 200, '1000'],
    ['max-parts=5000', 200, '1000'],
    ['max-parts=0', 200, '0'],
    ['max-parts=-1', 'InvalidArgument', undefined],
    ['max-parts=many', 'InvalidArgument', undefined],
    ['max-parts=2147483648', 'InvalidArgument', undefined],
    ['part-number-marker=99999', 200, '1000'],
    ['part-number-marker=x', 'InvalidArgument', undefined],
  ])('with %s: %s', async (query, status, max) => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const answer = await gateway.send('ListParts', { key: 'k', query: `uploadId=${uploadId}&${query}` });
    expect(answer.status).toBe(status);
    expect(element(answer.xml, 'MaxParts')).toBe(max);
    if (status === 200) expect(element(answer.xml, 'NextPartNumberMarker')).toBe('0');
  });
});

describe('ListMultipartUploads', () => {
  it('goes on where its markers say', async () => {
    const gateway = await Gateway.open();
    const ids = [await gateway.create('a'), await gateway.create('a'), await gateway.create('b c')];
    const first = await gateway.send('ListMultipartUploads', { query: 'uploads&max-uploads=1&encoding-type=url' });
    expect(elements(first.xml, 'UploadId')).toEqual([ids[0]]);
    expect(element(first.xml, 'IsTruncated')).toBe('true');
    const markers = `key-marker=${element(first.xml, 'NextKeyMarker') ?? ''}&upload-id-marker=${element(first.xml, 'NextUploadIdMarker') ?? ''}`;
    const rest = await gateway.send('ListMultipartUploads', { query: `uploads&${markers}&encoding-type=url` });
    expect(elements(rest.xml, 'UploadId')).toEqual(ids.slice(1));
    expect(elements(rest.xml, 'Key')).toEqual(['a', 'b%20c']);
    expect(element(rest.xml, 'EncodingType')).toBe('url');
    expect(element(rest.xml, 'IsTruncated')).toBe('false');
    const ignored = await gateway.send('ListMultipartUploads', { query: `uploads&upload-id-marker=${ids[1] ?? ''}` });
    expect(elements(ignored.xml, 'UploadId')).toEqual(ids);
  });

  it('rolls up by a delimiter, and shows owner and initiator', async () => {
    const gateway = await Gateway.open();
    for (const key of ['d/1', 'd/2', 'e']) await gateway.create(key);
    const { xml } = await gateway.send('ListMultipartUploads', { query: 'uploads&delimiter=/' });
    expect(xml).toContain('<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes>');
    expect(elements(xml, 'Key')).toEqual(['e']);
    expect(xml).toContain(`<Initiator><ID>${OWNER}</ID><DisplayName>Main &amp; Co</DisplayName></Initiator><Owner><ID>${OWNER}</ID>`);
  });

  it.each(['max-uploads=-1', 'max-uploads=x', 'encoding-type=base64', 'key-marker=a&upload-id-marker=x'])('refuses %s', async (query) => {
    const gateway = await Gateway.open();
    expect((await gateway.send('ListMultipartUploads', { query: `uploads&${query}` })).status).toBe('InvalidArgument');
  });
});

describe('UploadPartCopy', () => {
  async function copying(body: string, more: { headers?: Record<string, string>; smallRangeCopy?: boolean; query?: string; sent?: string } = {}) {
    const gateway = await Gateway.open();
    gateway.settings = { ...gateway.settings, smallRangeCopy: more.smallRangeCopy ?? true };
    await gateway.fixture.put('source', body);
    const uploadId = await gateway.create('k');
    const headers = { 'x-amz-copy-source': 'bucket/source', ...more.headers };
    const query = more.query ?? `partNumber=1&uploadId=${uploadId}`;
    const answer = await gateway.send('UploadPartCopy', { key: 'k', query, headers, ...(more.sent !== undefined && { body: more.sent }) });
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
    const { gateway, uploadId, etag } = await copying('0123456789', { headers: { 'x-amz-copy-source-range': 'bytes=3-6' } });
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
      const { status, xml } = await gateway.send('UploadPartCopy', { key: 'k', query: `partNumber=${index + 1}&uploadId=${uploadId}`, headers });
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
    const answer = await gateway.send('UploadPartCopy', { key: 'k', query: `partNumber=1&uploadId=${uploadId}`, headers: { 'x-amz-copy-source': 'bucket/source' } });
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
    expect((await copying('0123456789', { headers: bad, smallRangeCopy: false })).answer.status).toBe('InvalidArgument');
  });

  it.each<[string, Parameters<typeof copying>[1], string]>([
    ['no key in the source', { headers: { 'x-amz-copy-source': 'bucket' } }, 'InvalidArgument'],
    ['a source that is not there', { headers: { 'x-amz-copy-source': 'bucket/none' } }, 'NoSuchKey'],
    ['a bucket that is not there', { headers: { 'x-amz-copy-source': 'no-such-bucket/k' } }, 'NoSuchBucket'],
    ['another owner than expected', { headers: { 'x-amz-source-expected-bucket-owner': '000000000000' } }, 'AccessDenied'],
    ['a condition that fails', { headers: { 'x-amz-copy-source-if-match': 'other' } }, 'PreconditionFailed'],
    ['a condition that holds against it', { headers: { 'x-amz-copy-source-if-none-match': '*' } }, 'PreconditionFailed'],
    ['an upload that is not there', { query: 'partNumber=1&uploadId=none' }, 'NoSuchUpload'],
    ['a body', { sent: 'bytes' }, 'InvalidRequest'],
    ['a customer key', { headers: { 'x-amz-copy-source-server-side-encryption-customer-key': 'k' } }, 'NotImplemented'],
  ])('with %s: %3$s', async (_name, more, code) => {
    const { answer, gateway } = await copying('0123456789', more);
    expect(answer).toMatchObject({ status: code, long: false });
    expect(await gateway.fixture.names('p/')).toEqual([]);
  });

  it('echoes the customer algorithm', async () => {
    const name = 'x-amz-server-side-encryption-customer-algorithm';
    expect((await copying('x', { headers: { [name]: 'AES256' } })).answer.headers[name]).toBe('AES256');
    expect((await copying('x', { headers: { [name]: 'ROT13' } })).answer.status).toBe('InvalidEncryptionAlgorithmError');
  });
});

describe('uploads of a deleted bucket', () => {
  it('do not keep it from being deleted, and are freed', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    await gateway.part('k', uploadId, 1, 'data');
    expect((await gateway.send('DeleteBucket', {})).status).toBe(204);
    await gateway.fixture.idle();
    expect(await gateway.fixture.names('u/', 'p/', 'c/')).toEqual([]);
    await gateway.fixture.buckets.create({ name: 'bucket', ownerId: OWNER }, testCall());
    expect((await gateway.send('ListParts', { key: 'k', query: `uploadId=${uploadId}` })).status).toBe('NoSuchUpload');
  });
});
