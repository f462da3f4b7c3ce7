import type { Call } from '../observe/call.ts';
import type { ByteSource, UploadBody } from '../streams/bytes.ts';
import type { BlobEncryption, CustomerKey } from './customer-key.ts';

/** Opaque mark of one state of a blob, bytes and metadata (Azure ETag; GCS generation and metageneration). */
export type Revision = string & { readonly __brand: 'Revision' };

/**
 * `absent`: the blob must not exist. `match`: it must be at exactly this revision. Judged atomically by the service.
 */
export type Condition = { readonly kind: 'absent' } | { readonly kind: 'match'; readonly revision: Revision };

export const ABSENT: Condition = { kind: 'absent' };
export function at(revision: Revision): Condition {
  return { kind: 'match', revision };
}

/** Where a blob lies. `name` is already in the form that the key codec made safe for the backend. */
export interface BlobRef {
  readonly container: string;
  readonly name: string;
}

/** A source of a server-side copy, pinned to the revision that was read. */
export interface CopySource extends BlobRef {
  readonly revision: Revision;
  /** Bytes of the blob at that revision, where they are known. */
  readonly size?: number;
}

/** Headers that the services store as fields of their own and give to native readers. */
export interface ContentHeaders {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly contentDisposition?: string;
  readonly cacheControl?: string;
}

/**
 * Metadata that rides on the blob: names match `[a-z][a-z0-9_]*`, values are non-empty printable
 * ASCII without leading or trailing space, all of it at most `capabilities.maxMetadataBytes`.
 * Native blobs may carry anything: an adapter hands over what it can read, names in lower case.
 */
export type BlobMetadata = Readonly<Record<string, string>>;

/**
 * Where a service keeps bytes: the colder, the cheaper to keep and the dearer to read. Azure's access tiers have these
 * names; Google's classes are STANDARD, NEARLINE, COLDLINE and ARCHIVE.
 */
export const TIERS = ['hot', 'cool', 'cold', 'archive'] as const;
export type Tier = (typeof TIERS)[number];

export interface BlobProperties extends ContentHeaders {
  readonly size: number;
  readonly revision: Revision;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** MD5 of the bytes as 32 lower-case hex digits, when the service knows it. */
  readonly md5?: string;
  readonly metadata: BlobMetadata;
  /** Absent: the service says none. */
  readonly tier?: Tier;
  /** The bytes are in an offline tier and cannot be read. */
  readonly archived?: boolean;
}

export interface BlobEntry extends BlobProperties {
  readonly kind: 'blob';
  readonly name: string;
}

export interface PrefixEntry {
  readonly kind: 'prefix';
  /** Ends with the delimiter. */
  readonly name: string;
}

export type ListEntry = BlobEntry | PrefixEntry;

export interface ListRequest {
  readonly prefix?: string;
  /** One character. Names that hold it after the prefix are rolled up into `PrefixEntry`. */
  readonly delimiter?: string;
  /**
   * First name to be listed, inclusive (in the service's order). A rolled-up prefix counts if it is >= `startAt` or a
   * prefix of it.
   */
  readonly startAt?: string;
  /** `nextToken` of the page before; opaque, valid only with the same other arguments. */
  readonly token?: string;
  /**
   * Most entries to return, prefixes included; at most `capabilities.maxListPage`. A page may hold fewer, even none,
   * and still have a `nextToken`.
   */
  readonly limit: number;
}

export interface ListPage {
  /** In the order of `capabilities.nameOrder`, prefixes and blobs interleaved. */
  readonly entries: readonly ListEntry[];
  readonly nextToken?: string;
}

/**
 * First and last byte, both inclusive; `last` absent = to the end. Never a suffix range. `last` beyond the end is
 * clipped.
 */
export interface ByteRange {
  readonly first: number;
  readonly last?: number;
}

export interface ReadRequest {
  readonly range?: ByteRange;
  /** Read only this revision; else `conditionFailed`. */
  readonly revision?: Revision;
  /** What the blob was written with: its key, or none for one that was written without; else `keyRefused`. */
  readonly key?: CustomerKey;
}

