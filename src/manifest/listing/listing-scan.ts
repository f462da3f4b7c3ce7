import type { Call } from '../../observe/call.ts';
import { successorOfPrefix } from '../../store/name-order.ts';
import type { Bucket } from '../records/bucket.ts';
import { ListingCollector } from './listing-collector.ts';
import type { ListedEntry, ListingRequest } from './listing-entry.ts';
import type { Region } from './listing-region.ts';
import type { ListingStart } from './listing-start.ts';
import { PrefixJudge } from './prefix-judge.ts';
import { type ReadPage, RegionReader } from './region-reader.ts';

/** Backend calls for one page of one region; the later ones ask for more. Then the page is given out short. */
export const MAX_CALLS = 16;

interface ScanOptions {
  readonly bucket: Bucket;
  readonly region: Region;
  readonly request: ListingRequest;
  /** Absent: from the first key. */
  readonly start: ListingStart | undefined;
}

/** What one region gives to a page. */
export interface RegionSlice {
  /** By key; more than the page takes, unless the region ended or the search was cut short. */
  readonly entries: readonly ListedEntry[];
  /** All up to this key is in `entries`; absent: the region has no more. */
  readonly through?: string;
  /** The listing passed where the other region's names would be, and met none. */
  readonly provesNoForeign: boolean;
}

/** Reads a region until the page is full. Each call that gives too little is followed by one that asks for more. */
export function scanRegion(options: ScanOptions, call: Call): Promise<RegionSlice> {
  return new RegionScan(options).run(call);
}

class RegionScan {
  readonly #options: ScanOptions;
  readonly #collector: ListingCollector;
  readonly #reader: RegionReader;
  readonly #judge: PrefixJudge | undefined;

  constructor(options: ScanOptions) {
    const { bucket, region, request, start } = options;
    this.#options = options;
    this.#collector = new ListingCollector(bucket, request, start);
    this.#reader = new RegionReader(bucket, region, start === undefined ? region.prefix : region.startAt(start.key));
    const mayHide = bucket.versioning !== 'never' && region.delimiter !== undefined;
    this.#judge = mayHide ? new PrefixJudge(bucket, request) : undefined;
  }

  async run(call: Call): Promise<RegionSlice> {
    const collector = this.#collector;
    const reader = this.#reader;
    // The key behind which the page begins may exist, and is not shown.
    let ask = collector.missing + (this.#options.start === undefined ? 0 : 1);
    for (let calls = 1; !reader.isDone; calls++) {
      const shownBefore = collector.entries.length;
      const { page, isCut } = await this.#read(ask, call);
      for (const entry of page.entries) {
        if (!collector.isFull) collector.take(entry);
      }
      if (collector.isFull) return this.#slice(collector.entries.at(-1)?.key);
      if (isCut || (calls >= MAX_CALLS && this.#mayStop())) return this.#slice(collector.cutShort());
      this.#skipRolledUp();
      const shown = collector.entries.length - shownBefore;
      const isPoor = page.size - shown > shown;
      ask = isPoor ? Math.max(collector.missing, 2 * ask) : this.#askFor(page.size / shown);
    }
    return this.#slice(undefined);
  }

  /** The next page, in which prefixes that the backend rolled up over nothing alive are marked. */
  async #read(ask: number, call: Call): Promise<{ page: ReadPage; isCut: boolean }> {
    const judge = this.#judge;
    if (judge === undefined) return { page: await this.#reader.read(ask, call), isCut: false };
    const { region, start, request } = this.#options;
    const [page] = await Promise.all([
      this.#reader.read(ask, call),
      !region.isEscaped && judge.prepare(start?.key ?? request.prefix, call),
    ]);
    const { entries, isCut } = await judge.sift(region, page.entries, call);
    return { page: { entries, size: page.size }, isCut };
  }

  /** Not before anything was met: the next page needs a key to begin behind. */
  #mayStop(): boolean {
    return !this.#reader.isDone && !this.#reader.isHolding && this.#collector.last !== undefined;
  }

  /** Leaps over the rest of a prefix that we rolled up ourselves. */
  #skipRolledUp(): void {
    const prefix = this.#collector.openPrefix;
    if (prefix === undefined || this.#options.region.delimiter !== undefined) return;
    const key = successorOfPrefix(prefix);
    if (key === undefined) this.#reader.end();
    else if (this.#reader.skipTo(key)) this.#collector.restartAt(key);
  }

  /**
   * When some of what was read is not shown, the same is expected of the rest, and a little more is asked for: a call
   * costs more.
   */
  #askFor(readPerShown: number): number {
    const { missing } = this.#collector;
    return readPerShown > 1 ? Math.ceil(missing * readPerShown + this.#options.request.limit / 10) : missing;
  }

  #slice(through: string | undefined): RegionSlice {
    return {
      entries: this.#collector.entries,
      provesNoForeign: this.#reader.provesNoForeign,
      ...(through !== undefined && { through }),
    };
  }
}
