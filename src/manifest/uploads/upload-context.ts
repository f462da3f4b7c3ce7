import type { Call } from '../../observe/call.ts';
import type { CommitLife } from '../heads/commit-life.ts';
import type { Committed, DescribedVersion, PublishRequest, VersionMetadata } from '../heads/object-requests.ts';
import type { Clock } from '../records/clock.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { Settler } from '../versions/settle.ts';

/** What uploads need of `Objects` (`objects/objects.ts`). Folders of one floor do not import each other. */
interface ObjectPublisher {
  /** Metadata and headers for the blob that the parts are assembled to. */
  describe(target: KeyRef, version: VersionMetadata, call: Call): Promise<DescribedVersion>;
  /**
   * Makes that blob the object of its key.
   * @throws S3Error PreconditionFailed, ConditionalRequestConflict, NoSuchKey (If-Match), NoSuchBucket
   */
  publish(target: KeyRef, request: PublishRequest, call: Call): Promise<Committed>;
  /** A seq above that of every change of the key that was acknowledged. @throws S3Error NoSuchBucket */
  nextSeq(target: KeyRef, call: Call): Promise<number>;
}

/** What the upload functions share. */
export interface UploadsContext {
  readonly clock: Clock;
  readonly settler: Settler;
  readonly commits: CommitLife;
  readonly objects: ObjectPublisher;
  /** Bytes; `MIN_PART_SIZE` but for tests. */
  readonly minPartSize: number;
  /** Bytes; where the service takes less, that counts. */
  readonly maxObjectSize: number;
}
