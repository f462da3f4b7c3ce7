import type { BatchSupport } from '../shared/batch/batch-support.ts';
import type { PartDigests } from '../shared/part-digests.ts';
import type { RestClient } from '../shared/rest-client.ts';
import type { Credentials } from './credentials.ts';
import { type ContainerNaming, MAX_NAME_BYTES, RESERVED_PREFIXES } from './names.ts';
import type { GcsLimits } from './options.ts';
import type { GcsRequest } from './request.ts';
import type { Call } from '../../src/observe/call.ts';
import type { StoreCapabilities } from '../../src/store/blob-store.ts';
import { PRIVATE_METADATA_BYTES } from './resource.ts';

interface BucketOptions {
  readonly location?: string;
  readonly storageClass?: string;
}

/** What a bucket said of Autoclass; it counts until then, by the monotonic clock. */
interface AskedBucket {
  readonly until: number;
  readonly hasAutoclass: Promise<boolean>;
}

/** What the calls of one project share. */
export interface GcsClient {
  readonly rest: RestClient<GcsRequest>;
  readonly batches: BatchSupport;
  readonly digests: PartDigests;
  readonly names: ContainerNaming;
  /** Settings for new buckets. */
  readonly buckets: BucketOptions;
  readonly limits: GcsLimits;
  readonly pinsSources: boolean;
  readonly credentials: Credentials;
  /** Buckets that were asked lately whether they keep objects in the class that a write names. */
  readonly askedBuckets: Map<string, AskedBucket>;
  readonly background: Background;
  /** Number of the project in which buckets are made, once a bucket of it has been seen. */
  projectNumber: string | undefined;
}

/** What work in the background may take before `close` gives it up, in milliseconds. */
const CLOSE_GRACE = 2_000;

/**
 * Cleans up in the background. No client waits for this work, and it may fail: a later `discardParts` finds what it
 * leaves.
 */
export class Background {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  run(call: Call, work: (call: Call) => Promise<unknown>): void {
    const own: Call = { ...call, signal: this.#closing.signal, facts: call.facts.apart() };
    const done: Promise<void> = work(own)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(new Error('closed')), CLOSE_GRACE);
    await Promise.all(this.#running);
    clearTimeout(timer);
    this.#closing.abort(new Error('closed'));
  }
}

/** https://cloud.google.com/storage/quotas#objects: 8 KiB of custom metadata, names and values. */
const MAX_METADATA_BYTES = 8 * 1024;
/** https://cloud.google.com/storage/docs/batch */
export const MAX_BATCH = 100;

/** Bytes: https://cloud.google.com/storage/quotas#objects */
const MAX_OBJECT = 5 * 1024 ** 4;

/** Limits of Cloud Storage, but for those that tests lower. */
export function gcsCapabilities({ limits, names, pinsSources }: GcsClient): StoreCapabilities {
  return {
    nameOrder: 'utf8',
    maxNameLength: MAX_NAME_BYTES,
    maxNameBytes: MAX_NAME_BYTES,
    reservedPrefixes: RESERVED_PREFIXES,
    maxWrite: limits.maxWrite,
    // A rewrite takes any object, in several calls if need be; the target changes with the last.
    maxCopy: Infinity,
    // A part is an object of its own.
    maxStagedBlock: limits.maxWrite,
    maxBlob: MAX_OBJECT,
    maxListPage: 1000,
    maxBatch: MAX_BATCH,
    maxMetadataBytes: MAX_METADATA_BYTES - PRIVATE_METADATA_BYTES,
    writeReturnsMd5: true,
    pinsSources,
    archiveIsOffline: false,
    containerName: names.legal,
  };
}
