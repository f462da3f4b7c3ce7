import { describe, expect, it } from 'vitest';
import { Gateway } from './gateway.ts';

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
