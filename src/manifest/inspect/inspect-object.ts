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
   * Everything that lies in the backend for one key. Reads only, so many blobs at the most, and changes nothing: it
   * does not even have an unsettled object settled, as other readers do.
   * @throws S3Error NoSuchBucket; StoreError
   */
  inspect(bucket: string, key: string, call: Call): Promise<InspectedKey>;
}

interface ObjectInspectorOptions {
  readonly buckets: Pick<BucketRegistry, 'get'>;
  /** As the objects have it. */
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
