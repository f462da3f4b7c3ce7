/** Reads which forms shall be signed, and for whom (`Asked` in sign.ts), and writes them; both as JSON. */
import { text } from 'node:stream/consumers';
import { S3Client } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';

const { endpoint, region, credentials, posts } = JSON.parse(await text(process.stdin));
const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
const forms = await Promise.all(
  posts.map(({ bucket, key, fields, conditions, expiresIn }) =>
    createPresignedPost(client, {
      Bucket: bucket,
      Key: key,
      Fields: fields,
      Conditions: conditions,
      Expires: expiresIn,
    }),
  ),
);
process.stdout.write(JSON.stringify(forms));
