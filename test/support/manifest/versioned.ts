import type { Bucket, Versioning } from '../../../src/manifest/records/bucket.ts';
import type { Removed } from '../../../src/manifest/heads/object-requests.ts';
import type { ObjectView } from '../../../src/manifest/records/object-view.ts';
import type { Call } from '../../../src/observe/call.ts';
import { OWNER, type TestManifest, type TestManifestOptions, putOf, testManifest } from './manifest.ts';
import { testCall } from '../test-call.ts';

/** A bucket whose versioning a test sets as it likes, without the waiting that switching it costs. */
export class VersionedBucket {
  readonly manifest: TestManifest;
  bucket: Bucket;

  constructor(manifest: TestManifest) {
    this.manifest = manifest;
    this.bucket = { ...manifest.bucket, versioning: 'enabled' };
  }

  static async create(options: TestManifestOptions = {}): Promise<VersionedBucket> {
    return new VersionedBucket(await testManifest(options));
  }

  set(versioning: Versioning): void {
    this.bucket = { ...this.bucket, versioning };
  }

  /** @returns version id */
  async put(text: string, more: Parameters<typeof putOf>[1] = {}, call = testCall()): Promise<string> {
    return (await this.manifest.objects.put({ bucket: this.bucket, key: 'k' }, putOf(text, more), call)).versionId;
  }

  remove(versionId?: string, call: Call = testCall()): Promise<Removed> {
    return this.manifest.objects.remove(
      { bucket: this.bucket, key: 'k', versionId },
      { conditions: {}, ownerId: OWNER },
      call,
    );
  }

  find(versionId?: string, call: Call = testCall()): Promise<ObjectView> {
    return this.manifest.objects.find({ bucket: this.bucket, key: 'k', versionId }, call);
  }

  /** Its text, or the code of the error. */
  async text(versionId?: string, call: Call = testCall()): Promise<string> {
    try {
      const { body } = await this.manifest.objects.open({ bucket: this.bucket, key: 'k', versionId }, {}, call);
      const chunks: Buffer[] = [];
      for await (const chunk of body.stream()) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    } catch (error) {
      if (error instanceof Error && 'code' in error) return String(error.code);
      throw error;
    }
  }
}
