import { BlobServiceClient, type BlockBlobClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { startAzurite } from '../../adapters/doubles/index.ts';

/*
 * What stands before Azurite, held against the documentation of the service:
 * https://learn.microsoft.com/azure/storage/blobs/archive-rehydrate-overview
 * https://learn.microsoft.com/rest/api/storageservices/set-blob-tier
 */
const tiers = { rehydrationMs: 0 };
let azurite: Awaited<ReturnType<typeof startAzurite>>;
let service: BlobServiceClient;
let blob: BlockBlobClient;
let made = 0;

const blobNamed = (name: string): BlockBlobClient => service.getContainerClient('tiers').getBlockBlobClient(name);

beforeAll(async () => {
  azurite = await startAzurite({ tiers });
  service = new BlobServiceClient(
    azurite.endpoint,
    new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY),
    { retryOptions: { maxTries: 1 } },
  );
  await service.createContainer('tiers');
});
afterAll(() => azurite.stop());
beforeEach(() => {
  tiers.rehydrationMs = 60_000;
  blob = blobNamed(`b${String(++made)}`);
});

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      const { statusCode, code } = error as { statusCode?: number; code?: string };
      return `${String(statusCode)} ${String(code)}`;
    },
  );
const stateOf = async (client: BlockBlobClient): Promise<(string | undefined)[]> => {
  const { accessTier, archiveStatus } = await client.getProperties();
  return [accessTier, archiveStatus];
};
const upload = (client: BlockBlobClient, tier?: string): Promise<unknown> =>
  client.upload('bytes', 5, tier === undefined ? {} : { tier });

test('an archived blob is frozen, but for its properties, its tags and its end', async () => {
  await upload(blob, 'Archive');
  const other = blobNamed('other');
  await upload(other, 'Hot');
  const block = Buffer.from('block').toString('base64');
  const frozen: (() => Promise<unknown>)[] = [
    () => blob.download(),
    () => upload(blob, 'Hot'),
    () => blob.stageBlock(block, 'x', 1),
    () => blob.commitBlockList([block]),
    () => blob.setMetadata({ a: '1' }),
    () => blob.setHTTPHeaders({ blobContentType: 'text/plain' }),
    () => blob.createSnapshot(),
    () => blob.syncCopyFromURL(other.url),
    () => blobNamed('copy').syncCopyFromURL(blob.url),
  ];
  for (const change of frozen) expect(await refusal(change())).toBe('409 BlobArchived');
  expect(await stateOf(blob)).toEqual(['Archive', undefined]);
  await blob.setTags({ a: '1' });
  expect((await blob.getTags()).tags).toEqual({ a: '1' });
  await blob.delete();
  expect(await blob.exists()).toBe(false);
});

test('an overwrite that names no tier keeps that of the blob it replaces', async () => {
  await upload(blob, 'Cool');
  await upload(blob);
  expect(await stateOf(blob)).toEqual(['Cool', undefined]);
  await blob.commitBlockList([]);
  expect(await stateOf(blob)).toEqual(['Cool', undefined]);
  await upload(blob, 'Hot');
  expect(await stateOf(blob)).toEqual(['Hot', undefined]);
});

test('a change of tier keeps ETag and time', async () => {
  await upload(blob, 'Hot');
  const before = await blob.getProperties();
  for (const tier of ['Cool', 'Cold', 'Archive']) {
    await blob.setAccessTier(tier);
    const after = await blob.getProperties();
    expect([after.accessTier, after.etag, after.lastModified]).toEqual([tier, before.etag, before.lastModified]);
  }
});

test('a blob comes back after the time that is set, which cannot be called off, but hurried', async () => {
  await upload(blob, 'Archive');
  await blob.setAccessTier('Hot');
  expect(await stateOf(blob)).toEqual(['Archive', 'rehydrate-pending-to-hot']);
  expect(await refusal(blob.download())).toBe('409 BlobBeingRehydrated');
  expect(await refusal(blob.setAccessTier('Archive'))).toBe('409 BlobBeingRehydrated');
  tiers.rehydrationMs = 0;
  await blob.setAccessTier('Hot', { rehydratePriority: 'High' });
  await expect.poll(() => stateOf(blob)).toEqual(['Hot', undefined]);
  expect((await blob.downloadToBuffer()).toString()).toBe('bytes');
});

test('a copy out of the archive goes to another name and an online tier; the source stays', async () => {
  await upload(blob, 'Archive');
  const target = blobNamed(`${blob.name}-back`);
  expect(await refusal(blob.beginCopyFromURL(blob.url, { tier: 'Hot' }))).toBe('409 BlobArchived');
  expect(await refusal(target.beginCopyFromURL(blob.url))).toBe('409 BlobArchived');
  await target.beginCopyFromURL(blob.url, { tier: 'Cool', rehydratePriority: 'Standard' });
  expect(await stateOf(target)).toEqual(['Archive', 'rehydrate-pending-to-cool']);
  expect(await stateOf(blob)).toEqual(['Archive', undefined]);
  const listed: unknown[] = [];
  for await (const item of service.getContainerClient('tiers').listBlobsFlat({ prefix: blob.name })) {
    listed.push([item.properties.accessTier, item.properties.archiveStatus]);
  }
  expect(listed).toEqual([
    ['Archive', undefined],
    ['Archive', 'rehydrate-pending-to-cool'],
  ]);
});

test('a blob under an encryption scope has the tier of its account', async () => {
  const scope = { encryptionScope: 'scope' };
  expect(await refusal(blob.upload('bytes', 5, { ...scope, tier: 'Archive' }))).toBe('400 InvalidBlobTier');
  await blob.upload('bytes', 5, scope);
  expect(await refusal(blob.setAccessTier('Cool'))).toBe('400 InvalidBlobTier');
});
