import { randomBytes } from 'node:crypto';
import https from 'node:https';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  S3Client,
  type S3ClientConfig,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { inject } from 'vitest';

type Scheme = 'http' | 'https';
/** Another service than the test bed has one endpoint. */
export const SCHEMES: readonly Scheme[] = inject('testbed').backend.kind === 's3' ? ['https'] : ['http', 'https'];

/** An endpoint of the test bed. */
export function endpoint(scheme: Scheme, replica = 0): string {
  const bed = inject('testbed');
  const url = (scheme === 'http' ? bed.endpoints : bed.tlsEndpoints)[replica];
  if (url === undefined) throw new Error(`the test bed has no ${scheme} replica ${String(replica)}`);
  return url;
}

interface ClientOptions extends Partial<S3ClientConfig> {
  readonly replica?: number;
  readonly account?: string;
}

/**
 * A client of one account; certificates of the test bed are self-signed. Where there is no such account, its requests
 * fail.
 */
export function client(scheme: Scheme, { replica = 0, account = 'main', ...config }: ClientOptions = {}): S3Client {
  const bed = inject('testbed');
  const found = bed.accounts.find(({ name }) => name === account);
  return new S3Client({
    endpoint: endpoint(scheme, replica),
    region: bed.region,
    forcePathStyle: true,
    credentials: () =>
      found === undefined
        ? Promise.reject(new Error(`no account ${account}`))
        : Promise.resolve({ accessKeyId: found.accessKey, secretAccessKey: found.secretKey }),
    requestHandler: new NodeHttpHandler({
      httpsAgent: new https.Agent({ rejectUnauthorized: false, keepAlive: true }),
    }),
    ...config,
  });
}

/** A fresh bucket; `remove` empties and deletes it. */
export async function newBucket(s3: S3Client): Promise<{ name: string; remove: () => Promise<void> }> {
  const name = `t-${randomBytes(6).toString('hex')}`;
  await s3.send(new CreateBucketCommand({ Bucket: name }));
  return {
    name,
    async remove() {
      for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket: name })) {
        const objects = (page.Contents ?? []).map(({ Key }) => ({ Key }));
        if (objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects: objects } }));
      }
      await s3.send(new DeleteBucketCommand({ Bucket: name }));
    },
  };
}

/** All pages of ListObjectVersions; the SDK has no paginator for them. */
export async function* versionPages(
  s3: S3Client,
  Bucket: string,
  MaxKeys = 1000,
): AsyncGenerator<ListObjectVersionsCommandOutput, void> {
  let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
  let page: ListObjectVersionsCommandOutput;
  do {
    page = await s3.send(new ListObjectVersionsCommand({ Bucket, MaxKeys, ...markers }));
    yield page;
    markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
  } while (page.IsTruncated === true);
}

/** Deletes all versions and delete markers of a bucket. */
export async function emptyVersions(s3: S3Client, Bucket: string): Promise<void> {
  for await (const page of versionPages(s3, Bucket)) {
    const objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key, VersionId }) => ({
      Key,
      VersionId,
    }));
    if (objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: objects } }));
  }
}
