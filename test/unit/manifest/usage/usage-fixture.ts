import { createListing } from '../../../../src/manifest/listing/listing.ts';
import type { ClassUsage, UsageCount } from '../../../../src/manifest/records/usage-record.ts';
import { ALL_USAGE } from '../../../../src/manifest/records/usage-record.ts';
import { countUsage, type UsageReport } from '../../../../src/manifest/usage/count-usage.ts';
import { type KnownUsage, readUsage } from '../../../../src/manifest/usage/usage-records.ts';
import type { Call } from '../../../../src/observe/call.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { type FixtureOptions, OWNER } from '../upload-fixture.ts';

/** How a run gets to the store. */
interface Through {
  readonly store?: BlobStore;
  readonly call?: Call;
  readonly everyMs?: number;
  readonly bucket?: string;
}

/** A gateway and a clock that tests move, and counts of usage with a way to the store of their own. */
export class UsageFixture {
  readonly world: SweepFixture;

  private constructor(world: SweepFixture) {
    this.world = world;
  }

  static async open(options: FixtureOptions = {}): Promise<UsageFixture> {
    return new UsageFixture(await SweepFixture.open(options));
  }

  count({ store, call = testCall(), everyMs = 0, bucket }: Through = {}): Promise<UsageReport> {
    const { gateway } = this.world;
    const realm = this.world.realm(store);
    return countUsage(
      {
        realm,
        backends: realm.backends,
        manifest: { buckets: gateway.buckets, listing: createListing(), uploads: gateway.uploads },
        settings: { everyMs, ...(bucket !== undefined && { bucket }) },
        clockOf: () => undefined,
      },
      call,
    );
  }

  /** What is kept of all buckets. */
  known(): Promise<KnownUsage[]> {
    return readUsage({ store: this.world.gateway.memory, system: 'system' }, ALL_USAGE, testCall());
  }

  /** What is kept of the one bucket, without the times. */
  async counted(): Promise<UsageCount | undefined> {
    const counted = (await this.known()).find(({ bucket }) => bucket === this.world.bucket.name)?.counted;
    if (counted === undefined) return undefined;
    const { classes, markers, uploads, parts, partBytes } = counted;
    return { classes, markers, uploads, parts, partBytes };
  }

  async put(key: string, text: string, storageClass?: string): Promise<void> {
    const { gateway, bucket } = this.world;
    const attributes = { headers: {}, userMetadata: {}, ...(storageClass !== undefined && { storageClass }) };
    const request = { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {} };
    await gateway.objects.put({ bucket, key }, request, testCall());
  }
}

export function classUsage(
  storageClass: string,
  [currentObjects, currentBytes]: readonly [number, number],
  [noncurrentObjects, noncurrentBytes]: readonly [number, number] = [0, 0],
): ClassUsage {
  return { storageClass, currentObjects, currentBytes, noncurrentObjects, noncurrentBytes };
}
