import { beforeEach, describe, expect, it } from 'vitest';
import type { CopySourceView } from '../../../../src/manifest/heads/object-requests.ts';
import { OWNER, type TestManifest, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf } from '../upload-fixture.ts';

let elsewhere: TestManifest;
let here: UploadFixture;

beforeEach(async () => {
  elsewhere = await testManifest();
  here = await UploadFixture.open();
  await elsewhere.objects.put({ bucket: elsewhere.bucket, key: 'source' }, putOf('body'), testCall());
});

async function found(): Promise<CopySourceView> {
  const { bucket, objects } = elsewhere;
  return { bucket, view: await objects.find({ bucket, key: 'source' }, testCall()) };
}

const attributes = { headers: {}, userMetadata: {} };

/** Both ways of copying bytes that pass through the gateway. */
const COPIES: readonly (readonly [string, (source: CopySourceView) => Promise<unknown>])[] = [
  [
    'CopyObject',
    (source) =>
      here.objects.copy(
        { bucket: here.bucket, key: 'k' },
        { source, attributes, ownerId: OWNER, conditions: {}, sameAttributes: false },
        testCall(),
      ),
  ],
  [
    'UploadPartCopy',
    async (source) => {
      const upload = await here.uploads.find(await here.create('k'), testCall());
      return here.uploads.copyPart(upload, { number: 1, source }, testCall());
    },
  ],
];

describe.each(COPIES)('a source that has changed since %s looked at it', (_name, copy) => {
  it('is missing as a source, and no other blob', async () => {
    const source = await found();
    await elsewhere.objects.remove(
      { bucket: elsewhere.bucket, key: 'source' },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    expect(await codeOf(copy(source))).toBe('sourceNotFound');
    expect(await here.text('k')).toBeUndefined();
  });

  it('has failed its condition as a source', async () => {
    const source = await found();
    await elsewhere.objects.put({ bucket: elsewhere.bucket, key: 'source' }, putOf('replaced'), testCall());
    expect(await codeOf(copy(source))).toBe('sourceConditionFailed');
    expect(await here.text('k')).toBeUndefined();
  });
});
