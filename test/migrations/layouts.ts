import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobServiceClient, type ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { AzuriteProcess } from '../../adapters/doubles/index.ts';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../testbed/backend.ts';
import { bytesOf, OBJECTS, type PlannedObject } from './data-set.ts';
import type { SeenObject } from './seen.ts';

/*
 * Blobs as two servers write them that cannot be started here, by the same calls of the service. What their clients
 * saw follows from how the servers read these blobs. Sources: MinIO's cmd/gateway/azure/gateway-azure.go (2021),
 * NooBaa's src/sdk/namespace_blob.js (2026).
 */

const CHUNK = 8 * 1024 * 1024;
const NOT_AS_THEY_ARE = ['folder/ends in a dot./x', 'folder/emoji 😀'];
/** Keys that Azure takes as names of blobs, and that this gateway shows under these names. */
const PLANNED = OBJECTS.filter(({ Key }) => !NOT_AS_THEY_ARE.includes(Key));

/** Writes blobs as a server does. @returns what its clients saw */
export type Layout = (azurite: AzuriteProcess, bucket: string) => Promise<SeenObject[]>;

/** MinIO's gateway: `-` of names of metadata as `_`, and `_` as `__`; the ETag in the entry `md5sum`. */
export const minioGateway: Layout = async (azurite, bucket) => {
  const container = await makeContainer(azurite, bucket);
  const nameOf = (name: string): string =>
    canonical(name)
      .split('_')
      .map((token) => token.replaceAll('-', '_'))
      .join('__');
  const seen: SeenObject[] = [];
  for (const planned of PLANNED) {
    const { Key, sizes } = planned;
    const parts = sizes.map((size, index) => bytesOf(Key, index + 1, size));
    const md5sum = sizes.length === 1 ? md5(...parts) : `${md5(...parts.map((part) => digest(part)))}-${parts.length}`;
    const metadata = Object.fromEntries(Object.entries(planned.Metadata ?? {}).map(([name, v]) => [nameOf(name), v]));
    const blob = container.getBlockBlobClient(Key);
    const options = { blobHTTPHeaders: headersOf(planned) };
    if (parts.length === 1) {
      // Its SDK sends a body that fits one buffer in one piece, then MinIO adds the ETag.
      await blob.uploadStream(Readable.from(parts), CHUNK, 4, { ...options, metadata });
      await blob.setMetadata({ ...metadata, md5sum });
    } else {
      const ids = parts.map((_, index) => Buffer.from(`part ${index}`).toString('base64'));
      for (const [index, part] of parts.entries()) await blob.stageBlock(ids[index] ?? '', part, part.length);
      await blob.commitBlockList(ids, { ...options, metadata: { ...metadata, md5sum } });
    }
    seen.push(await seenAs(container, planned, { etag: `"${md5sum}"`, metadata: planned.Metadata ?? {} }));
  }
  return seen;
};

/** NooBaa's namespace buckets: the MD5 at the blob, tags as tags of the blob, odd names of metadata renamed. */
export const noobaaNamespace: Layout = async (azurite, bucket) => {
  const container = await makeContainer(azurite, bucket);
  const seen: SeenObject[] = [];
  for (const planned of PLANNED) {
    const { Key, sizes } = planned;
    const parts = sizes.map((size, index) => bytesOf(Key, index + 1, size));
    const tags = Object.fromEntries(new URLSearchParams(planned.Tagging ?? ''));
    const blob = container.getBlockBlobClient(Key);
    const metadata = renamed(planned.Metadata ?? {});
    const blobContentType = planned.ContentType ?? '';
    let etag: string;
    if (parts.length === 1) {
      const blobHTTPHeaders = { blobContentType, blobContentMD5: digest(Buffer.concat(parts)) };
      etag = md5(...parts);
      await blob.uploadStream(Readable.from(parts), CHUNK, 4, { metadata, blobHTTPHeaders, tags });
    } else {
      const ids = parts.map((_, index) => Buffer.from(`95342c3f-${String(index + 1).padStart(6, '0')}`));
      const names = ids.map((id) => id.toString('base64'));
      for (const [index, part] of parts.entries()) await blob.stageBlock(names[index] ?? '', part, part.length);
      // The MD5 of the names of the blocks stands where the service keeps that of the bytes.
      etag = md5(...names.map((name) => Buffer.from(name)));
      await blob.commitBlockList(names, { blobHTTPHeaders: { blobContentMD5: Buffer.from(etag, 'hex') } });
      await blob.setMetadata(metadata);
    }
    const headers = { ContentType: parts.length === 1 ? blobContentType : 'application/octet-stream' };
    seen.push(await seenAs(container, planned, { etag: `"${etag}"`, metadata: planned.Metadata ?? {}, tags, headers }));
  }
  return seen;
};

function renamed(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(metadata).flatMap(([name, value]) => {
    const valid = name.replaceAll(/\W/g, '_');
    if (valid === name) return [[name, value]];
    return [
      [`rename_${valid}`, value],
      [`rename_key_${valid}`, name],
    ];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

async function makeContainer({ endpoint }: AzuriteProcess, name: string): Promise<ContainerClient> {
  const key = new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY);
  const container = new BlobServiceClient(endpoint, key).getContainerClient(name);
  await container.create();
  return container;
}

async function seenAs(
  container: ContainerClient,
  { Key, sizes, ...planned }: PlannedObject,
  said: Partial<SeenObject>,
): Promise<SeenObject> {
  const { lastModified } = await container.getBlobClient(Key).getProperties();
  const bytes = Buffer.concat(sizes.map((size, index) => bytesOf(Key, index + 1, size)));
  const { blobContentType, ...others } = headersOf({ Key, sizes, ...planned });
  const names = Object.entries(others).map(([name, value]) => [name.replace('blobC', 'C'), value]);
  return {
    ...{ key: Key, sha256: createHash('sha256').update(bytes).digest('hex'), etag: '' },
    headers: Object.fromEntries([...names, ['ContentType', blobContentType]]) as Record<string, string>,
    ...{ metadata: {}, tags: {}, storageClass: 'STANDARD', retention: '' },
    modified: lastModified?.toISOString() ?? '',
    ...said,
  };
}

/** Content headers of S3 as the properties of a blob that carry them. */
function headersOf(planned: PlannedObject): Record<string, string> {
  const { CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType } = planned;
  const said = { CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType };
  return Object.fromEntries(Object.entries(said).flatMap(([name, value]) => (value ? [[`blob${name}`, value]] : [])));
}

/** As Go writes names of headers: `my-key` is `My-Key`. */
function canonical(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function digest(...bytes: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const one of bytes) hash.update(one);
  return hash.digest();
}

function md5(...bytes: readonly Uint8Array[]): string {
  return digest(...bytes).toString('hex');
}
