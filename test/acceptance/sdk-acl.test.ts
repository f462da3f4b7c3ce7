import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, endpoint, newBucket } from './support/client.ts';

const DENIED = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } };

describe('access control lists', () => {
  const main = client('http');
  const alt = client('http', { account: 'alt' });
  let bucket: Awaited<ReturnType<typeof newBucket>>;

  beforeAll(async () => {
    bucket = await newBucket(main);
    await main.send(new PutObjectCommand({ Bucket: bucket.name, Key: 'key', Body: 'bytes' }));
  });
  afterAll(() => bucket.remove());

  const anonymous = (path: string): Promise<Response> => fetch(`${endpoint('http')}/${bucket.name}${path}`);

  it('let anybody read an object, and nobody any more', async () => {
    const { ETag: before, LastModified: since } = await main.send(
      new GetObjectCommand({ Bucket: bucket.name, Key: 'key' }),
    );
    expect((await anonymous('/key')).status).toBe(403);
    await main.send(new PutObjectAclCommand({ Bucket: bucket.name, Key: 'key', ACL: 'public-read' }));
    const answer = await anonymous('/key');
    expect([answer.status, await answer.text()]).toEqual([200, 'bytes']);
    expect((await anonymous('/none')).status).toBe(403);
    expect((await anonymous('')).status).toBe(403);
    await main.send(new PutObjectAclCommand({ Bucket: bucket.name, Key: 'key', ACL: 'private' }));
    expect((await anonymous('/key')).status).toBe(403);
    const { ETag: after, LastModified: still } = await main.send(
      new GetObjectCommand({ Bucket: bucket.name, Key: 'key' }),
    );
    expect([after, still]).toEqual([before, since]);
  });

  it('let another account in, by what the SDK read of them before', async () => {
    await expect(alt.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'key' }))).rejects.toMatchObject(DENIED);
    const { Owner, Grants = [] } = await main.send(new GetObjectAclCommand({ Bucket: bucket.name, Key: 'key' }));
    expect(Grants).toEqual([{ Grantee: { Type: 'CanonicalUser', ...Owner }, Permission: 'FULL_CONTROL' }]);
    const more = {
      Grantee: { Type: 'AmazonCustomerByEmail', EmailAddress: 'alt@example.com' },
      Permission: 'READ',
    } as const;
    await main.send(
      new PutObjectAclCommand({
        Bucket: bucket.name,
        Key: 'key',
        AccessControlPolicy: { Owner, Grants: [...Grants, more] },
      }),
    );
    const { Body } = await alt.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'key' }));
    expect(await Body?.transformToString()).toBe('bytes');
    await expect(alt.send(new GetObjectAclCommand({ Bucket: bucket.name, Key: 'key' }))).rejects.toMatchObject(DENIED);
    expect((await anonymous('/key')).status).toBe(403);
  });

  it('let another account write and list; what it writes is its own', async () => {
    await expect(alt.send(new ListObjectsV2Command({ Bucket: bucket.name }))).rejects.toMatchObject(DENIED);
    await main.send(new PutBucketAclCommand({ Bucket: bucket.name, ACL: 'public-read-write' }));
    await alt.send(new PutObjectCommand({ Bucket: bucket.name, Key: 'theirs', Body: 'x' }));
    const { Contents = [] } = await alt.send(new ListObjectsV2Command({ Bucket: bucket.name }));
    expect(Contents.map(({ Key }) => Key)).toEqual(['key', 'theirs']);
    await expect(main.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'theirs' }))).rejects.toMatchObject(DENIED);
    await expect(alt.send(new PutBucketAclCommand({ Bucket: bucket.name, ACL: 'private' }))).rejects.toMatchObject(
      DENIED,
    );
  });

  it('come with the bucket', async () => {
    const Bucket = `${bucket.name}-public`;
    await main.send(new CreateBucketCommand({ Bucket, ACL: 'public-read' }));
    const { Grants = [] } = await main.send(new GetBucketAclCommand({ Bucket }));
    expect(Grants.map(({ Permission }) => Permission)).toEqual(['READ', 'FULL_CONTROL']);
    expect((await fetch(`${endpoint('http')}/${Bucket}`)).status).toBe(200);
    await expect(alt.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject(DENIED);
    await main.send(new DeleteBucketCommand({ Bucket }));
  });
});
