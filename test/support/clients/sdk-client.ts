import { S3Client } from '@aws-sdk/client-s3';
import { ACCESS_KEY, REGION, SECRET_KEY } from './sign-raw.ts';

/** The AWS SDK as the owner of a test gateway, asking once; the caller destroys it. */
export function sdkClient(port: number): S3Client {
  return new S3Client({
    endpoint: `http://127.0.0.1:${String(port)}`,
    region: REGION,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
  });
}