export interface ReadResult {
  /** Properties of the whole blob; `size` is the whole size also when a range was read. */
  readonly properties: BlobProperties;
  /** Only the bytes of the range, if one was asked for. */
  readonly body: ByteSource;
}

export interface WriteRequest {
  readonly headers?: ContentHeaders;
  readonly metadata: BlobMetadata;
  readonly condition?: Condition;
  /** Hex MD5 known before the body: the service refuses other bytes (`digestMismatch`). */
  readonly md5?: string;
  /** Absent: as the service decides, which may keep the tier of what is replaced. The same in the other requests. */
  readonly tier?: Tier;
  /**
   * For private names only, and without metadata and content headers: a service shows those of a blob encrypted with a
   * customer's key only to callers with the key, and never in listings. From then on only `read` with that key,
   * `remove`, `removeMany` and `list` are called for it; it is never a source of a copy.
   */
  readonly encryption?: BlobEncryption;
}

export interface WriteResult {
  readonly revision: Revision;
  readonly lastModified: number;
  /** Hex MD5 of what was stored, when the service computed or checked it. */
  readonly md5?: string;
}

export interface CopyRequest {
  readonly source: CopySource;
  /** Size of the source, from the read that pinned its revision. */
  readonly size: number;
  /** All headers of the target (not merged with the source's). */
  readonly headers: ContentHeaders;
  readonly metadata: BlobMetadata;
  /** True when `headers` and `md5` are exactly the source's: not every service can give the target others. */
  readonly sameHeaders?: boolean;
  /** Hex MD5 to be recorded on the target, if the source's is known. */
  readonly md5?: string;
  readonly tier?: Tier;
  readonly condition?: Condition;
}

/** What brings a blob back from the offline tier. */
export interface RehydrateRequest {
  readonly source: BlobRef;
  /** Of what is made; not `archive`. */
  readonly tier: Tier;
  /** Sooner, at a price. */
  readonly isUrgent: boolean;
}

/** Names one staged part inside its staging blob; opaque, ASCII, short; stored in part records. */
export type PartToken = string;

export interface StageRequest {
  /** Hex MD5 known before the body: the service refuses other bytes (`digestMismatch`). */
  readonly md5?: string | undefined;
}

export interface StagedPart {
  /** In the order in which `assemble` must name them: a part above `maxStagedBlock` becomes several. */
  readonly tokens: readonly PartToken[];
  /** Hex MD5 of the bytes, when the service computed or checked it. */
  readonly md5?: string;
}

export interface AssembleRequest {
  readonly tokens: readonly PartToken[];
  readonly headers?: ContentHeaders;
  readonly metadata: BlobMetadata;
  readonly md5?: string;
  readonly tier?: Tier;
  readonly condition?: Condition;
}

/** Where staged parts lie, on services where they are blobs of their own, which nothing removes but `discardParts`. */
export interface StagedNames {
  /** All of a container's. */
  readonly prefix: string;
  /** All that is staged for one blob. */
  prefixOf(staging: BlobRef): string;
}

export interface RemoveItem {
  readonly name: string;
  /** Remove only this revision. */
  readonly revision?: Revision;
}

export type RemoveOutcome = 'removed' | 'notFound' | 'conditionFailed' | Error;

export interface ContainerRequest {
  /** Kept with the container from the moment it is there: `[a-z0-9_-]`, at most 63 characters. */
  readonly owner?: string;
}

export interface ContainerEntry {
  readonly name: string;
  readonly lastModified: number;
  /** What it was made with, as far as the service keeps it; absent on those that other tools made. */
  readonly owner?: string;
  /** Which part of a container it is, of those that are no containers of the service's (`placed-store.ts`). */
  readonly place?: string;
}

/** Copies whose bytes pass through the gateway, because the service does not let itself read their sources. */
interface CopyFallback {
  /** That it refuses is remembered: it is not asked at the moment. */
  readonly active: boolean;
  /** How many there were. */
  readonly streamed: number;
}

