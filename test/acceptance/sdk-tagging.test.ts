import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectTaggingCommand,
  GetBucketTaggingCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, newBucket } from './support/client.ts';

describe('tags through the AWS SDK', () => {
  const s3 = client('http');
  let Bucket: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    ({ name: Bucket, remove } = await newBucket(s3));
  });
  afterAll(async () => {
    await remove();
  });

  async function tagsOf(Key: string): Promise<Record<string, string>> {
    const { TagSet = [] } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key }));
    return Object.fromEntries(TagSet.map((tag) => [tag.Key ?? '', tag.Value ?? '']));
  }

  it('of objects: set with the object, replaced, counted, deleted; ETag and Last-Modified stay', async () => {
    const Key = 'tagged';
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'text', Tagging: 'a=1&two%20words=%C3%A4+%C3%B6' }));
    expect(await tagsOf(Key)).toEqual({ a: '1', 'two words': 'ä ö' });
    const before = await s3.send(new HeadObjectCommand({ Bucket, Key }));
    expect(before.TagCount).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // the backend's own Last-Modified would show it
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [{ Key: 'b', Value: '===' }] } }));
    const after = await s3.send(new HeadObjectCommand({ Bucket, Key }));
    expect(after).toMatchObject({ TagCount: 1, ETag: before.ETag, LastModified: before.LastModified });
    expect(await tagsOf(Key)).toEqual({ b: '===' });
    await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key }));
    expect(await tagsOf(Key)).toEqual({});
    await expect(tagsOf('none')).rejects.toMatchObject({ name: 'NoSuchKey', $metadata: { httpStatusCode: 404 } });
  });

  it('of the largest size', async () => {
    const TagSet = Array.from({ length: 10 }, (_, i) => ({ Key: `${i}${'ä'.repeat(127)}`, Value: 'ö'.repeat(256) }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'big', Body: 'text' }));
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'big', Tagging: { TagSet } }));
    expect(await tagsOf('big')).toEqual(Object.fromEntries(TagSet.map((tag) => [tag.Key, tag.Value])));
    const eleven = [...TagSet, { Key: 'more', Value: '' }];
    await expect(
      s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'big', Tagging: { TagSet: eleven } })),
    ).rejects.toMatchObject({ name: 'InvalidTag' });
  });

  it('of uploads and copies', async () => {
    const Key = 'parts';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, Tagging: 'from=upload' }));
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
    await s3.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
    expect(await tagsOf(Key)).toEqual({ from: 'upload' });
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [{ Key: 'now', Value: 'other' }] } }));
    const CopySource = `${Bucket}/${Key}`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
    expect(await tagsOf('copy')).toEqual({ now: 'other' });
    await s3.send(
      new CopyObjectCommand({ Bucket, Key: 'copy', CopySource, TaggingDirective: 'REPLACE', Tagging: 'own=1' }),
    );
    expect(await tagsOf('copy')).toEqual({ own: '1' });
    expect(await tagsOf(Key)).toEqual({ now: 'other' });
  });

  it('of buckets', async () => {
    const read = () => s3.send(new GetBucketTaggingCommand({ Bucket }));
    await expect(read()).rejects.toMatchObject({ name: 'NoSuchTagSet', $metadata: { httpStatusCode: 404 } });
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: [{ Key: 'team', Value: 'a' }] } }));
    expect((await read()).TagSet).toEqual([{ Key: 'team', Value: 'a' }]);
    await s3.send(new DeleteBucketTaggingCommand({ Bucket }));
    await expect(read()).rejects.toMatchObject({ name: 'NoSuchTagSet' });
  });
});
