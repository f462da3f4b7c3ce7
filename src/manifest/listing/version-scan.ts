import type { Call } from '../../observe/call.ts';
import { compareUtf8, successorOfPrefix } from '../../store/name-order.ts';
import type { Bucket } from '../records/bucket.ts';
import { parseListedHead } from '../heads/head.ts';
import { parseVersion } from '../versions/version-blob.ts';
import type { VersionToken } from '../records/version-token.ts';
import { type PageSoFar, KeyHistory, type Position } from './key-history.ts';
import { rollUp } from './listing-entry.ts';
import { type DecodedEntry, type Region, regionsOf } from './listing-region.ts';
import { MAX_CALLS } from './listing-scan.ts';
import { type ListingStart, isBefore } from './listing-start.ts';
import { RegionReader } from './region-reader.ts';
import { VersionPrefixes } from './version-prefixes.ts';
import { RegionQueue, versionsRegion } from './version-region.ts';
import { versionsBehind, versionsFrom } from '../records/version-names.ts';
import type { VersionStart, VersionsRequest } from './version-start.ts';

export interface VersionScanOptions {
  readonly bucket: Bucket;
  readonly request: VersionsRequest;
  /** Absent: from the first key. */
  readonly start: VersionStart | undefined;
  readonly isDraining: boolean;
}

/**
 * Merges heads and versions' own blobs in the order of keys, as far as a page needs it. The regions are read side by
 * side; where one is used up, the next part of it is. What needs a second look is only drafted here.
 */
export class VersionScan {
  readonly #options: VersionScanOptions;
  readonly #heads: readonly RegionQueue[];
  readonly #own: RegionQueue;
  readonly #prefixes: VersionPrefixes;
  #drafts: PageSoFar[] = [];
  #history: KeyHistory | undefined;
  /** Rolled up already: nothing beneath it is looked at. */
  #openPrefix: string | undefined;
  /** Rolled up by the backend over versions' own blobs, and no head was met beneath it yet. */
  #headless: string | undefined;
  /** Earlier keys are left out. */
  #floor: ListingStart | undefined;
  #position: Position | undefined;
  #rounds = 0;
  #ask: number;
  #isOver = false;
  #isCut = false;

  constructor(options: VersionScanOptions) {
    const { bucket, request, start } = options;
    this.#options = options;
    this.#floor = start;
    const { plain, escaped } = regionsOf(bucket, request);
    const queue = (region: Region, from: string | undefined): RegionQueue =>
      new RegionQueue(region, new RegionReader(bucket, region, from));
    const heads = plain === undefined ? [escaped] : [plain, escaped];
    this.#heads = heads.map((region) => queue(region, start === undefined ? region.prefix : region.startAt(start.key)));
    const own = versionsRegion(bucket, request);
    this.#own = queue(own, start === undefined ? own.prefix : startOfOwn(bucket, start));
    this.#prefixes = new VersionPrefixes(bucket, request);
    // What the page begins behind may exist, and is not shown.
    this.#ask = request.limit + (start === undefined ? 1 : 2);
  }

  /** No more will be drafted. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Up to where all is drafted, when the search was cut short. */
  get cutAt(): Position | undefined {
    return this.#isCut ? this.#position : undefined;
  }