/** Whether a service says the MD5 of what it stages. */
interface PartDigests {
  /** It is known to, at the moment. */
  readonly active: boolean;
  /**
   * Whether `stagePart` will say that of a part of `size` bytes. The first to ask may wait for a call to the service,
   * which leaves nothing behind; until that is answered it is false for others. It may fail to come all the same.
   */
  ask(staging: BlobRef, size: number, call: Call): Promise<boolean>;
}

/** Limits and habits of a service, as data. Sizes in bytes. */
export interface StoreCapabilities {
  /** Order of `list`: by UTF-8 bytes, or by UTF-16 code units (they differ only beyond U+FFFF). */
  readonly nameOrder: 'utf8' | 'utf16';
  /** Longest name, in UTF-16 code units. */
  readonly maxNameLength: number;
  /** Longest name in bytes of UTF-8, where the service counts these. */
  readonly maxNameBytes?: number;
  /** Names that begin with one of these are refused by the service. */
  readonly reservedPrefixes?: readonly string[];
  /** Largest body of one `write`. */
  readonly maxWrite: number;
  /** Largest source of one `copy`. What is larger is assembled on a private name, and the key points there. */
  readonly maxCopy: number;
  /** Largest body of one `stagePart` / `stagePartFrom` token; larger ones are split by the adapter. */
  readonly maxStagedBlock: number;
  /** Largest blob. */
  readonly maxBlob: number;
  readonly maxListPage: number;
  /** Blobs that `removeMany` removes in one call, where the service takes batches. */
  readonly maxBatch: number;
  /** Names and values together. */
  readonly maxMetadataBytes: number;
  /** `write` answers the MD5 of what it stored, so the caller need not compute it. */
  readonly writeReturnsMd5: boolean;
  /**
   * `copy` and `stagePartFrom` refuse a source that is not at the revision named, and `read` a blob: so the revision
   * may be one from memory. Emulators of some services take what is there.
   */
  readonly pinsSources: boolean;
  /** Bytes in the tier `archive` cannot be read, and such a blob can be removed but not changed. */
  readonly archiveIsOffline: boolean;
  /** `removeContainer` takes what is in the container with it; absent: the service refuses. */
  readonly removesFullContainers?: boolean;
  /** Container names: the service's rule. */
  readonly containerName: RegExp;
}

/**
 * What an adapter offers, in neutral words. All calls throw `StoreError` and nothing else.
 *
 * Retries: an adapter repeats reads (`head`, `read` before its first byte, `list`) inside its retry
 * budget. A call that changes something is repeated only when it certainly never reached the
 * service; otherwise it fails with `lost`, and the caller decides (docs/decisions, commit protocol).
 *
 * Names that clients see: nothing is ever staged on one. `write`, `copy`, `setMetadata` and `remove` are one atomic
 * call on their target each; what a call that fails or is lost leaves under a name is what was there, or all that was
 * asked for. `stagePart`, `stagePartFrom`, `assemble` and `discardParts` are for private names only (of the system
 * container): some services keep what is staged under the name itself, where it outlives the blob, takes part in
 * conditions on its absence, and belongs to whoever writes the name next.
 *
 * `test/store/conformance.ts` is the executable form of this contract.
 */
export interface BlobStore {
  /** Name of the service in traces and docs: `azure`, `gcs`, `memory`. */
  readonly kind: string;
  readonly capabilities: StoreCapabilities;
  /** Absent: copies are always the service's own work. */
  readonly copyFallback?: CopyFallback;
  /** Absent: the service never says an MD5 of what it stages. */
  readonly partDigests?: PartDigests;
  /** Absent: the service keeps what is staged to itself, and drops it by itself. */
  readonly staged?: StagedNames;
  /** Whether a blob could have this name where it would lie. Absent: every name that the key codec makes fits. */
  fits?(ref: BlobRef): boolean;

  /**
   * Makes it unless there is one: of many at once for one name one succeeds.
   * @returns it, with the owner that the service really keeps. @throws containerExists, containerBusy
   */
  createContainer(name: string, request: ContainerRequest, call: Call): Promise<ContainerEntry>;
  /** @throws containerNotFound, containerBusy (somebody else's) */
  headContainer(name: string, call: Call): Promise<ContainerEntry>;
  /**
   * Removes the container; with everything in it, unless the service removes empty ones only (`removesFullContainers`).
   * @throws containerNotFound, containerNotEmpty
   */
  removeContainer(name: string, call: Call): Promise<void>;
  listContainers(token: string | undefined, call: Call): Promise<{ containers: ContainerEntry[]; nextToken?: string }>;

