import { createHash } from 'node:crypto';
import type { Call } from '../observe/call.ts';
import type {
  BlobRef,
  BlobStore,
  ContainerEntry,
  CopySource,
  ListPage,
  ListRequest,
  RemoveItem,
} from './blob-store.ts';
import { hasMoreSegments } from './ordered-encoding.ts';
import { isStoreError, StoreError } from './store-error.ts';

/** Part of a container that stands for a container: the blobs whose names begin with the prefix. */
export interface ContainerPart {
  readonly container: string;
  /** Ends with a slash; nothing in it needs an escape. */
  readonly prefix: string;
}

/** By the names of the containers that they stand for. */
export type ContainerParts = ReadonlyMap<string, ContainerPart>;

/** The mark of containers in which places lie, so that they are not taken for buckets. */
export const SHARED_MARK = 'shared';

/** What no service goes beyond. */
const MAX_SEGMENTS = 254;
const ID_LENGTH = 24;

/** Says which place it is, whatever it is called: lower-case hex. */
export function placeId({ container, prefix }: ContainerPart): string {
  return createHash('sha256').update(`${container}\n${prefix}`).digest('hex').slice(0, ID_LENGTH);
}

/** The ids of places by the names of the containers that they stand for. */
export function placeIds(places: ContainerParts): ReadonlyMap<string, string> {
  return new Map([...places].map(([name, place]) => [name, placeId(place)]));
}

/**
 * The same store with containers that are parts of others. They are neither made nor removed here, and are there as
 * long as the container is in which they lie, and nobody has marked it as a bucket's own. That one cannot be made or
 * removed here either, and carries `SHARED_MARK`.
 */
export function placedStore(store: BlobStore, places: ContainerParts): BlobStore {
  return places.size === 0 ? store : new PlacedStore(store, places).port();
}

/**
 * Names of the places behind which a container of the same name lies, which nobody reaches through them.
 * @param store the one below, which has no places
 * @throws StoreError
 */
export async function containersBehind(store: BlobStore, places: ContainerParts, call: Call): Promise<string[]> {
  const behind: string[] = [];
  for (const name of places.keys()) {
    try {
      await store.headContainer(name, call);
      behind.push(name);
    } catch (error) {
      // No container can be called so, or none is.
      if (!isStoreError(error, 'containerNotFound') && !isStoreError(error, 'invalidName')) throw error;
    }
  }
  return behind;
}

class PlacedStore {
  readonly #store: BlobStore;
  readonly #places: ContainerParts;
  readonly #shared: ReadonlySet<string>;

  constructor(store: BlobStore, places: ContainerParts) {
    this.#store = store;
    this.#places = places;
    this.#shared = new Set([...places.values()].map(({ container }) => container));
  }

  port(): BlobStore {
    const store = this.#store;
    return {
      kind: store.kind,
      capabilities: store.capabilities,
      ...(store.staged !== undefined && { staged: store.staged }),
      ...(store.copyFallback !== undefined && { copyFallback: store.copyFallback }),
      ...(store.partDigests !== undefined && { partDigests: store.partDigests }),
      fits: (ref) => this.#fits(ref),
      ...this.#containers(),
      ...this.#reads(),
      ...this.#writes(),
      ...this.#stagings(),
      ping: (call) => store.ping(call),
      close: () => store.close(),
    };
  }

