import type { Call } from '../../observe/call.ts';
import type { BlobEntry, ListEntry, ListRequest } from '../../store/blob-store.ts';
import { decodeOrdered, encodeOrdered, isCutEncoding } from '../../store/key-codec.ts';
import type { Bucket } from '../records/bucket.ts';
import { codecOf } from '../records/names.ts';
import { decodeRecord, RECORD_NAME } from '../records/record.ts';
import { deletionsPrefix, deletionsUnder } from '../records/version-names.ts';
import { type ListingRequest, rollUp } from './listing-entry.ts';

/** Backend calls for one page of a listing. What they do not tell counts as possible. */
const MAX_CALLS = 8;

/** The part of the index that was read last. */
interface Window {
  readonly startAt: string;
  /** Last name that was read. */
  readonly through: string;
  /** Where it goes on; absent: nothing follows. */
  readonly token?: string;
  /** Rolled-up prefixes in it. */
  readonly found: ReadonlySet<string>;
}

/**
 * Tells which rolled-up prefixes may have nothing alive beneath them: those beneath which a key was ever deleted.
 * It is asked about prefixes in their order; where it was rolled up by the backend too, a call tells a page of them.
 */
export class DeletionIndex {
  readonly #bucket: Bucket;
  readonly #request: ListingRequest;
  readonly #prefix: string;
  readonly #delimiter: string | undefined;
  #window: Window | undefined;
  #calls = 0;

  constructor(bucket: Bucket, request: ListingRequest) {
    const { prefix, delimiter } = request;
    this.#bucket = bucket;
    this.#request = request;
    this.#prefix = deletionsUnder(bucket, prefix);
    const isExact = this.#prefix === deletionsPrefix(bucket) + encodeOrdered(prefix);
    this.#delimiter = isExact && codecOf(bucket.home.store).delimiterWorksEscaped(delimiter) ? delimiter : undefined;
  }

  /** Reads ahead, beside the listing that will ask. */
  async prepare(from: string, call: Call): Promise<void> {
    if (this.#window === undefined) await this.#readAt(deletionsUnder(this.#bucket, from), call);
  }

  /** Never false when a key beneath the prefix has a head that says that nothing is there. */
  async mayHideIn(prefix: string, call: Call): Promise<boolean> {
    const stem = deletionsUnder(this.#bucket, prefix);
    while (this.#window?.found.has(prefix) !== true) {
      if (this.#covers(stem)) return false;
      if (this.#calls >= MAX_CALLS) return true;
      await this.#readAt(stem, call);
    }
    return true;
  }

  /** All names that begin with it are in the window. */
  #covers(stem: string): boolean {
    if (this.#window === undefined || stem < this.#window.startAt) return false;
    const { through, token } = this.#window;
    return token === undefined || (through > stem && !through.startsWith(stem));
  }

  /** Several may ask at a time, so the window moves in one step. */
  async #readAt(stem: string, call: Call): Promise<void> {
    const { store, system } = this.#bucket.home;
    const window = this.#window;
    const goesOn = window?.token !== undefined && window.startAt <= stem && stem <= window.through;
    const base: Window = goesOn ? window : { startAt: stem, through: stem, found: new Set() };
    const request: ListRequest = {
      prefix: this.#prefix,
      startAt: base.startAt,
      limit: Math.min(this.#request.limit + 1, store.capabilities.maxListPage),
      ...(this.#delimiter !== undefined && { delimiter: this.#delimiter }),
      ...(base.token !== undefined && { token: base.token }),
    };
    this.#calls += 1;
    const { entries, nextToken } = await store.list(system, request, call);
    const found = new Set(base.found);
    for (const entry of entries) {
      const prefix = this.#prefixOf(entry);
      if (prefix !== undefined) found.add(prefix);
    }
    this.#window = {
      startAt: base.startAt,
      through: entries.at(-1)?.name ?? base.through,
      found,
      ...(nextToken !== undefined && { token: nextToken }),
    };
  }

  #prefixOf(entry: ListEntry): string | undefined {
    const encoded = entry.name.slice(deletionsPrefix(this.#bucket).length);
    const key = entry.kind === 'blob' && isCutEncoding(encoded) ? trueKey(entry) : decodeOrdered(encoded);
    return key?.startsWith(this.#request.prefix) === true ? rollUp(key, this.#request) : undefined;
  }
}

function trueKey({ metadata }: BlobEntry): string | undefined {
  return decodeRecord(metadata[RECORD_NAME] ?? '')?.key;
}
