import { describe, expect, it } from 'vitest';
import { withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { CopySourceView } from '../../../../src/manifest/heads/object-requests.ts';
import type { Plan } from '../upload-fixture.ts';
import { putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf, md5Of } from '../upload-fixture.ts';

const BODY = 'x'.repeat(150_000) + 'tail';

/** An object in another backend, whose faults can be set. */
async function elsewhere(): Promise<{
  source: () => Promise<CopySourceView>;
  put: (body: string) => Promise<unknown>;
  faults: { plan: Plan };
}> {
  const faults = { plan: (() => undefined) as Plan };
  const { objects, bucket } = await testManifest({
    store: withFaults(new MemoryBlobStore(), (call) => faults.plan(call)),
  });
  const put = (body: string): Promise<unknown> => objects.put({ bucket, key: 'source' }, putOf(body), testCall());
  await put(BODY);
  return {
    source: async () => ({ bucket, view: await objects.find({ bucket, key: 'source' }, testCall()) }),
    put,
    faults,
  };
}

describe('a part from an object in another backend', () => {
  it('passes through, whole or a range, with the MD5 of what passed', async () => {
    const fixture = await UploadFixture.open();
    const { source } = await elsewhere();
    const target = await fixture.create('k');
    const upload = await fixture.uploads.find(target, testCall());
    const whole = await fixture.uploads.copyPart(upload, { number: 1, source: await source() }, testCall());
    const range = { first: 150_000, last: 150_003 };
    const tail = await fixture.uploads.copyPart(upload, { number: 2, source: await source(), range }, testCall());
    expect(whole).toMatchObject({ etag: md5Of(BODY), size: BODY.length });
    expect(tail).toMatchObject({ etag: md5Of('tail'), size: 4 });
    await fixture.complete(
      target,
      [whole, tail].map(({ number, etag }) => ({ number, etag, checksums: {} })),
    );
    expect(await fixture.text('k')).toBe(`${BODY}tail`);
  });

  it('is not made when the source breaks off, and says so when it has changed', async () => {
    const fixture = await UploadFixture.open();
    const { source, put, faults } = await elsewhere();
    const target = await fixture.create('k');
    const upload = await fixture.uploads.find(target, testCall());
    faults.plan = ({ method }) => (method === 'read' ? { kind: 'breakBody', after: 100_000 } : undefined);
    const view = await source();
    expect(await codeOf(fixture.uploads.copyPart(upload, { number: 1, source: view }, testCall()))).toBe('aborted');
    faults.plan = () => undefined;
    await put('replaced');
    expect(await codeOf(fixture.uploads.copyPart(upload, { number: 1, source: view }, testCall()))).toBe(
      'sourceConditionFailed',
    );
    expect((await fixture.uploads.listParts(upload, { after: 0, limit: 10 }, testCall())).parts).toEqual([]);
  });
});
