import { createHash } from 'node:crypto';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { BlobEntry, BlobStore, Condition, CopySource, Revision } from '../../../src/store/blob-store.ts';
import { testCall } from '../../support/test-call.ts';

export const CONTAINER = 'bucket';
export const SYSTEM = 'system';
export const BUCKET_UID = 'uid';

/** A blob as it lies in the store, with its bytes as text. */
export interface RawBlob {
  readonly entry: BlobEntry;
  readonly text: string;
}

export interface Snapshot {
  readonly now: number;
  readonly blobs: readonly (RawBlob & { readonly container: string })[];
}

/**
 * The one store that all clients of a run share, and its clock.
 *
 * Revisions are renamed after who wrote what for the n-th time (the store counts all writes), so that two
 * orders of the same independent calls lead to the same state, byte for byte: what the search prunes by.
 */
export class World {
  /** Milliseconds since the epoch, of the service. */
  now: number;
  /** Who makes the call that runs. */
  writer = 'S';
  readonly store: BlobStore;
  readonly #memory: MemoryBlobStore;
  readonly #given = new Map<string, Revision>();
  readonly #held = new Map<Revision, Revision>();
  readonly #counts = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  readonly #call: Call = testCall();

  constructor(now: number) {
    this.now = now;
    this.#memory = new MemoryBlobStore({ now: () => this.now });
    this.store = this.#renamed(this.#memory);
  }

  static async empty(now: number): Promise<World> {
    const world = new World(now);
    await world.#memory.createContainer(CONTAINER, {}, world.#call);
    await world.#memory.createContainer(SYSTEM, {}, world.#call);
    return world;
  }

  static async of(snapshot: Snapshot): Promise<World> {
    const world = await World.empty(snapshot.now);
    for (const blob of snapshot.blobs) await world.#restore(blob);
    world.now = snapshot.now;
    return world;
  }

  async snapshot(): Promise<Snapshot> {
    const blobs = await Promise.all(
      [CONTAINER, SYSTEM].map(async (container) =>
        (await this.blobs(container)).map((blob) => ({ ...blob, container })),
      ),
    );
    return { now: this.now, blobs: blobs.flat() };
  }

  /** All blobs of a container whose names start so. */
  async blobs(container: string, prefix = ''): Promise<RawBlob[]> {
    const { entries } = await this.store.list(container, { prefix, limit: 5000 }, this.#call);
    const blobs: RawBlob[] = [];
    for (const entry of entries) {
      if (entry.kind === 'blob') blobs.push({ entry, text: await this.#textOf(container, entry) });
    }
    return blobs;
  }

  /** Everything that a client could ever notice, as a text. */
  async fingerprint(): Promise<string> {
    const { blobs } = await this.snapshot();
    const parts = blobs.map(
      ({ container, entry, text }) =>
        `${container}/${entry.name} ${entry.revision} ${JSON.stringify(entry.metadata)} ${text}`,
    );
    return createHash('sha1').update(parts.join('\n')).digest('base64');
  }

  async #textOf(container: string, entry: BlobEntry): Promise<string> {
    const id = `${container}/${entry.name}/${entry.revision}`;
    let text = this.#texts.get(id);
    if (text === undefined) {
      text = await textIn((await this.#memory.read({ container, name: entry.name }, {}, this.#call)).body.stream());
      this.#texts.set(id, text);
    }
    return text;
  }

  async #restore({ container, entry, text }: Snapshot['blobs'][number]): Promise<void> {
    const ref = { container, name: entry.name };
    const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl } = entry;
    const all = { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl };
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const { metadata } = entry;
    this.now = entry.lastModified;
    const result =
      entry.md5 === undefined
        ? await this.#assembled(ref, text, { headers, metadata })
        : await this.#memory.write(ref, Buffer.from(text), { headers, metadata }, this.#call);
    this.#bind(result.revision, entry.revision);
  }

  /** Blobs that were assembled or copied have no MD5 that the service knows. */
  async #assembled(
    ref: { container: string; name: string },
    text: string,
    rest: Pick<BlobEntry, 'metadata'> & { headers: object },
  ): Promise<{ revision: Revision }> {
    const { tokens } =
      text === '' ? { tokens: [] } : await this.#memory.stagePart(ref, Buffer.from(text), {}, this.#call);
    return this.#memory.assemble(ref, { tokens, ...rest }, this.#call);
  }

  #bind(held: Revision, given: Revision): void {
    this.#given.set(held, given);
    this.#held.set(given, held);
  }

