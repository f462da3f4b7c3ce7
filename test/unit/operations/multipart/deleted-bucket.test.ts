import { describe, expect, it } from 'vitest';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../../manifest/upload-fixture.ts';
import { Gateway } from './gateway.ts';

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
