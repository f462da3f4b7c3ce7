import type {
  AssembleRequest,
  BlobMetadata,
  BlobProperties,
  BlobRef,
  BlobStore,
  ByteRange,
  Condition,
  ContainerEntry,
  ContainerRequest,
  CopyRequest,
  CopySource,
  ListPage,
  ListRequest,
  ReadRequest,
  ReadResult,
  RehydrateRequest,
  RemoveItem,
  RemoveOutcome,
  Revision,
  StagedPart,
  StageRequest,
  StoreCapabilities,
  Tier,
  WriteRequest,
  WriteResult,
} from '../../src/store/blob-store.ts';
import type { Call } from '../../src/observe/call.ts';
import { ABSENT } from '../../src/store/blob-store.ts';
import { StoreError, type StoreErrorKind } from '../../src/store/store-error.ts';
import { bodySize, type UploadBody } from '../../src/streams/bytes.ts';
import { type Bytes, joinBytes, MemorySource, sliceBytes, takeBody } from './bytes.ts';
import { checkCondition, checkMetadata, checkName, MEMORY_CAPABILITIES, clipRange } from './checks.ts';
import { listPage } from './listing.ts';
import { MemoryContainer, propertiesOf, type StoredBlob } from './state.ts';

export interface MemoryStoreOptions {
  /** Replaces single limits, e.g. a small `maxStagedBlock`, or `nameOrder: 'utf8'` for the order of GCS. */
  readonly capabilities?: Partial<StoreCapabilities>;
  /** Milliseconds since the epoch; for tests. */
  readonly now?: () => number;
}

type NewState = Omit<StoredBlob, 'revision' | 'lastModified' | 'tier' | 'archived'> & { readonly tier?: Tier };

/**
 * A `BlobStore` in the memory of this process, for tests, benches and trying the gateway out.
 *
 * A call is atomic: it takes its whole body in first, then checks the condition and swaps the state without an `await`
 * in between. An `await` there would break all that the port promises.
 */
