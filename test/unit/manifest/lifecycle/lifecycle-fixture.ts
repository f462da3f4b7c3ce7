import { createBucketRegistry } from '../../../../src/manifest/buckets/buckets.ts';
import { guarded } from '../../../../src/manifest/guards.ts';
import { type LifecycleSettings, runLifecycle } from '../../../../src/manifest/lifecycle/lifecycle.ts';
import type { LifecycleReport, RuleCount } from '../../../../src/manifest/lifecycle/lifecycle-report.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { createObjects } from '../../../../src/manifest/objects/objects.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { createUploads } from '../../../../src/manifest/uploads/uploads.ts';
import { createSettler } from '../../../../src/manifest/versions/settle.ts';
import type { Call } from '../../../../src/observe/call.ts';
import { CALENDAR } from '../../../../src/protocol/lifecycle/due.ts';
import type { S3LifecycleRule } from '../../../../src/protocol/lifecycle/lifecycle.ts';
import type { Tag } from '../../../../src/protocol/tagging.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { OWNER } from '../upload-fixture.ts';

const SETTINGS: LifecycleSettings = { dryRun: false, length: CALENDAR, concurrency: 4, perSecond: 1e6, everyMs: 0 };

/** How a run gets to the store, and what time it thinks the service says. */
interface Through {
  readonly store?: BlobStore;
  readonly call?: Call;
  readonly serviceTime?: () => number;
}

export function rule(id: string, more: Partial<S3LifecycleRule>): S3LifecycleRule {
  return { id, isEnabled: true, filter: {}, ...more };
}

/** A gateway and a clock that tests move, and runs of lifecycle rules with a way to the store of their own. */
export class LifecycleFixture {
  readonly world: SweepFixture;

  private constructor(world: SweepFixture) {
    this.world = world;
  }

  static async open(): Promise<LifecycleFixture> {
    return new LifecycleFixture(await SweepFixture.open());
  }

  async rules(...rules: S3LifecycleRule[]): Promise<void> {
    const { gateway } = this.world;
    await gateway.buckets.amend(
      gateway.bucket,
      ({ lifecycle: _before, ...settings }) => ({ ...settings, ...(rules.length > 0 && { lifecycle: { rules } }) }),
      testCall(),
    );
  }

  days(count: number): void {
    this.world.advance(24 * count);
  }

  async put(key: string, text: string, more: { tags?: readonly Tag[] } = {}): Promise<string> {
    const { gateway } = this.world;
    const attributes = { headers: {}, userMetadata: {}, ...more };
    const committed = await gateway.objects.put(
      { bucket: gateway.bucket, key },
      { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {} },
      testCall(),
    );
    return committed.versionId;
  }

  async run(settings: Partial<LifecycleSettings> = {}, through: Through = {}): Promise<LifecycleReport> {
    const { store = this.world.gateway.memory, call = testCall(), serviceTime } = through;
    const realm = this.world.realm(store);
    const errors: unknown[] = [];
    const settler = createSettler({
      concurrency: 2,
      maxQueue: 100,
      newCall: () => testCall(),
      onError: (error) => errors.push(error),
    });
    const clock = createClock();
    const buckets = createBucketRegistry({ realm, cacheMs: 20, onHidden: () => undefined });
    const objects = createObjects({ clock, settler });
    const uploads = createUploads({ clock, settler, objects });
    const manifest = { buckets, ...guarded({ objects, listing: createListing(), uploads }, buckets) };
    const report = await runLifecycle(
      {
        realm,
        backends: realm.backends,
        manifest,
        settings: { ...SETTINGS, ...settings },
        clockOf: () => serviceTime && { readClock: async () => ({ service: serviceTime(), sent: 0, received: 0 }) },
      },
      call,
    );
    await settler.idle();
    return report;
  }

  /** All versions as a client lists them: `key:text`, `key:text*` if it is noncurrent, `key:-` for a delete marker. */
  async list(): Promise<string[]> {
    const { gateway } = this.world;
    const bucket = await gateway.buckets.latest(gateway.bucket, testCall());
    const { entries } = await createListing().versions(
      bucket,
      { prefix: '', delimiter: '', after: '', limit: 1000 },
      testCall(),
    );
    return Promise.all(
      entries.map(async (entry) => {
        if (entry.kind === 'prefix') return entry.key;
        const text = entry.kind === 'marker' ? '-' : await this.world.text(entry.versionId, entry.key);
        return `${entry.key}:${text}${entry.isLatest ? '' : '*'}`;
      }),
    );
  }
}

/** Counts of a rule in the one bucket. */
export function countOf({ buckets }: LifecycleReport, id: string): RuleCount | undefined {
  return buckets[0]?.rules[id];
}

export function problemsOf({ problems, buckets }: LifecycleReport): string[] {
  return [...problems, ...buckets.flatMap((bucket) => bucket.problems)];
}
