import { beforeAll, describe, expect, it } from 'vitest';
import { MIN_PART } from '../../manifest/upload-fixture.ts';
import { Gateway, element, elements } from '../multipart/gateway.ts';

const KEY = 'k';
const WHOLE = { 'x-amz-object-attributes': 'ObjectParts' };

describe('GetObjectAttributes, pages of parts', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.open();
    const uploadId = await gateway.create(KEY);
    const etags = [
      await gateway.part(KEY, uploadId, 1, 'p'.repeat(MIN_PART)),
      await gateway.part(KEY, uploadId, 2, 'end'),
    ];
    expect(await gateway.complete(KEY, uploadId, etags)).toMatchObject({ status: 200 });
  });

  it.each<[max: string, marker: string, parts: string[], shown: [max: string, next: string, truncated: string]]>([
    ['', '', ['1', '2'], ['1000', '2', 'false']],
    ['1', '', ['1'], ['1', '1', 'true']],
    ['1', '1', ['2'], ['1', '2', 'false']],
    ['2', '0', ['1', '2'], ['2', '2', 'false']],
    ['0', '', [], ['0', '0', 'false']],
    ['2147483647', '', ['1', '2'], ['1000', '2', 'false']],
    ['1', '2', [], ['1', '0', 'false']],
    ['1', '2147483647', [], ['1', '0', 'false']],
  ])('max-parts %j behind %j: parts %j, page %j', async (max, marker, parts, shown) => {
    const headers = { ...WHOLE, 'x-amz-max-parts': max, 'x-amz-part-number-marker': marker };
    const { status, xml } = await gateway.send('GetObjectAttributes', { key: KEY, query: 'attributes', headers });
    expect(status).toBe(200);
    expect(elements(xml, 'PartNumber')).toEqual(parts);
    const said = ['MaxParts', 'NextPartNumberMarker', 'IsTruncated'].map((name) => element(xml, name));
    expect(said).toEqual(shown);
    expect(element(xml, 'PartsCount')).toBe('2');
  });

  it.each(['x-amz-max-parts', 'x-amz-part-number-marker'])('%s must be a number', async (name) => {
    for (const value of ['-1', 'x', '2147483648', '1.5']) {
      const sent = { key: KEY, query: 'attributes', headers: { ...WHOLE, [name]: value } };
      expect(await gateway.send('GetObjectAttributes', sent)).toMatchObject({ status: 'InvalidArgument' });
    }
  });
});
