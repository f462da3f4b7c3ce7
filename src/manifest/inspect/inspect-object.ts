import type { Call } from '../../observe/call.ts';
import type { BucketRegistry } from '../buckets/buckets.ts';
import { readHead } from '../heads/object-read.ts';
import { VERSIONING_DRAIN_MS, isDraining } from '../versions/drain-window.ts';
import { inspectUploads } from './inspect-uploads.ts';
import { inspectVersions } from './inspect-versions.ts';
import type { InspectedKey } from './inspected-key.ts';
import { SYSTEM_TIME } from '../records/time.ts';

export interface ObjectInspector {
  /**
   * Shows everything that the backend holds for one key. It reads a bounded number of blobs and changes nothing: unlike
   * other readers it does not even start the settling of an unsettled object.
   * @throws S3Error NoSuchBucket; StoreError
   */
  inspect(bucket: string, key: string, call: Call): Promise<InspectedKey>;
}

interface ObjectInspectorOptions {
  readonly buckets: Pick<BucketRegistry, 'get'>;
  /** The same setting that objects have. */
  readonly versioningDrainMs?: number | undefined;
  readonly now?: () => number;
}

export function createObjectInspector({
  buckets,
  versioningDrainMs = VERSIONING_DRAIN_MS,
  now = SYSTEM_TIME.now,
}: ObjectInspectorOptions): ObjectInspector {
  return {
    async inspect(name, key, call) {
      const bucket = await buckets.get(name, call);
      const head = await readHead({ bucket, key }, call);
      const survivorIsCurrent = head === undefined && isDraining({ versioningDrainMs, now }, bucket);
      const [versions, uploads] = await Promise.all([
        inspectVersions({ bucket, key, head, survivorIsCurrent }, call),
        inspectUploads({ bucket, key }, call),
      ]);
      return { bucket, key, head, ...versions, ...uploads };
    },
  };
}
