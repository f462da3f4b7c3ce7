import type { Bucket } from '../records/bucket.ts';
import { type ListedEntry, type ListingRequest, listedObject, rollUp } from './listing-entry.ts';
import type { DecodedEntry } from './listing-region.ts';
import { type ListingStart, isBefore } from './listing-start.ts';

/**
 * Makes of decoded entries, in the order of their keys, what a page shows: drops, rolls up, skips what was before the
 * start.
 */
export class ListingCollector {
  readonly entries: ListedEntry[] = [];
  readonly #bucket: Bucket;
  readonly #request: ListingRequest;
  /** Cleared once it is passed: in order, what follows is behind it too. */
  #start: ListingStart | undefined;
  #prefix: string | undefined;
  #emptyPrefix: string | undefined;
  #last: string | undefined;

  constructor(bucket: Bucket, request: ListingRequest, start: ListingStart | undefined) {
    this.#bucket = bucket;
    this.#request = request;
    this.#start = start;
  }

  /** One more than the page takes: so it is known that there is more. */
  get isFull(): boolean {
    return this.entries.length > this.#request.limit;
  }

  get missing(): number {
    return this.#request.limit + 1 - this.entries.length;
  }

  /** Last key that was looked at, shown or not. */
  get last(): string | undefined {
    return this.#last;
  }

  /** The rolled-up prefix that the last key lies beneath. */
  get openPrefix(): string | undefined {
    return this.#prefix !== undefined && this.#last?.startsWith(this.#prefix) === true ? this.#prefix : undefined;
  }

  take({ key, blob, isEmpty }: DecodedEntry): void {
    if (!key.startsWith(this.#request.prefix) || this.#isBeforeStart(key)) return;
    this.#last = key;
    if (this.#prefix !== undefined && key.startsWith(this.#prefix)) return;
    if (blob === undefined) {
      if (isEmpty === true) this.#emptyPrefix = key;
      else this.#addPrefix(key);
      return;
    }
    const object = listedObject({ bucket: this.#bucket, key }, blob);
    if (object === undefined) return;
    const rolledUp = rollUp(key, this.#request);
    if (rolledUp === undefined) this.entries.push(object);
    else this.#addPrefix(rolledUp);
  }

  /** Earlier keys may come again from here on; they are left out. */
  restartAt(key: string): void {
    this.#start = { key, inclusive: true };
  }

  /**
   * Ends the search here. A prefix that was entered without finding anything alive is given out:
   * the next page would take it for listed.
   * @returns the key up to which all is listed
   */
  cutShort(): string | undefined {
    const prefix = this.#last === undefined ? undefined : rollUp(this.#last, this.#request);
    if (prefix === undefined) return this.#last;
    if (prefix !== this.#prefix && prefix !== this.#emptyPrefix) this.#addPrefix(prefix);
    return prefix;
  }

  #addPrefix(key: string): void {
    this.#prefix = key;
    this.entries.push({ kind: 'prefix', key });
  }

  #isBeforeStart(key: string): boolean {
    if (this.#start === undefined) return false;
    if (isBefore(key, this.#start)) return true;
    this.#start = undefined;
    return false;
  }
}
