import { beforeEach } from 'vitest';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { type VersionsRequest, createListing } from '../../../../src/manifest/listing/listing.ts';
import { type LooseRecord, RECORD_NAME, encodeRecord } from '../../../../src/manifest/records/record.ts';
import type { BlobRef, BlobStore } from '../../../../src/store/blob-store.ts';
import { type TestManifest, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { ModelledBucket, labelOf } from '../../../model/listing/versions-model.ts';

export const ALL: VersionsRequest = { prefix: '', delimiter: '', after: '', limit: 1000 };

/** Of the test that runs. */
export let manifest: TestManifest;
export let model: ModelledBucket;

export async function fresh(store?: BlobStore): Promise<void> {
  manifest = await testManifest(store === undefined ? {} : { store });
  model = new ModelledBucket({ ...manifest.bucket, versioning: 'enabled' }, manifest.objects);
}

/** To be called once by each file of tests: a bucket with versioning for each. */
export function openScene(): void {
  beforeEach(() => fresh());
}

interface Page {
  readonly shown: string[];
  readonly next: string | undefined;
  readonly nextVersion: string | undefined;
  readonly calls: number;
}

export async function list(more: Partial<VersionsRequest> = {}, bucket: Bucket = model.bucket): Promise<Page> {
  const call = testCall();
  const page = await createListing().versions(bucket, { ...ALL, ...more }, call);
  return {
    shown: page.entries.map(labelOf),
    next: page.next,
    nextVersion: page.nextVersion,
    calls: call.facts.backendCalls,
  };
}

export async function write(
  ref: BlobRef,
  record: LooseRecord | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const metadata = { ...(record && { [RECORD_NAME]: encodeRecord(record) }), ...more };
  await manifest.store.write(ref, new Uint8Array(0), { metadata }, testCall());
}

export function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`);
}