  #give<T extends { readonly revision: Revision }>(result: T, name?: string): T {
    let given = this.#given.get(result.revision);
    if (given === undefined) {
      const label = `${this.writer}.${createHash('sha1')
        .update(name ?? '')
        .digest('hex')
        .slice(0, 6)}`;
      const count = (this.#counts.get(label) ?? 0) + 1;
      this.#counts.set(label, count);
      given = `${label}.${count}` as Revision;
      this.#bind(result.revision, given);
    }
    return { ...result, revision: given };
  }

  /** A revision that nobody gave out matches nothing, here as there. */
  #take(given: Revision): Revision {
    return this.#held.get(given) ?? given;
  }

  #condition<T extends { readonly condition?: Condition }>(request: T): T {
    const { condition } = request;
    return condition?.kind === 'match'
      ? { ...request, condition: { kind: 'match', revision: this.#take(condition.revision) } }
      : request;
  }

  #source(source: CopySource): CopySource {
    return { ...source, revision: this.#take(source.revision) };
  }

  #renamed(memory: MemoryBlobStore): BlobStore {
    return {
      kind: memory.kind,
      capabilities: memory.capabilities,
      createContainer: (name, request, call) => memory.createContainer(name, request, call),
      headContainer: (name, call) => memory.headContainer(name, call),
      removeContainer: (name, call) => memory.removeContainer(name, call),
      listContainers: (token, call) => memory.listContainers(token, call),
      head: async (ref, call) => this.#give(await memory.head(ref, call)),
      read: async (ref, { revision, ...rest }, call) => {
        const result = await memory.read(
          ref,
          { ...rest, ...(revision !== undefined && { revision: this.#take(revision) }) },
          call,
        );
        return { ...result, properties: this.#give(result.properties) };
      },
      write: async (ref, body, request, call) =>
        this.#give(await memory.write(ref, body, this.#condition(request), call), ref.name),
      setMetadata: async (ref, metadata, condition, call) =>
        this.#give(await memory.setMetadata(ref, metadata, this.#condition({ condition }).condition, call), ref.name),
      remove: (ref, revision, call) => memory.remove(ref, revision && this.#take(revision), call),
      removeMany: (container, items, call) =>
        memory.removeMany(
          container,
          items.map(({ name, revision }) => ({
            name,
            ...(revision !== undefined && { revision: this.#take(revision) }),
          })),
          call,
        ),
      list: async (container, request, call) => {
        const page = await memory.list(container, request, call);
        return { ...page, entries: page.entries.map((entry) => (entry.kind === 'blob' ? this.#give(entry) : entry)) };
      },
      copy: async (ref, request, call) =>
        this.#give(
          await memory.copy(ref, this.#condition({ ...request, source: this.#source(request.source) }), call),
          ref.name,
        ),
      stagePart: (ref, body, request, call) => memory.stagePart(ref, body, request, call),
      stagePartFrom: (ref, source, range, call) => memory.stagePartFrom(ref, this.#source(source), range, call),
      assemble: async (ref, request, call) =>
        this.#give(await memory.assemble(ref, this.#condition(request), call), ref.name),
      discardParts: (ref, call) => memory.discardParts(ref, call),
      ping: (call) => memory.ping(call),
      close: () => memory.close(),
    };
  }
}

export async function textIn(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
