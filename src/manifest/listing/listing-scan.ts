import type { Call } from '../../observe/call.ts';
import type { ListPage, ListRequest } from '../../store/blob-store.ts';
import { compareUtf8, nameComparator, successorOfPrefix } from '../../store/name-order.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { ListingCollector, type ListingStart } from './listing-collector.ts';
import type { ListedEntry, ListingRequest } from './listing-entry.ts';
import type { DecodedEntry, Region } from './listing-region.ts';

/** Backend calls for one page of one region; the later ones ask for more. Then the page is given out short. */
const MAX_CALLS = 16;

export interface ScanOptions {
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

/** Where the next call begins: at a name, or behind the page that began there. */
interface Place {
  readonly startAt: string;
  readonly token?: string;
}

/** Reads a region until the page is full. Each call that gives too little is followed by one that asks for more. */
export function scanRegion(options: ScanOptions, call: Call): Promise<RegionSlice> {
  return new RegionScan(options).run(call);
}

class RegionScan {
  readonly #options: ScanOptions;
  readonly #collector: ListingCollector;
  /** Entries whose names may stand in another order than their keys, held until the last of them is read. */
  #unordered: { readonly stem: string; readonly members: DecodedEntry[] } | undefined;
  #place: Place | undefined;
  #lastName = '';
  /** Names of the other region were met, or may have been leapt over. */
  #mayHaveForeign = false;

  constructor(options: ScanOptions) {
    const { bucket, region, request, start } = options;
    this.#options = options;
    this.#collector = new ListingCollector(bucket, request, start);
    this.#place = start === undefined ? { startAt: region.prefix } : this.#placeOf(start.key);
  }

  async run(call: Call): Promise<RegionSlice> {
    const collector = this.#collector;
    // The key behind which the page begins may exist, and is not shown.
    let ask = collector.missing + (this.#options.start === undefined ? 0 : 1);
    for (let calls = 1; this.#place !== undefined; calls++) {
      const page = await this.#read(this.#place, ask, call);
      const shownBefore = collector.entries.length;
      this.#takeAll(page);
      if (collector.isFull) return this.#slice(collector.entries.at(-1)?.key);
      this.#place = this.#placeBehind(page, this.#place);
      if (calls >= MAX_CALLS && this.#mayStop()) return this.#slice(collector.cutShort());
      const shown = collector.entries.length - shownBefore;
      ask = page.entries.length - shown > shown ? Math.max(collector.missing, 2 * ask) : collector.missing;
    }
    this.#releaseUnordered();
    return this.#slice(undefined);
  }

  #read({ startAt, token }: Place, ask: number, call: Call): Promise<ListPage> {
    const { bucket, region } = this.#options;
    const { store, container } = bucket.home;
    const request: ListRequest = {
      prefix: region.prefix,
      limit: Math.min(ask, store.capabilities.maxListPage),
      ...(region.delimiter !== undefined && { delimiter: region.delimiter }),
      ...(startAt !== region.prefix && { startAt }),
      ...(token !== undefined && { token }),
    };
    return store.list(container, request, call);
  }

  #takeAll(page: ListPage): void {
    const { region } = this.#options;
    for (const entry of page.entries) {
      this.#lastName = entry.name;
      if (this.#unordered !== undefined && !entry.name.startsWith(this.#unordered.stem)) this.#releaseUnordered();
      if (this.#collector.isFull) return;
      if (region.foreign?.isIn(entry.name) === true) {
        this.#mayHaveForeign = true;
        continue;
      }
      const decoded = region.decode(entry);
      if (decoded === undefined) continue;
      if (decoded.unorderedStem !== undefined) this.#unordered ??= { stem: decoded.unorderedStem, members: [] };
      if (this.#unordered === undefined) this.#collector.take(decoded);
      else this.#unordered.members.push(decoded);
    }
  }

  #releaseUnordered(): void {
    const members = this.#unordered?.members.sort((a, b) => compareUtf8(a.key, b.key)) ?? [];
    this.#unordered = undefined;
    for (const member of members) this.#collector.take(member);
  }

  /** Not before anything was met: the next page needs a key to begin behind. */
  #mayStop(): boolean {
    return this.#place !== undefined && this.#unordered === undefined && this.#collector.last !== undefined;
  }

  #placeBehind({ entries, nextToken: token }: ListPage, place: Place): Place | undefined {
    if (token === undefined) return undefined;
    const next = { ...place, token };
    return entries.length === 0 ? next : this.#jumpFrom(next);
  }

  /** Leaps over what needs no reading: names of the other region, and the rest of a prefix that we rolled up ourselves. */
  #jumpFrom(next: Place): Place | undefined {
    const { region, bucket } = this.#options;
    if (region.foreign?.isIn(this.#lastName) === true) return { startAt: region.foreign.end };
    const prefix = this.#collector.openPrefix;
    if (prefix === undefined || region.delimiter !== undefined || this.#unordered !== undefined) return next;
    const key = successorOfPrefix(prefix);
    const place = key === undefined ? undefined : this.#placeOf(key);
    if (key === undefined || place === undefined) return undefined;
    const compare = nameComparator(bucket.home.store.capabilities.nameOrder);
    if (compare(place.startAt, this.#lastName) <= 0) return next;
    this.#collector.restartAt(key);
    this.#mayHaveForeign = true;
    return place;
  }

  #placeOf(key: string): Place | undefined {
    const startAt = this.#options.region.startAt(key);
    return startAt === undefined ? undefined : { startAt };
  }

  #slice(through: string | undefined): RegionSlice {
    const { foreign } = this.#options.region;
    const passedForeign = foreign !== undefined && this.#options.start === undefined && (through === undefined || this.#lastName >= foreign.end);
    return {
      entries: this.#collector.entries,
      provesNoForeign: passedForeign && !this.#mayHaveForeign,
      ...(through !== undefined && { through }),
    };
  }
}