export class MemoryBlobStore implements BlobStore {
  readonly kind = 'memory';
  readonly capabilities: StoreCapabilities;
  /** For tests: without it, as Azurite is. */
  readonly partDigests: { active: boolean; ask(staging: BlobRef, size: number): Promise<boolean> };
  readonly #now: () => number;
  readonly #containers = new Map<string, MemoryContainer>();
  /** For tests: blobs that are brought back stay on their way. */
  holdsRehydration = false;
  #changes = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.capabilities = { ...MEMORY_CAPABILITIES, ...options.capabilities };
    this.#now = options.now ?? Date.now;
    const { maxStagedBlock } = this.capabilities;
    this.partDigests = {
      active: true,
      ask: async (_staging, size) => this.partDigests.active && size <= maxStagedBlock,
    };
  }

  /** For tests: moves a blob to, or back from, the offline tier. */
  setArchived(ref: BlobRef, archived: boolean): void {
    const { container, blob } = this.#existing(ref, 'setArchived');
    container.set(ref.name, { ...blob, tier: archived ? 'archive' : 'hot', archived });
  }

  async createContainer(name: string, { owner }: ContainerRequest, call: Call): Promise<ContainerEntry> {
    this.#begin('createContainer', call);
    if (!this.capabilities.containerName.test(name)) throw new StoreError('invalidName', { call: 'createContainer' });
    if (this.#containers.has(name)) throw new StoreError('containerExists', { call: 'createContainer' });
    const made = { createdAt: this.#now(), ...(owner !== undefined && { owner }) };
    this.#containers.set(name, new MemoryContainer(made, this.capabilities.nameOrder));
    return this.#entry(name, 'createContainer');
  }

  async headContainer(name: string, call: Call): Promise<ContainerEntry> {
    this.#begin('headContainer', call);
    return this.#entry(name, 'headContainer');
  }

  async removeContainer(name: string, call: Call): Promise<void> {
    this.#begin('removeContainer', call);
    const isFull = this.#container(name, 'removeContainer').isFull;
    if (isFull && this.capabilities.removesFullContainers !== true) {
      throw new StoreError('containerNotEmpty', { call: 'removeContainer' });
    }
    this.#containers.delete(name);
  }

  async listContainers(
    token: string | undefined,
    call: Call,
  ): Promise<{ containers: ContainerEntry[]; nextToken?: string }> {
    this.#begin('listContainers', call);
    const names = [...this.#containers.keys()].sort().filter((name) => token === undefined || name > token);
    const page = names.slice(0, this.capabilities.maxListPage);
    const last = page.at(-1);
    return {
      containers: page.map((name) => this.#entry(name, 'listContainers')),
      ...(last !== undefined && page.length < names.length && { nextToken: last }),
    };
  }

  async head(ref: BlobRef, call: Call): Promise<BlobProperties> {
    this.#begin('head', call);
    const { blob } = this.#existing(ref, 'head');
    requireOpen(blob, 'head');
    return propertiesOf(blob);
  }

  async read(ref: BlobRef, request: ReadRequest, call: Call): Promise<ReadResult> {
    this.#begin('read', call);
    const { blob } = this.#existing(ref, 'read');
    if (request.revision !== undefined && blob.revision !== request.revision) {
      throw new StoreError('conditionFailed', { call: 'read' });
    }
    if (blob.keyDigest !== request.key?.digestBase64('sha256')) throw new StoreError('keyRefused', { call: 'read' });
    if (blob.archived) throw new StoreError('archived', { call: 'read' });
    const { first, length } = clipRange(blob.bytes.size, request.range, 'read');
    return {
      properties: propertiesOf(blob),
      body: new MemorySource(sliceBytes(blob.bytes, first, length), call.signal),
    };
  }

  async write(ref: BlobRef, body: UploadBody, request: WriteRequest, call: Call): Promise<WriteResult> {
    this.#begin('write', call);
    this.#checkNewBlob(ref, request.metadata, 'write');
    if (bodySize(body) > this.capabilities.maxWrite) throw new StoreError('tooLarge', { call: 'write' });
    const wantsMd5 = this.capabilities.writeReturnsMd5 || request.md5 !== undefined;
    const { md5, ...bytes } = await takeBody(body, { signal: call.signal, md5: wantsMd5, call: 'write' });
    if (request.md5 !== undefined && request.md5 !== md5) throw new StoreError('digestMismatch', { call: 'write' });
    const { encryption } = request;
    const state = {
      bytes,
      headers: request.headers ?? {},
      metadata: request.metadata,
      ...(md5 !== undefined && { md5 }),
      ...(request.tier !== undefined && { tier: request.tier }),
      ...(encryption?.kind === 'customer' && { keyDigest: encryption.key.digestBase64('sha256') }),
    };
    return this.#replace(ref, state, { condition: request.condition, call: 'write' });
  }

  async setMetadata(ref: BlobRef, metadata: BlobMetadata, condition: Condition, call: Call): Promise<WriteResult> {
    this.#begin('setMetadata', call);
    this.#checkNewBlob(ref, metadata, 'setMetadata');
    const { blob } = this.#existing(ref, 'setMetadata');
    requireOpen(blob, 'setMetadata');
    return this.#replace(ref, { ...blob, metadata }, { condition, call: 'setMetadata' });
  }

  async remove(ref: BlobRef, revision: Revision | undefined, call: Call): Promise<void> {
    this.#begin('remove', call);
    const { container, blob } = this.#existing(ref, 'remove');
    if (revision !== undefined && blob.revision !== revision) {
      throw new StoreError('conditionFailed', { call: 'remove' });
    }
    container.delete(ref.name);
  }

  async removeMany(container: string, items: readonly RemoveItem[], call: Call): Promise<RemoveOutcome[]> {
    this.#begin('removeMany', call);
    const held = this.#container(container, 'removeMany');
    return items.map(({ name, revision }) => {
      const blob = held.get(name);
      if (blob === undefined) return 'notFound';
      if (revision !== undefined && blob.revision !== revision) return 'conditionFailed';
      held.delete(name);
      return 'removed';
    });
  }

  async list(container: string, request: ListRequest, call: Call): Promise<ListPage> {
    this.#begin('list', call);
    return listPage(this.#container(container, 'list'), request, this.capabilities.maxListPage);
  }

  async copy(target: BlobRef, request: CopyRequest, call: Call): Promise<WriteResult> {
    this.#begin('copy', call);
    this.#checkNewBlob(target, request.metadata, 'copy');
    if (request.size > this.capabilities.maxCopy) throw new StoreError('tooLarge', { call: 'copy' });
    const { headers, metadata, md5, tier, condition } = request;
    const state = {
      bytes: this.#source(request.source, 'copy').bytes,
      headers,
      metadata,
      ...(md5 !== undefined && { md5 }),
      ...(tier !== undefined && { tier }),
    };
    return this.#replace(target, state, { condition, call: 'copy' });
  }

  /** There at once, unless `holdsRehydration`: then it waits for `setArchived`. */
  async rehydrate(target: BlobRef, { source, tier }: RehydrateRequest, call: Call): Promise<void> {
    this.#begin('rehydrate', call);
    const { container, blob } = this.#existing(source, 'rehydrate', 'sourceNotFound');
    const { headers, metadata, bytes } = blob;
    this.#replace(target, { headers, metadata, bytes, tier }, { condition: ABSENT, call: 'rehydrate' });
    const made = container.get(target.name);
    if (this.holdsRehydration && made !== undefined) container.set(target.name, { ...made, archived: true });
  }

  async stagePart(staging: BlobRef, body: UploadBody, { md5: told }: StageRequest, call: Call): Promise<StagedPart> {
    this.#begin('stagePart', call);
    checkName(staging.name, this.capabilities, 'stagePart');
    this.#container(staging.container, 'stagePart');
    const { md5, ...bytes } = await takeBody(body, { signal: call.signal, md5: true, call: 'stagePart' });
    if (told !== undefined && told !== md5) throw new StoreError('digestMismatch', { call: 'stagePart' });
    const staged = this.#stage(staging, bytes, 'stagePart');
    const isSaid = this.partDigests.active && staged.tokens.length === 1 && md5 !== undefined;
    return { ...staged, ...(isSaid && { md5 }) };
  }

  async stagePartFrom(
    staging: BlobRef,
    source: CopySource,
    range: Required<ByteRange>,
    call: Call,
  ): Promise<StagedPart> {
    this.#begin('stagePartFrom', call);
    checkName(staging.name, this.capabilities, 'stagePartFrom');
    const { bytes } = this.#source(source, 'stagePartFrom');
    const { first, length } = clipRange(bytes.size, range, 'stagePartFrom');
    return this.#stage(staging, sliceBytes(bytes, first, length), 'stagePartFrom');
  }

  async assemble(staging: BlobRef, request: AssembleRequest, call: Call): Promise<WriteResult> {
    this.#begin('assemble', call);
    this.#checkNewBlob(staging, request.metadata, 'assemble');
    const { metadata, md5, tier, condition, headers = {} } = request;
    const container = this.#container(staging.container, 'assemble');
    checkCondition(container.get(staging.name), condition, 'assemble');
    const parts = request.tokens.map((token) => {
      const part = container.stagedPart(staging.name, token);
      if (part === undefined) throw new StoreError('partsGone', { call: 'assemble' });
      return part;
    });
    const state = {
      bytes: joinBytes(parts),
      headers,
      metadata,
      ...(md5 !== undefined && { md5 }),
      ...(tier !== undefined && { tier }),
    };
    const result = this.#replace(staging, state, { condition, call: 'assemble' });
    container.dropStaged(staging.name);
    return result;
  }

  async discardParts(staging: BlobRef, call: Call): Promise<void> {
    this.#begin('discardParts', call);
    this.#containers.get(staging.container)?.dropStaged(staging.name);
  }

  async ping(call: Call): Promise<void> {
    this.#begin('ping', call);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** Every call begins with this. @throws StoreError aborted, unavailable (after `close`) */
  #begin(name: string, call: Call): void {
    if (this.#closed) throw new StoreError('unavailable', { call: name, code: 'Closed' });
    if (call.signal.aborted) throw new StoreError('aborted', { call: name, cause: call.signal.reason });
    call.facts.backendCalls += 1;
  }

  #checkNewBlob(ref: BlobRef, metadata: BlobMetadata, call: string): void {
    checkName(ref.name, this.capabilities, call);
    checkMetadata(metadata, this.capabilities, call);
    this.#container(ref.container, call);
  }

  #entry(name: string, call: string): ContainerEntry {
    const { createdAt, owner } = this.#container(name, call).made;
    return { name, lastModified: createdAt, ...(owner !== undefined && { owner }) };
  }

  #container(name: string, call: string): MemoryContainer {
    const container = this.#containers.get(name);
    if (container === undefined) throw new StoreError('containerNotFound', { call });
    return container;
  }

  #existing(
    ref: BlobRef,
    call: string,
    missing: StoreErrorKind = 'notFound',
  ): { container: MemoryContainer; blob: StoredBlob } {
    const container = this.#container(ref.container, call);
    const blob = container.get(ref.name);
    if (blob === undefined) throw new StoreError(missing, { call });
    return { container, blob };
  }

  /** @throws sourceNotFound (also without its container), sourceConditionFailed, archived */
  #source(source: CopySource, call: string): StoredBlob {
    const blob = this.#containers.get(source.container)?.get(source.name);
    if (blob === undefined) throw new StoreError('sourceNotFound', { call });
    if (blob.revision !== source.revision) throw new StoreError('sourceConditionFailed', { call });
    requireOpen(blob, call);
    if (blob.archived) throw new StoreError('archived', { call });
    return blob;
  }

  /** All changes of blobs are made here. @throws StoreError conditionFailed */
  #replace(ref: BlobRef, state: NewState, options: { condition: Condition | undefined; call: string }): WriteResult {
    const container = this.#container(ref.container, options.call);
    const before = container.get(ref.name);
    checkCondition(before, options.condition, options.call);
    if (before?.archived === true) throw new StoreError('archived', { call: options.call });
    // A write that names no tier keeps that of what it replaces, as on Azure.
    const { tier = before?.tier ?? 'hot' } = state;
    const revision = `m${(this.#changes += 1)}` as Revision;
    const lastModified = this.#now();
    const metadata = Object.freeze({ ...state.metadata });
    const headers = Object.freeze({ ...state.headers });
    container.set(ref.name, {
      ...state,
      headers,
      metadata,
      revision,
      lastModified,
      tier,
      archived: tier === 'archive' && this.capabilities.archiveIsOffline,
    });
    return { revision, lastModified, ...(state.md5 !== undefined && { md5: state.md5 }) };
  }

  /** Keeps a part under new tokens, so that another attempt at the same part does not replace it. */
  #stage(staging: BlobRef, bytes: Bytes, call: string): StagedPart {
    const container = this.#container(staging.container, call);
    const block = this.capabilities.maxStagedBlock;
    const tokens: string[] = [];
    for (let first = 0; first === 0 || first < bytes.size; first += block) {
      const token = `t${(this.#changes += 1)}`;
      container.stage(staging.name, token, sliceBytes(bytes, first, Math.min(block, bytes.size - first)));
      tokens.push(token);
    }
    return { tokens };
  }
}

/**
 * Refuses a blob that is encrypted with a customer's key to a call that cannot show one, as the services do. @throws
 * StoreError keyRefused
 */
function requireOpen(blob: StoredBlob, call: string): void {
  if (blob.keyDigest !== undefined) throw new StoreError('keyRefused', { call });
}
