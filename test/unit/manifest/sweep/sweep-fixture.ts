import { vi } from 'vitest';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { RequestedVersioning } from '../../../../src/manifest/buckets/bucket-amend.ts';
import type { Backend, Realm } from '../../../../src/manifest/buckets/realm.ts';
import { readHead } from '../../../../src/manifest/heads/object-read.ts';
import { parseVersionName } from '../../../../src/manifest/records/version-names.ts';
import { type SweepReport, type Finding, hasProblems } from '../../../../src/manifest/sweep/sweep-report.ts';
import { SWEEP_DEFAULTS, type SweepSettings } from '../../../../src/manifest/sweep/sweep-run.ts';
import { sweep } from '../../../../src/manifest/sweep/sweep.ts';
import { createBucketStore } from '../../../../src/manifest/buckets/bucket-store.ts';
import { CustomerKey } from '../../../../src/store/customer-key.ts';
import { ABSENT, type BlobStore, at } from '../../../../src/store/blob-store.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import type { Call } from '../../../../src/observe/call.ts';
import { testCall } from '../../../support/test-call.ts';
import { type FixtureOptions, OWNER, UploadFixture } from '../upload-fixture.ts';

export const HOUR = 3_600_000;

/** The one that clients of these tests have. */
export const CUSTOMER_KEY = new CustomerKey(Buffer.alloc(32, 7));

/** What clients see of a key: its current text, and that of each version that can be named; errors by their code. */
type KeyView = Readonly<Record<string, string>>;

/** A gateway's manifest, a clock that tests move, and a sweeper beside it that has a way to the store of its own. */
export class SweepFixture {
  readonly gateway: UploadFixture;

  private constructor(gateway: UploadFixture) {
    this.gateway = gateway;
  }

  /** Only the date is faked: what waits, waits. */
  static async open(options: FixtureOptions = {}): Promise<SweepFixture> {
    vi.useFakeTimers({ toFake: ['Date'] });
    return new SweepFixture(await UploadFixture.open(options));
  }

  get bucket(): Bucket {
    return this.gateway.bucket;
  }

  /** Without the waiting that it costs, and past the window in which late writes may land. */
  async version(versioning: RequestedVersioning): Promise<void> {
    const records = createBucketStore(this.realm());
    const { record, revision } = await records.findLive(this.bucket.name, testCall());
    const versionedSince = record.versionedSince ?? Date.now();
    await records.write(
      this.bucket.name,
      { ...record, versioning, versionedSince },
      revision === undefined ? ABSENT : at(revision),
      testCall(),
    );
    this.gateway.bucket = { ...this.bucket, versioning, versionedSince };
    this.advance(1);
  }

  realm(store: BlobStore = this.gateway.memory): Realm {
    const { classes } = this.bucket.home;
    const kept = classes === undefined ? {} : { classes };
    const backend: Backend = { name: 'test', store, systemContainer: 'system', ownerId: OWNER, ...kept };
    return { backends: [backend], backendOf: () => backend };
  }

  advance(hours: number): void {
    vi.setSystemTime(Date.now() + hours * HOUR);
  }

  sweep(settings: Partial<SweepSettings> = {}, through: { store?: BlobStore; call?: Call } = {}): Promise<SweepReport> {
    const { store = this.gateway.memory, call = testCall() } = through;
    const realm = this.realm(store);
    return sweep({ realm, backends: realm.backends, settings: { ...SWEEP_DEFAULTS, ...settings } }, call);
  }

  async put(text: string, key = 'k'): Promise<string> {
    const attributes = { headers: {}, userMetadata: {} };
    return (
      await this.gateway.objects.put(
        { bucket: this.bucket, key },
        { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {} },
        testCall(),
      )
    ).versionId;
  }

  async remove(versionId?: string, key = 'k'): Promise<void> {
    await this.gateway.objects.remove(
      { bucket: this.bucket, key, versionId },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
  }

  async text(versionId?: string, key = 'k'): Promise<string> {
    try {
      const target = { bucket: this.bucket, key, versionId };
      const { view, body } = await this.gateway.objects.open(target, {}, testCall());
      const { encryption } = view;
      const shown = encryption?.by.kind === 'customer' ? { key: CUSTOMER_KEY } : {};
      const bytes =
        encryption === undefined ? body : await this.gateway.objects.openView(this.bucket, view, shown, testCall());
      return (await readAll(bytes)).toString();
    } catch (error) {
      if (error instanceof Error && 'code' in error) return String(error.code);
      throw error;
    }
  }

  /**
   * By the ids that there are blobs for, and `null`; what is not part of the history is left out, and what was deleted:
   * by its id it can be read until its blob is gone.
   */
  async view(key = 'k'): Promise<KeyView> {
    const view: Record<string, string> = { current: await this.text(undefined, key) };
    const deleted = (await readHead({ bucket: this.bucket, key }, testCall()))?.record?.dels ?? [];
    const named = (await this.names('v/'))
      .map((name) => parseVersionName(this.bucket, name))
      .filter((version) => version?.key === key);
    const ids = named.map((version) => version?.token ?? '').filter((id) => !deleted.includes(id));
    for (const id of ['null', ...ids]) {
      const text = await this.text(id, key);
      if (text !== 'NoSuchVersion') view[id] = text;
    }
    return view;
  }

  names(...prefixes: string[]): Promise<string[]> {
    return this.gateway.names(...prefixes);
  }

  /** Everything in the system container but bucket records. */
  leftovers(): Promise<string[]> {
    return this.names('v/', 'x/', 'u/', 'p/', 'c/', 'o/', 'e/');
  }

  async heads(): Promise<string[]> {
    const { entries } = await this.gateway.memory.list(this.bucket.home.container, { limit: 1000 }, testCall());
    return entries.map(({ name }) => name);
  }
}

/** What was found over all buckets; `found` only where it is not zero. */
export function findings(report: SweepReport): Partial<Record<Finding, number>> {
  const sums: Partial<Record<Finding, number>> = {};
  for (const { counts, buckets } of report.backends) {
    for (const one of [counts, ...buckets.map((bucket) => bucket.counts)]) {
      for (const [finding, { found }] of Object.entries(one)) {
        if (found > 0) sums[finding as Finding] = (sums[finding as Finding] ?? 0) + found;
      }
    }
  }
  return sums;
}

export function problemsOf(report: SweepReport): string[] {
  const problems = report.backends.flatMap((backend) => [
    ...backend.problems,
    ...backend.buckets.flatMap((bucket) => bucket.problems),
  ]);
  if (hasProblems(report) !== problems.length > 0) throw new Error('hasProblems is wrong');
  return problems;
}
