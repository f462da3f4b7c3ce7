import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, newBucket } from './support/client.ts';

const KEYS = ['a b+c', 'dir/deleted', 'dir/two', 'gone/k', 'ü/\u{1f600}'];

describe('versions through the SDK, over two gateways', () => {
  const s3 = client('http');
  const other = client('http', { replica: 1 });
  const made = new Map<string, string[]>();
  let Bucket: string;
  let remove: () => Promise<void>;

  const note = (key: string, id: string | undefined): void =>
    void made.set(key, [id ?? 'none', ...(made.get(key) ?? [])]);

  beforeAll(async () => {
    ({ name: Bucket, remove } = await newBucket(s3));
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    for (const Key of [...KEYS, ...KEYS]) {
      note(Key, (await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }))).VersionId);
    }
    for (const Key of ['dir/deleted', 'gone/k']) {
      note(Key, (await s3.send(new DeleteObjectCommand({ Bucket, Key }))).VersionId);
    }
  });
  afterAll(() => remove());

  it.each([1, 3, 1000])('are all listed, %i a page', async (MaxKeys) => {
    const shown = new Map<string, { id: string; latest: boolean; at: number }[]>();
    let markers = {};
    for (let truncated = true; truncated; ) {
      const page = await other.send(
        new ListObjectVersionsCommand({ Bucket, MaxKeys, EncodingType: 'url', ...markers }),
      );
      for (const { Key = '', VersionId = '', IsLatest = false, LastModified } of [
        ...(page.Versions ?? []),
        ...(page.DeleteMarkers ?? []),
      ]) {
        const key = decodeURIComponent(Key);
        shown.set(key, [
          ...(shown.get(key) ?? []),
          { id: VersionId, latest: IsLatest, at: LastModified?.getTime() ?? 0 },
        ]);
      }
      truncated = page.IsTruncated === true;
      markers = { KeyMarker: decodeURIComponent(page.NextKeyMarker ?? ''), VersionIdMarker: page.NextVersionIdMarker };
    }
    expect([...shown.keys()].sort()).toEqual([...KEYS].sort());
    for (const [key, ids] of made) {
      expect(new Set(shown.get(key)?.map(({ id }) => id))).toEqual(new Set(ids));
      expect(
        shown
          .get(key)
          ?.filter(({ latest }) => latest)
          .map(({ id }) => id),
      ).toEqual([ids[0]]);
    }
  });

  it('and what is deleted is neither an object nor makes a prefix', async () => {
    const { Contents, CommonPrefixes } = await other.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
    expect(Contents?.map(({ Key }) => Key)).toEqual(['a b+c']);
    expect(CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['dir/', 'ü/']);
    const versions = await other.send(new ListObjectVersionsCommand({ Bucket, Delimiter: '/' }));
    expect(versions.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['dir/', 'gone/', 'ü/']);
  });

  it('are gone when they are deleted by their ids', async () => {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    expect((await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))).Errors).toBeUndefined();
    const left = await other.send(new ListObjectVersionsCommand({ Bucket }));
    expect([left.Versions, left.DeleteMarkers]).toEqual([undefined, undefined]);
  });
});
