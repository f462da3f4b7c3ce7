import type {
  BlobMetadata,
  BlobProperties,
  ContentHeaders,
  PartToken,
  Revision,
  Tier,
} from '../../src/store/blob-store.ts';
import type { NameOrder } from '../../src/store/name-order.ts';
import type { Bytes } from './bytes.ts';
import { NameIndex } from './name-index.ts';

/** One state of a blob. It never changes: a new state replaces it in the container's map in one step. */
export interface StoredBlob {
  readonly bytes: Bytes;
  readonly headers: ContentHeaders;
  readonly metadata: BlobMetadata;
  readonly md5?: string;
  /** Digest of the customer's key that it was written with; nothing is encrypted here. */
  readonly keyDigest?: string;
  readonly revision: Revision;
  readonly lastModified: number;
  readonly tier: Tier;
  /** Its bytes are out of reach. */
  readonly archived: boolean;
}

/** What is known of a container from its creation on. */
interface ContainerOrigin {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly owner?: string;
}

/** The blobs of a container by name, and the parts staged for names. */
export class MemoryContainer {
  readonly made: ContainerOrigin;
  readonly #blobs = new Map<string, StoredBlob>();
  readonly #staged = new Map<string, Map<PartToken, Bytes>>();
  readonly index: NameIndex;

  constructor(made: ContainerOrigin, order: NameOrder) {
    this.made = made;
    this.index = new NameIndex(order);
  }

  get isFull(): boolean {
    return this.#blobs.size > 0;
  }

  get(name: string): StoredBlob | undefined {
    return this.#blobs.get(name);
  }

  set(name: string, blob: StoredBlob): void {
    if (!this.#blobs.has(name)) this.index.add(name);
    this.#blobs.set(name, blob);
  }

  delete(name: string): void {
    if (this.#blobs.delete(name)) this.index.remove(name);
  }

  stagedPart(staging: string, token: PartToken): Bytes | undefined {
    return this.#staged.get(staging)?.get(token);
  }

  stage(staging: string, token: PartToken, bytes: Bytes): void {
    const parts = this.#staged.get(staging) ?? new Map<PartToken, Bytes>();
    this.#staged.set(staging, parts.set(token, bytes));
  }

  dropStaged(staging: string): void {
    this.#staged.delete(staging);
  }
}

export function propertiesOf(blob: StoredBlob): BlobProperties {
  return {
    ...blob.headers,
    size: blob.bytes.size,
    revision: blob.revision,
    lastModified: blob.lastModified,
    metadata: blob.metadata,
    tier: blob.tier,
    ...(blob.md5 !== undefined && { md5: blob.md5 }),
    ...(blob.archived && { archived: true }),
  };
}