  #containers(): Pick<BlobStore, 'createContainer' | 'headContainer' | 'removeContainer' | 'listContainers'> {
    const store = this.#store;
    return {
      createContainer: async (name, request, call) => {
        if (this.#isGiven(name)) throw new StoreError('containerBusy', { call: 'createContainer' });
        return store.createContainer(name, request, call);
      },
      headContainer: (name, call) => this.#headContainer(name, call),
      removeContainer: async (name, call) => {
        if (this.#isGiven(name)) throw new StoreError('containerNotEmpty', { call: 'removeContainer' });
        return store.removeContainer(name, call);
      },
      listContainers: async (token, call) => {
        const page = await store.listContainers(token, call);
        return { ...page, containers: page.containers.flatMap((entry) => this.#listed(entry)) };
      },
    };
  }

  #reads(): Pick<BlobStore, 'head' | 'read' | 'list'> {
    const store = this.#store;
    return {
      head: async (ref, call) => store.head(this.#there(ref, 'head'), call),
      read: async (ref, request, call) => store.read(this.#there(ref, 'read'), request, call),
      list: async (container, request, call) => {
        const place = this.#places.get(container);
        return place === undefined ? store.list(container, request, call) : this.#list(place, request, call);
      },
    };
  }

  #writes(): Pick<BlobStore, 'write' | 'setMetadata' | 'remove' | 'removeMany' | 'copy'> {
    const store = this.#store;
    return {
      write: async (ref, body, request, call) => store.write(this.#target(ref, 'write'), body, request, call),
      setMetadata: async (ref, metadata, condition, call) =>
        store.setMetadata(this.#there(ref, 'setMetadata'), metadata, condition, call),
      remove: async (ref, revision, call) => store.remove(this.#there(ref, 'remove'), revision, call),
      removeMany: async (container, items, call) => {
        const place = this.#places.get(container);
        if (place === undefined) return store.removeMany(container, items, call);
        const inPlace = items.map(({ name, ...item }): RemoveItem => ({ ...item, name: place.prefix + name }));
        const possible = inPlace.filter(({ name }) => this.#isName(name));
        const outcomes = possible.length === 0 ? [] : await store.removeMany(place.container, possible, call);
        const byItem = new Map(possible.map((item, at) => [item, outcomes[at]]));
        return inPlace.map((item) => byItem.get(item) ?? 'notFound');
      },
      copy: async (ref, request, call) =>
        store.copy(this.#target(ref, 'copy'), { ...request, source: this.#source(request.source, 'copy') }, call),
    };
  }

  #stagings(): Pick<BlobStore, 'stagePart' | 'stagePartFrom' | 'assemble' | 'discardParts'> {
    const store = this.#store;
    return {
      stagePart: async (ref, body, request, call) =>
        store.stagePart(this.#private(ref, 'stagePart'), body, request, call),
      stagePartFrom: async (ref, source, range, call) =>
        store.stagePartFrom(this.#private(ref, 'stagePartFrom'), this.#source(source, 'stagePartFrom'), range, call),
      assemble: async (ref, request, call) => store.assemble(this.#private(ref, 'assemble'), request, call),
      discardParts: async (ref, call) => store.discardParts(this.#private(ref, 'discardParts'), call),
    };
  }

  /** No private name lies in a place, for services stage beside it. @throws StoreError invalidName */
  #private(ref: BlobRef, call: string): BlobRef {
    if (this.#places.has(ref.container)) throw new StoreError('invalidName', { call });
    return ref;
  }

  #isGiven(name: string): boolean {
    return this.#places.has(name) || this.#shared.has(name);
  }

  async #headContainer(name: string, call: Call): Promise<ContainerEntry> {
    const place = this.#places.get(name);
    const entry = await this.#store.headContainer(place?.container ?? name, call);
    if (place === undefined) return this.#shown(entry);
    if (entry.owner !== undefined) throw new StoreError('containerBusy', { call: 'headContainer' });
    return { name, lastModified: entry.lastModified, place: placeId(place) };
  }

  /** A container of the service as it is seen here, and the places in it. */
  #listed(entry: ContainerEntry): ContainerEntry[] {
    const { lastModified, owner } = entry;
    const within = [...this.#places]
      .filter(([, { container }]) => container === entry.name && owner === undefined)
      .map(([name, place]): ContainerEntry => ({ name, lastModified, place: placeId(place) }));
    return this.#places.has(entry.name) ? within : [this.#shown(entry), ...within];
  }

  #shown(entry: ContainerEntry): ContainerEntry {
    return entry.owner === undefined && this.#shared.has(entry.name) ? { ...entry, owner: SHARED_MARK } : entry;
  }

  async #list({ container, prefix: start }: ContainerPart, request: ListRequest, call: Call): Promise<ListPage> {
    const { prefix = '', startAt, ...rest } = request;
    if (!this.#isName(start + prefix)) return { entries: [] };
    const page = await this.#store.list(
      container,
      { ...rest, prefix: start + prefix, ...(startAt !== undefined && { startAt: this.#cut(start + startAt) }) },
      call,
    );
    const entries = page.entries
      // Tools that know folders make a blob of the very name of the prefix.
      .filter(({ name }) => name.length > start.length)
      .map((entry) => ({ ...entry, name: entry.name.slice(start.length) }));
    return { ...page, entries };
  }

  /** No name is longer, so that none is lost between the two. */
  #cut(startAt: string): string {
    const { maxNameLength, maxNameBytes } = this.#store.capabilities;
    const text = startAt.slice(0, maxNameLength);
    if (maxNameBytes === undefined || Buffer.byteLength(text) <= maxNameBytes) return text;
    return new TextDecoder().decode(Buffer.from(text).subarray(0, maxNameBytes), { stream: true });
  }

  /** Where a blob lies that may be there. @throws StoreError notFound: its name would be too long */
  #there(ref: BlobRef, call: string): BlobRef {
    return this.#at(ref, () => new StoreError('notFound', { call, code: 'NameTooLong' }));
  }

  /** @throws StoreError invalidName */
  #target(ref: BlobRef, call: string): BlobRef {
    return this.#at(ref, () => new StoreError('invalidName', { call, code: 'NameTooLong' }));
  }

  #source(source: CopySource, call: string): CopySource {
    const there = this.#at(source, () => new StoreError('sourceNotFound', { call, code: 'NameTooLong' }));
    return { ...source, ...there };
  }

  #at({ container, name }: BlobRef, tooLong: () => StoreError): BlobRef {
    const place = this.#places.get(container);
    if (place === undefined) return { container, name };
    const whole = place.prefix + name;
    if (!this.#isName(whole)) throw tooLong();
    return { container: place.container, name: whole };
  }

  #fits({ container, name }: BlobRef): boolean {
    const place = this.#places.get(container);
    return place === undefined || this.#isName(place.prefix + name);
  }

  #isName(text: string): boolean {
    const { maxNameLength, maxNameBytes = Infinity } = this.#store.capabilities;
    return (
      text.length <= maxNameLength && Buffer.byteLength(text) <= maxNameBytes && !hasMoreSegments(text, MAX_SEGMENTS)
    );
  }
}
