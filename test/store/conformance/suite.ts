import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Call } from '../../../src/observe/call.ts';
import type {
  BlobEntry,
  BlobMetadata,
  BlobRef,
  BlobStore,
  Condition,
  ByteRange,
  ListEntry,
  ListRequest,
  Revision,
  WriteRequest,
  WriteResult,
} from '../../../src/store/blob-store.ts';
import { isStoreError, type StoreErrorKind } from '../../../src/store/store-error.ts';
import type { StreamBody, UploadBody } from '../../../src/streams/bytes.ts';
import { dropContainer } from '../../support/backends/drop-container.ts';
import { testCall } from '../../support/test-call.ts';

export interface ConformanceOptions {
  /**
   * Tests that the service (or its emulator) cannot pass: full test name to the reason.
   * They are skipped loudly; a name that no test has is an error.
   */
  readonly deviations?: Readonly<Record<string, string>>;
  /** Groups of tests to be run; absent: all. */
  readonly groups?: readonly string[];
  /** Containers that somebody else has, where names are everybody's. */
  readonly foreign?: readonly string[];
  /** Moves a blob to the offline tier and back, if the backend can. */
  readonly setArchived?: (store: BlobStore, ref: BlobRef, archived: boolean) => Promise<void> | void;
}

/** What the tests of one group share: the store, a container of their own, and short forms of common calls. */
export class Subject {
  readonly call: Call = testCall();
  readonly options: ConformanceOptions;
  #store: BlobStore | undefined;
  #container = '';
  readonly #made: string[] = [];
  #names = 0;

  constructor(options: ConformanceOptions) {
    this.options = options;
  }

  async open(store: BlobStore): Promise<void> {
    this.#store = store;
    this.#container = await this.newContainer();
  }

  async close(): Promise<void> {
    if (this.#store === undefined) return;
    await Promise.allSettled(this.#made.map((name) => dropContainer(this.store, name)));
    await this.#store.close();
  }

  get store(): BlobStore {
    if (this.#store === undefined) throw new Error('the store is not open yet');
    return this.#store;
  }

  get container(): string {
    return this.#container;
  }

  /** A container name that nothing has. */
  freshContainerName(): string {
    return `c${randomBytes(8).toString('hex')}`;
  }

  /** Removed at the end of the group, if the test does not do it. */
  async newContainer(): Promise<string> {
    const name = this.freshContainerName();
    this.#made.push(name);
    await this.store.createContainer(name, {}, this.call);
    return name;
  }

  /** A blob name that nothing has. */
  ref(hint = 'blob'): BlobRef {
    this.#names += 1;
    return { container: this.container, name: `${hint}-${this.#names}` };
  }

  write(ref: BlobRef, body: UploadBody | string, request: Partial<WriteRequest> = {}): Promise<WriteResult> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return this.store.write(ref, bytes, { metadata: {}, ...request }, this.call);
  }

  async read(ref: BlobRef, range?: ByteRange, revision?: Revision): Promise<Buffer> {
    const request = { ...(range && { range }), ...(revision !== undefined && { revision }) };
    const { body } = await this.store.read(ref, request, this.call);
    const bytes = await buffer(body.stream());
    expect(bytes.byteLength, 'length of the body against its announced size').toBe(body.size);
    return bytes;
  }

  async text(ref: BlobRef, range?: ByteRange): Promise<string> {
    return (await this.read(ref, range)).toString();
  }

  async stage(staging: BlobRef, body: UploadBody | string): Promise<readonly string[]> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return (await this.store.stagePart(staging, bytes, {}, this.call)).tokens;
  }

  assemble(
    staging: BlobRef,
    tokens: readonly string[],
    more: { metadata?: BlobMetadata; condition?: Condition } = {},
  ): Promise<WriteResult> {
    return this.store.assemble(staging, { tokens, metadata: {}, ...more }, this.call);
  }

  /** Every page of a listing, in one. */
  async list(
    container: string,
    request: Omit<ListRequest, 'limit' | 'token'> & { limit?: number } = {},
  ): Promise<ListEntry[]> {
    const entries: ListEntry[] = [];
    let token: string | undefined;
    for (let pages = 0; pages < 10_000; pages += 1) {
      const limit = request.limit ?? this.store.capabilities.maxListPage;
      const page = await this.store.list(
        container,
        { ...request, limit, ...(token !== undefined && { token }) },
        this.call,
      );
      expect(page.entries.length, 'entries of a page against its limit').toBeLessThanOrEqual(limit);
      entries.push(...page.entries);
      token = page.nextToken;
      if (token === undefined) return entries;
    }
    throw new Error('the listing does not end');
  }

  async names(
    container: string,
    request: Omit<ListRequest, 'limit' | 'token'> & { limit?: number } = {},
  ): Promise<string[]> {
    return (await this.list(container, request)).map((entry) => entry.name);
  }
}

/** Defines one test, or skips it loudly when the adapter named it as a deviation. */
export type Define = (name: string, body: () => Promise<void>) => void;

export function definer(adapter: string, options: ConformanceOptions): { define: Define; unused: () => string[] } {
  const open = new Map(Object.entries(options.deviations ?? {}));
  const define: Define = (name, body) => {
    const reason = open.get(name);
    open.delete(name);
    if (reason === undefined) {
      test(name, body);
      return;
    }
    console.warn(`[${adapter}] deviates from "${name}": ${reason}`);
    test.skip(`${name} [DEVIATION: ${reason}]`, body);
  };
  return { define, unused: () => [...open.keys()] };
}

/** Waits for a failure and checks that it is a `StoreError` of one of the kinds. */
export async function failsWith(promise: Promise<unknown>, ...kinds: StoreErrorKind[]): Promise<void> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => (isStoreError(error) ? error.kind : error),
  );
  expect(kinds, `got ${String(outcome)}`).toContain(outcome);
}

export function streamOf(size: number, chunks: Iterable<Uint8Array>): StreamBody {
  return { size, stream: Readable.from(chunks, { objectMode: false }) };
}

/** A stream that breaks after some bytes. */
export function brokenStream(size: number, before: Uint8Array): StreamBody {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield before;
    throw new Error('the client went away');
  };
  return { size, stream: Readable.from(pieces(), { objectMode: false }) };
}

export function md5(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** How many of the calls succeed; the others must fail with one of the kinds. */
export async function winnersOf(calls: readonly Promise<unknown>[], ...losers: StoreErrorKind[]): Promise<number[]> {
  const outcomes = await Promise.allSettled(calls);
  const winners: number[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') winners.push(index);
    else await failsWith(Promise.reject(outcome.reason as Error), ...losers);
  }
  return winners;
}

export function blobsOf(entries: readonly ListEntry[]): BlobEntry[] {
  return entries.filter((entry) => entry.kind === 'blob');
}
