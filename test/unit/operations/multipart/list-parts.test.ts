import { describe, expect, it } from 'vitest';
import { OWNER, md5Of } from '../../manifest/upload-fixture.ts';
import { CRC, crc32Of } from './checksums.ts';
import { Gateway, element, elements } from './gateway.ts';

describe('ListParts', () => {
  it('answers as S3 does, element by element', async () => {
    const gateway = await Gateway.open();
    const created = await gateway.send('CreateMultipartUpload', {
      key: 'k',
      query: 'uploads',
      headers: { 'x-amz-storage-class': 'STANDARD_IA', 'x-amz-checksum-algorithm': 'CRC32' },
      user: { name: 'eve', arn: 'arn:aws:iam::1:user/eve' },
    });
    const uploadId = element(created.xml, 'UploadId') ?? '';
    for (const number of [1, 2, 5]) {
      await gateway.part('k', uploadId, number, {
        body: `part ${number}`,
        headers: { [CRC]: crc32Of(`part ${number}`) },
      });
    }
    const { xml } = await gateway.send('ListParts', { key: 'k', query: `uploadId=${uploadId}&max-parts=2` });
    expect(xml.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.000Z/g, 'DATE')).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<ListPartsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
        `<Bucket>bucket</Bucket><Key>k</Key><UploadId>${uploadId}</UploadId>` +
        '<Initiator><ID>arn:aws:iam::1:user/eve</ID><DisplayName>eve</DisplayName></Initiator>' +
        `<Owner><ID>${OWNER}</ID><DisplayName>Main &amp; Co</DisplayName></Owner><StorageClass>STANDARD_IA</StorageClass>` +
        '<PartNumberMarker>0</PartNumberMarker><NextPartNumberMarker>2</NextPartNumberMarker><MaxParts>2</MaxParts><IsTruncated>true</IsTruncated>' +
        '<ChecksumAlgorithm>CRC32</ChecksumAlgorithm><ChecksumType>COMPOSITE</ChecksumType>' +
        [1, 2]
          .map(
            (n) =>
              `<Part><PartNumber>${n}</PartNumber><LastModified>DATE</LastModified><ETag>&quot;${md5Of(`part ${n}`)}&quot;</ETag><Size>6</Size>` +
              `<ChecksumCRC32>${crc32Of(`part ${n}`)}</ChecksumCRC32></Part>`,
          )
          .join('') +
        '</ListPartsResult>',
    );
    const rest = await gateway.send('ListParts', {
      key: 'k',
      query: `uploadId=${uploadId}&max-parts=2&part-number-marker=2`,
    });
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