  /** Looks on until there are so many drafts, at least, or no more. */
  async draft(count: number, call: Call): Promise<PageSoFar[]> {
    this.#drafts = [];
    while (this.#drafts.length < count && !this.#isOver) {
      const lacking = [...this.#heads, this.#own].filter((queue) => queue.isLacking);
      if (lacking.length > 0) {
        if (this.#mayStop()) this.#cutShort();
        else await this.#read(lacking, count, call);
        continue;
      }
      const queue = this.#nearest();
      const entry = queue?.shift();
      if (queue === undefined || entry === undefined) this.#end();
      else this.#take(entry, queue);
    }
    return this.#drafts;
  }

  /** A round in which little was drafted is followed by one that asks for more. */
  async #read(lacking: readonly RegionQueue[], count: number, call: Call): Promise<void> {
    const missing = count - this.#drafts.length;
    if (this.#rounds > 0) this.#ask = missing > count / 2 ? Math.max(missing, 2 * this.#ask) : missing;
    this.#rounds += 1;
    this.#skipRolledUp(lacking);
    await Promise.all(lacking.map((queue) => queue.read(this.#ask, call)));
  }

  /** Not before anything was met: the next page needs a place to begin behind. */
  #mayStop(): boolean {
    return (
      this.#rounds >= MAX_CALLS &&
      this.#position !== undefined &&
      ![...this.#heads, this.#own].some(({ reader }) => reader.isHolding)
    );
  }

  /** The heads' entry goes before those of its versions. */
  #nearest(): RegionQueue | undefined {
    let nearest: RegionQueue | undefined;
    for (const queue of [...this.#heads, this.#own]) {
      const key = queue.peek()?.key;
      const least = nearest?.peek()?.key;
      if (key !== undefined && (least === undefined || compareUtf8(key, least) < 0)) nearest = queue;
    }
    return nearest;
  }

  #take(entry: DecodedEntry, queue: RegionQueue): void {
    const { key, blob, token } = entry;
    if (!key.startsWith(this.#options.request.prefix) || this.#isPassed(key)) return;
    if (this.#history?.key !== key || blob === undefined) this.#closeKey();
    if (this.#headless !== undefined && !key.startsWith(this.#headless)) this.#closeHeadless();
    if (blob === undefined) this.#takePrefix(key, queue);
    else if (token === undefined) this.#takeHead(key, queue.region, blob);
    else this.#takeOwn(key, token, blob);
  }

  #isPassed(key: string): boolean {
    if (this.#openPrefix !== undefined && key.startsWith(this.#openPrefix)) return true;
    return this.#floor !== undefined && isBefore(key, this.#floor);
  }

  #takeHead(key: string, { container }: Region, blob: NonNullable<DecodedEntry['blob']>): void {
    const head = parseListedHead({ container, name: blob.name }, blob);
    this.#history = this.#newHistory(key, head);
    const current = this.#history.current();
    if (current !== undefined) this.#emit([current]);
    else if (head.record?.kind === 'void') this.#position = { key };
  }

  #takeOwn(key: string, token: VersionToken, blob: NonNullable<DecodedEntry['blob']>): void {
    this.#history ??= this.#newHistory(key, undefined);
    this.#position = { key, version: token };
    this.#emit(
      this.#history.next(parseVersion({ container: this.#own.region.container, name: blob.name }, token, blob)),
    );
  }

  #newHistory(key: string, head: ReturnType<typeof parseListedHead> | undefined): KeyHistory {
    const { bucket, request, start, isDraining } = this.#options;
    const { withViews } = request;
    const within = key === start?.key ? start.within : undefined;
    return new KeyHistory({ bucket, key }, { head, isDraining, start: within, withViews });
  }

  #takePrefix(prefix: string, queue: RegionQueue): void {
    if (queue === this.#own) {
      this.#headless = prefix;
      this.#position = { key: prefix };
      return;
    }
    // Where there are both, there are versions; or what the sweeper has yet to remove of the last one.
    const hasOwn = this.#own.peek()?.key.startsWith(prefix) === true;
    this.#addPrefix(hasOwn ? this.#prefixes.sure(prefix) : this.#prefixes.withHeads(prefix, queue.region));
  }

  #emit(drafts: readonly PageSoFar[]): void {
    for (const draft of drafts) {
      const prefix = rollUp(draft.position.key, this.#options.request);
      if (prefix === undefined) this.#add(draft);
      else if (prefix !== this.#openPrefix) this.#addPrefix(this.#prefixes.sure(prefix));
    }
  }

  #add(draft: PageSoFar): void {
    this.#drafts.push(draft);
    this.#position = draft.position;
  }

  #addPrefix(draft: PageSoFar): void {
    this.#openPrefix = draft.position.key;
    this.#headless = undefined;
    this.#add(draft);
  }

  #closeKey(): void {
    const drafts = this.#history?.rest() ?? [];
    this.#history = undefined;
    this.#emit(drafts);
  }

  #closeHeadless(): void {
    if (this.#headless !== undefined) this.#addPrefix(this.#prefixes.withoutHeads(this.#headless));
  }

  #end(): void {
    this.#closeKey();
    this.#closeHeadless();
    this.#isOver = true;
  }

  /**
   * A prefix in which the search ends is given out, if nothing is known against it: the next page would take it for
   * listed.
   */
  #cutShort(): void {
    const prefix = this.#position === undefined ? undefined : rollUp(this.#position.key, this.#options.request);
    if (this.#headless !== undefined) this.#closeHeadless();
    else if (prefix !== undefined && prefix !== this.#openPrefix) this.#addPrefix(this.#prefixes.sure(prefix));
    this.#isOver = true;
    this.#isCut = true;
  }

  /** Leaps over the rest of a prefix that we rolled up ourselves. */
  #skipRolledUp(queues: readonly RegionQueue[]): void {
    if (this.#openPrefix === undefined) return;
    const key = successorOfPrefix(this.#openPrefix);
    for (const { region, reader } of queues) {
      if (region.delimiter !== undefined) continue;
      if (key === undefined) reader.end();
      else if (reader.skipTo(key)) this.#floor = { key, inclusive: true };
    }
  }
}

function startOfOwn(bucket: Bucket, { key, inclusive, within }: VersionStart): string {
  return inclusive ? versionsFrom({ bucket, key }, within?.behind) : versionsBehind({ bucket, key });
}
