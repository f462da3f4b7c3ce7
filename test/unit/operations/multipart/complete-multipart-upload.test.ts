import { describe, expect, it } from 'vitest';
import { md5Of } from '../../manifest/upload-fixture.ts';
import { CRC, crc32Of, sha256Of } from './checksums.ts';
import { Gateway, element } from './gateway.ts';

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
    expect(
      await gateway.send('CompleteMultipartUpload', { key: 'k', query: `uploadId=${uploadId}`, body }),
    ).toMatchObject({ status: 200 });
    expect(await gateway.fixture.text('k')).toBe('data');
  });

  const part = (number: string, etag: string): string =>
    `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`;
  const good = md5Of('data');
  it.each([
    ['nothing', '', 'MalformedXML'],
    ['no XML', 'parts, please', 'MalformedXML'],
    ['another document', '<Delete/>', 'MalformedXML'],
    ['no part', '<CompleteMultipartUpload/>', 'InvalidRequest'],
    [
      'a part without number',
      `<CompleteMultipartUpload><Part><ETag>${good}</ETag></Part></CompleteMultipartUpload>`,
      'MalformedXML',
    ],
    [
      'a part without ETag',
      '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
      'MalformedXML',
    ],
    [
      'a number that is none',
      `<CompleteMultipartUpload>${part('one', good)}</CompleteMultipartUpload>`,
      'MalformedXML',
    ],
    ['number 0', `<CompleteMultipartUpload>${part('0', good)}</CompleteMultipartUpload>`, 'InvalidArgument'],
    ['number 10001', `<CompleteMultipartUpload>${part('10001', good)}</CompleteMultipartUpload>`, 'InvalidArgument'],
    [
      'parts out of order',
      `<CompleteMultipartUpload>${part('2', good)}${part('1', good)}</CompleteMultipartUpload>`,
      'InvalidPartOrder',
    ],
    [
      'a part twice, the last with a wrong ETag',
      `<CompleteMultipartUpload>${part('1', good)}${part('1', 'f'.repeat(32))}</CompleteMultipartUpload>`,
      'InvalidPart',
    ],
    [
      'a part that is not there',
      `<CompleteMultipartUpload>${part('1', good)}${part('2', good)}</CompleteMultipartUpload>`,
      'InvalidPart',
    ],
    ['a wrong ETag', `<CompleteMultipartUpload>${part('1', 'f'.repeat(32))}</CompleteMultipartUpload>`, 'InvalidPart'],
  ])('refuses %s, and the upload stays open', async (_name, body, code) => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create('k');
    const etag = await gateway.part('k', uploadId, 1, 'data');
    expect(
      await gateway.send('CompleteMultipartUpload', { key: 'k', query: `uploadId=${uploadId}`, body }),
    ).toMatchObject({ status: code, long: false });
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
    expect((await gateway.complete('k', uploadId, etags, { [CRC]: crc32Of('other'), ...type })).status).toBe(
      'BadDigest',
    );
    const answer = await gateway.complete('k', uploadId, etags, { [CRC]: crc32Of('123456789'), ...type });
    expect(answer.status).toBe(200);
    expect(element(answer.xml, 'ChecksumCRC32')).toBe(crc32Of('123456789'));
    expect(element(answer.xml, 'ChecksumType')).toBe('FULL_OBJECT');
  });

  const sha = sha256Of('12345');
  it.each([
    ['of another algorithm', `<ChecksumSHA256>${sha}</ChecksumSHA256>`, 'BadDigest'],
    ['of other bytes', `<ChecksumCRC32>${crc32Of('other')}</ChecksumCRC32>`, 'InvalidPart'],
    ['that is no digest', '<ChecksumCRC32>invalid_checksum</ChecksumCRC32>', 'InvalidArgument'],
    ['that is too long', `<ChecksumCRC32>${sha}</ChecksumCRC32>`, 'InvalidArgument'],
    [
      'and another one',
      `<ChecksumCRC32>${crc32Of('12345')}</ChecksumCRC32><ChecksumSHA256>${sha}</ChecksumSHA256>`,
      'InvalidArgument',
    ],
    ['that is empty', '<ChecksumCRC32/>', 200],
    ['that is right', `<ChecksumCRC32>${crc32Of('12345')}</ChecksumCRC32>`, 200],
  ])('a part with a checksum %s', async (_what, checksum, expected) => {
    const gateway = await Gateway.open();
    const created = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' };
    const uploadId = await gateway.create('k', created);
    await gateway.part('k', uploadId, 1, '12345');
    const one = part('1', md5Of('12345')).replace('</Part>', `${checksum}</Part>`);
    const sent = {
      key: 'k',
      query: `uploadId=${uploadId}`,
      body: `<CompleteMultipartUpload>${one}</CompleteMultipartUpload>`,
    };
    const answer = await gateway.send('CompleteMultipartUpload', sent);
    expect(answer.status).toBe(expected);
    if (expected === 'BadDigest') {
      expect(answer.message).toBe('The sha256 you specified for part 1 did not match what we received.');
    }
  });

  it('refuses a small part before the last', async () => {
    const gateway = await Gateway.open({ minPartSize: 5_242_880 });
    const uploadId = await gateway.create('k');
    const etags = [await gateway.part('k', uploadId, 1, 'small'), await gateway.part('k', uploadId, 2, 'last')];
    expect((await gateway.complete('k', uploadId, etags)).status).toBe('EntityTooSmall');
    expect((await gateway.complete('k', uploadId, etags.slice(0, 1))).status).toBe(200);
  });
});
