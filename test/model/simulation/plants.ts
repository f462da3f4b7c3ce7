import type { BlobStore, ReadResult } from '../../../src/store/blob-store.ts';
import { MemorySource } from '../../../adapters/memory/bytes.ts';
import type { Call } from '../../../src/observe/call.ts';
import { short } from '../interleaving/gate.ts';
import type { PlannedFault } from './plan.ts';
import { readAll } from '../../../src/streams/bytes.ts';

/**
 * Faults that the code once had, planted from outside to see that they are found: `npm run simulate -- --plant NAME`.
 * They stand between the gateways and the store, or in place of one function (`simulate.test.ts`); nothing of them is
 * in the code.
 */
const PLANTS = ['discard', 'below', 'mark', 'sweeper', 'nonce', 'source', 'deletion'] as const;
export type Plant = (typeof PLANTS)[number];

export function plantNamed(name: string | undefined): Plant | undefined {
  return PLANTS.find((plant) => plant === name);
}

/** After so long by his own clock a reader takes no notice of a delete mark. Milliseconds. */
const TIME_OUT = 60_000;

/**
 * `mark`: a bucket that is being deleted looks alive to who finds its mark too old.
 * @param now wall clock of the reader
 */
export function ignoringOldMarks(store: BlobStore, now: () => number): BlobStore {
  return {
    ...store,
    read: async (ref, request, call) => {
      const result = await store.read(ref, request, call);
      return ref.name.startsWith('b/') && now() - result.properties.lastModified > TIME_OUT
        ? withoutMark(result, call.signal)
        : result;
    },
  };
}

/** `source`: the service copies whatever is there, as some emulators do. */
export function takingAnySource(store: BlobStore): BlobStore {
  return {
    ...store,
    copy: async (ref, { source, ...request }, call) => {
      const { revision } = await store.head(source, call);
      return store.copy(ref, { ...request, source: { ...source, revision } }, call);
    },
  };
}

async function withoutMark({ properties, body }: ReadResult, signal: AbortSignal): Promise<ReadResult> {
  const {
    state: _state,
    deletingSince: _since,
    ...record
  } = JSON.parse((await readAll(body)).toString()) as Record<string, unknown>;
  const bytes = Buffer.from(JSON.stringify(record));
  return { properties, body: new MemorySource({ size: bytes.length, chunks: [bytes] }, signal) };
}

/**
 * `discard`: a writer whose head was written without an answer, and who then cannot read it, removes the blob that he
 * named there.
 */
export class Discards {
  readonly #named = new Map<string, string>();
  readonly #store: BlobStore;
  readonly #call: Call;

  constructor(store: BlobStore, call: Call) {
    this.#store = store;
    this.#call = call;
  }

  note({
    method,
    text,
    call,
    fault,
  }: {
    readonly method: string;
    readonly text: string;
    readonly call: Call;
    readonly fault: PlannedFault | undefined;
  }): void {
    const token = /:= \{(?:link|assembled), of (v\S+?)[,}]/.exec(text)?.[1];
    if (method === 'write' && token !== undefined && fault?.kind === 'loseAnswer') {
      this.#named.set(call.requestId, token);
    }
  }

  readFailed(request: string): void {
    const token = this.#named.get(request);
    if (token !== undefined) void this.#remove(token);
  }

  async #remove(token: string): Promise<void> {
    const { entries } = await this.#store.list('system', { prefix: 'v/', limit: 1000 }, this.#call);
    const names = entries.flatMap((entry) =>
      entry.kind === 'blob' && short(entry.name) === token ? [{ name: entry.name }] : [],
    );
    await this.#store.removeMany('system', names, this.#call);
  }
}
