import type { Call } from '../../observe/call.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import type { KeyQueue } from '../heads/key-queue.ts';
import type { StorageClasses } from '../records/storage-classes.ts';
import type { Time } from '../records/time.ts';

/** One configured backend: a store, its system container, and who owns what native tools made in it. */
export interface Backend {
  readonly name: string;
  readonly store: BlobStore;
  readonly systemContainer: string;
  /** Canonical id of the account that owns containers without a bucket record. */
  readonly ownerId: string;
  /** In which this process's changes of one key wait for each other; absent: they race. */
  readonly queue?: KeyQueue;
  /** Of this process; absent: the machine's. */
  readonly time?: Time;
  /** Buckets that are parts of containers, with the ids of their places. The store knows them by the buckets' names. */
  readonly places?: ReadonlyMap<string, string>;
  /** Those of `places` behind which a container of the same name lies. @throws StoreError */
  readonly behindPlaces?: (call: Call) => Promise<readonly string[]>;
  /** What the service calls the KMS keys that clients may name, by those names. */
  readonly kmsKeys?: ReadonlyMap<string, string>;
  /** Absent: storage classes are labels. */
  readonly classes?: StorageClasses;
}

/** All backends, and which of them a bucket name belongs to. */
export interface Realm {
  readonly backends: readonly Backend[];
  /** Pure function of the name (configured patterns, then the default). */
  backendOf(bucket: string): Backend;
}
