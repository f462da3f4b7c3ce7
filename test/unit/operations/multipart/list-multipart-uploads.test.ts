import { describe, expect, it } from 'vitest';
import { OWNER } from '../../manifest/upload-fixture.ts';
import { Gateway, element, elements } from './gateway.ts';

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
    expect([element(rest.xml, 'NextKeyMarker'), element(rest.xml, 'NextUploadIdMarker')]).toEqual(['b%20c', ids[2]]);
    const ignored = await gateway.send('ListMultipartUploads', { query: `uploads&upload-id-marker=${ids[1] ?? ''}` });
    expect(elements(ignored.xml, 'UploadId')).toEqual(ids);
    expect(element(ignored.xml, 'UploadIdMarker')).toBe('');
  });

  it('rolls up by a delimiter, and shows owner and initiator', async () => {
    const gateway = await Gateway.open();
    for (const key of ['d/1', 'd/2', 'e']) await gateway.create(key);
    const { xml } = await gateway.send('ListMultipartUploads', { query: 'uploads&delimiter=/' });
    expect(xml).toContain('<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes>');
    expect(elements(xml, 'Key')).toEqual(['e']);
    const page = await gateway.send('ListMultipartUploads', { query: 'uploads&delimiter=/&max-uploads=1' });
    expect([element(page.xml, 'NextKeyMarker'), element(page.xml, 'NextUploadIdMarker')]).toEqual(['d/', '']);
    const whole = await gateway.send('ListMultipartUploads', { query: 'uploads&delimiter=/&prefix=d' });
    expect([element(whole.xml, 'NextKeyMarker'), element(whole.xml, 'NextUploadIdMarker')]).toEqual(['', '']);
    expect(xml).toContain(
      `<Initiator><ID>${OWNER}</ID><DisplayName>Main &amp; Co</DisplayName></Initiator><Owner><ID>${OWNER}</ID>`,
    );
  });

  it.each(['max-uploads=-1', 'max-uploads=x', 'encoding-type=base64', 'key-marker=a&upload-id-marker=x'])(
    'refuses %s',
    async (query) => {
      const gateway = await Gateway.open();
      expect((await gateway.send('ListMultipartUploads', { query: `uploads&${query}` })).status).toBe(
        'InvalidArgument',
      );
    },
  );
});
