import { tiersOfClasses } from '../../../../config/schema-classes.ts';
import { createBucketRegistry } from '../../../../src/manifest/buckets/buckets.ts';
import { guarded } from '../../../../src/manifest/guards.ts';
import { type LifecycleSettings, runLifecycle } from '../../../../src/manifest/lifecycle/lifecycle.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { LifecycleDeed, LifecycleReport, RuleCount } from '../../../../src/manifest/lifecycle/lifecycle-report.ts';
import { tieredStore } from '../../../../src/manifest/heads/tiered-store.ts';
import { createListing, type Listing } from '../../../../src/manifest/listing/listing.ts';
import { createObjects } from '../../../../src/manifest/objects/objects.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import type { ObjectAttributes } from '../../../../src/manifest/records/object-view.ts';
import type { StorageClasses } from '../../../../src/manifest/records/storage-classes.ts';
import { createUploads } from '../../../../src/manifest/uploads/uploads.ts';
import { createSettler } from '../../../../src/manifest/versions/settle.ts';
import type { Call } from '../../../../src/observe/call.ts';
import { CALENDAR } from '../../../../src/protocol/lifecycle/due.ts';
import type { Lifecycle, S3LifecycleRule } from '../../../../src/protocol/lifecycle/lifecycle.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { type FixtureOptions, OWNER } from '../upload-fixture.ts';

const SETTINGS: LifecycleSettings = { dryRun: false, length: CALENDAR, concurrency: 4, perSecond: 1e6, everyMs: 0 };

const ALL = { prefix: '', delimiter: '', after: '', limit: 1000 } as const;

/** Each class in the tier that is its default. */
export const CLASSES: StorageClasses = {
  tiers: new Map(tiersOfClasses()),
  restore: 'contract',
  defaultOf: () => 'STANDARD',
};

/** How a run gets to the store, and what time it thinks the service says. */
interface Through {
  readonly store?: BlobStore;
  readonly call?: Call;
  readonly serviceTime?: () => number;
  readonly onDone?: (bucket: Bucket, deed: LifecycleDeed) => void;
  /** Names on a page of a listing. */
  readonly pageNames?: number;
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

  static async open(options: FixtureOptions = {}): Promise<LifecycleFixture> {
    return new LifecycleFixture(await SweepFixture.open(options));
  }

  rules(...rules: S3LifecycleRule[]): Promise<void> {
    return this.configure(rules.length > 0 ? { rules } : undefined);
  }

  async configure(lifecycle: Lifecycle | undefined): Promise<void> {
    const { gateway } = this.world;
    await gateway.buckets.amend(
      gateway.bucket,
      ({ lifecycle: _before, ...settings }) => ({ ...settings, ...(lifecycle && { lifecycle }) }),
      testCall(),
    );
  }

  days(count: number): void {
    this.world.advance(24 * count);
  }

  async put(key: string, text: string, more: Partial<ObjectAttributes> = {}): Promise<string> {
    const { gateway } = this.world;
    const attributes = { headers: {}, userMetadata: {}, ...more };
    const committed = await gateway.objects.put(
      { bucket: gateway.bucket, key },
      { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {} },
      testCall(),
    );
    return committed.versionId;
  }

  /** The current version. @param until milliseconds since the epoch */
  async lock(key: string, until: number): Promise<void> {
    const { objects, bucket } = this.world.gateway;
    const retention = { mode: 'GOVERNANCE', until } as const;
    await objects.amend({ bucket, key }, () => ({ lock: { retention } }), testCall());
  }

  async run(settings: Partial<LifecycleSettings> = {}, through: Through = {}): Promise<LifecycleReport> {
    const { store = this.world.gateway.memory, call = testCall(), serviceTime, onDone, pageNames } = through;
    const { classes } = this.world.bucket.home;
    const realm = this.world.realm(classes === undefined ? store : tieredStore(store, classes));
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
    const manifest = { buckets, ...guarded({ objects, listing: listingBy(pageNames), uploads }, buckets) };
    const report = await runLifecycle(
      {
        realm,
        backends: realm.backends,
        manifest,
        settings: { ...SETTINGS, ...settings },
        ...(onDone && { onDone }),
        clockOf: () => serviceTime && { readClock: async () => ({ service: serviceTime(), sent: 0, received: 0 }) },
      },
      call,
    );
    await settler.idle();
    return report;
  }

  /** The class of each version as listings show it; what a HEAD says must be the same. */
  async classes(): Promise<string[]> {
    const { objects, bucket } = this.world.gateway;
    const latest = await this.world.gateway.buckets.latest(bucket, testCall());
    const { entries } = await createListing().versions(latest, ALL, testCall());
    const versions = entries.filter((entry) => entry.kind === 'version');
    return Promise.all(
      versions.map(async ({ key, versionId, storageClass = 'STANDARD', isLatest }) => {
        const view = await objects.find({ bucket: latest, key, versionId }, testCall());
        const said = view.storageClass ?? 'STANDARD';
        return `${key}:${storageClass}${isLatest ? '' : '*'}${said === storageClass ? '' : ` (HEAD says ${said})`}`;
      }),
    );
  }

  /**
   * All versions as a client lists them: `key:text`, `key:text*` if it is noncurrent, `key:-` for a delete marker. Dots
   * at the end of a text only fill it up.
   */
  async list(): Promise<string[]> {
    const { gateway } = this.world;
    const bucket = await gateway.buckets.latest(gateway.bucket, testCall());
    const { entries } = await createListing().versions(bucket, ALL, testCall());
    return Promise.all(
      entries.map(async (entry) => {
        if (entry.kind === 'prefix') return entry.key;
        const bytes = entry.kind === 'marker' ? '-' : await this.world.text(entry.versionId, entry.key);
        const text = bytes.replace(/\.+$/, '');
        return `${entry.key}:${text}${entry.isLatest ? '' : '*'}`;
      }),
    );
  }
}

function listingBy(pageNames = Infinity): Listing {
  const listing = createListing();
  return {
    ...listing,
    versions: (bucket, request, call) =>
      listing.versions(bucket, { ...request, limit: Math.min(request.limit, pageNames) }, call),
  };
}

/** Counts of a rule in the one bucket. */
export function countOf({ buckets }: LifecycleReport, id: string): RuleCount | undefined {
  return buckets[0]?.rules[id];
}

export function problemsOf({ problems, buckets }: LifecycleReport): string[] {
  return [...problems, ...buckets.flatMap((bucket) => bucket.problems)];
}