  /**
   * @throws notFound (also when the container is missing, if the service cannot tell: HEAD has no body),
   * containerNotFound
   */
  head(ref: BlobRef, call: Call): Promise<BlobProperties>;
  /** @throws notFound, containerNotFound, rangeNotSatisfiable, conditionFailed, archived, keyRefused */
  read(ref: BlobRef, request: ReadRequest, call: Call): Promise<ReadResult>;
  /**
   * Creates or replaces the blob in one atomic step. A stream that errors or ends early leaves
   * everything as it was.
   * @throws conditionFailed, containerNotFound, digestMismatch, tooLarge, keyRefused, tierRefused
   */
  write(ref: BlobRef, body: UploadBody, request: WriteRequest, call: Call): Promise<WriteResult>;
  /** Replaces all metadata; bytes, content headers and md5 stay. @throws notFound, conditionFailed */
  setMetadata(ref: BlobRef, metadata: BlobMetadata, condition: Condition, call: Call): Promise<WriteResult>;
  /** @throws notFound, conditionFailed */
  remove(ref: BlobRef, revision: Revision | undefined, call: Call): Promise<void>;
  /**
   * Removes many, in few calls where the service takes batches; outcomes in the order of the items, each by itself: of
   * an item whose outcome is an error that is `lost` nobody knows whether it is there.
   */
  removeMany(container: string, items: readonly RemoveItem[], call: Call): Promise<RemoveOutcome[]>;
  /** @throws containerNotFound */
  list(container: string, request: ListRequest, call: Call): Promise<ListPage>;

  /**
   * Server-side copy inside this store: one call that changes the target in one step, on condition, and leaves nothing
   * beside it. `tooLarge`: the service has no such call for this source (its size, or headers of the target's own), and
   * nothing was done; the caller stages the source to a private name.
   * @throws sourceNotFound, sourceConditionFailed, conditionFailed, tooLarge
   */
  copy(target: BlobRef, request: CopyRequest, call: Call): Promise<WriteResult>;

  /**
   * Begins to copy a blob of the tier `archive`, with its metadata, to a private name that nothing has. The target is
   * there at once, and `archived` until its bytes are; the source stays, and must not be removed meanwhile. Absent:
   * bytes of all tiers can be read at once. @throws sourceNotFound, conditionFailed
   */
  rehydrate?(target: BlobRef, request: RehydrateRequest, call: Call): Promise<void>;

  /**
   * Stores one part privately beside (not in) the staging blob `staging`, a private name; any number of parts and
   * attempts may be staged at the same time, none disturbs another. Staging never makes the
   * staging blob exist, and an assembled staging blob is not changed by it. @throws digestMismatch
   */
  stagePart(staging: BlobRef, body: UploadBody, request: StageRequest, call: Call): Promise<StagedPart>;
  /** The same from (a range of) a blob of this store, server-side. @throws sourceNotFound, sourceConditionFailed */
  stagePartFrom(staging: BlobRef, source: CopySource, range: Required<ByteRange>, call: Call): Promise<StagedPart>;
  /**
   * Makes the staging blob exist from staged parts, in order, in one atomic step and without moving
   * bytes where the service can. No tokens: an empty blob (which claims the name).
   * @throws conditionFailed, partsGone
   */
  assemble(staging: BlobRef, request: AssembleRequest, call: Call): Promise<WriteResult>;
  /**
   * Frees parts staged for `staging` that were not assembled. Idempotent; the staging blob itself is removed by
   * `remove`.
   */
  discardParts(staging: BlobRef, call: Call): Promise<void>;

  /** One cheap authenticated call that proves the service answers. */
  ping(call: Call): Promise<void>;
  /** Closes connections; calls under way are aborted. */
  close(): Promise<void>;
}
