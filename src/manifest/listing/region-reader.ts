import type { Call } from '../../observe/call.ts';
import type { ListEntry, ListPage, ListRequest } from '../../store/blob-store.ts';
import { compareUtf8, nameComparator } from '../../store/name-order.ts';
import type { Bucket } from '../records/bucket.ts';
import type { DecodedEntry, Region } from './listing-region.ts';

/** What one backend call gave. */
export interface ReadPage {
  /** In the order of their keys. */
  readonly entries: readonly DecodedEntry[];
  /** How many entries the call gave, names that S3 does not show included. */
  readonly size: number;
}

/** Where the next call begins: at a name, or behind the page that began there. */
interface Place {
  readonly startAt: string;
  readonly token?: string;
}

/** Reads a region in the order of keys, a backend call at a time. Nothing is kept of what was handed out. */
export class RegionReader {
  readonly #bucket: Bucket;
  readonly #region: Region;
  readonly #fromBeginning: boolean;
  #place: Place | undefined;
  /** Entries whose names may stand in another order than their keys, held until the last of them is read. */
  #unordered: { readonly stem: string; readonly members: DecodedEntry[] } | undefined;
  #lastName = '';
  /** Names of the other region were met, or may have been leapt over. */
  #mayHaveForeign = false;

  /** @param startAt first name to be read; undefined: there is nothing to be read */
  constructor(bucket: Bucket, region: Region, startAt: string | undefined) {
    this.#bucket = bucket;
    this.#region = region;
    this.#fromBeginning = startAt === region.prefix;
    this.#place = startAt === undefined ? undefined : { startAt };
  }

  get isDone(): boolean {
    return this.#place === undefined;
  }

  /** Entries were read that cannot be handed out yet. */
  get isHolding(): boolean {
    return this.#unordered !== undefined;
  }

  /** It passed where the other region's names would be, and met none. */
  get provesNoForeign(): boolean {
    const { foreign } = this.#region;
    if (foreign === undefined || !this.#fromBeginning || this.#mayHaveForeign) return false;
    return this.isDone || this.#lastName >= foreign.end;
  }

  /** @param ask most entries; the service may give fewer, even none */
  async read(ask: number, call: Call): Promise<ReadPage> {
    if (this.#place === undefined) return { entries: [], size: 0 };
    const page = await this.#list(this.#place, ask, call);
    const entries = this.#decodeAll(page.entries);
    this.#place = this.#placeBehind(page, this.#place);
    if (this.#place === undefined) this.#release(entries);
    return { entries, size: page.entries.length };
  }

  /**
   * Goes on at a key, unless that has been passed or more is held: earlier keys come all the same then, and may anyhow.
   * @returns whether it leapt
   */
  skipTo(key: string): boolean {
    if (this.#place === undefined || this.#unordered !== undefined) return false;
    const startAt = this.#region.startAt(key);
    const compare = nameComparator(this.#bucket.home.store.capabilities.nameOrder);
    if (
      startAt !== undefined &&
      (compare(startAt, this.#lastName) <= 0 || compare(startAt, this.#place.startAt) <= 0)
    ) {
      return false;
    }
    this.#place = startAt === undefined ? undefined : { startAt };
    this.#mayHaveForeign = true;
    return true;
  }

  /** Nothing more is wanted. */
  end(): void {
    this.#place = undefined;
    this.#mayHaveForeign = true;
  }

  #list({ startAt, token }: Place, ask: number, call: Call): Promise<ListPage> {
    const { prefix, delimiter, container } = this.#region;
    const { store } = this.#bucket.home;
    const request: ListRequest = {
      prefix,
      limit: Math.min(ask, store.capabilities.maxListPage),
      ...(delimiter !== undefined && { delimiter }),
      ...(startAt !== prefix && { startAt }),
      ...(token !== undefined && { token }),
    };
    return store.list(container, request, call);
  }

  #decodeAll(entries: readonly ListEntry[]): DecodedEntry[] {
    const region = this.#region;
    const decoded: DecodedEntry[] = [];
    for (const entry of entries) {
      this.#lastName = entry.name;
      if (this.#unordered !== undefined && !entry.name.startsWith(this.#unordered.stem)) this.#release(decoded);
      if (region.foreign?.isIn(entry.name) === true) {
        this.#mayHaveForeign = true;
        continue;
      }
      const one = region.decode(entry);
      if (one === undefined) continue;
      if (one.unorderedStem !== undefined) this.#unordered ??= { stem: one.unorderedStem, members: [] };
      (this.#unordered?.members ?? decoded).push(one);
    }
    return decoded;
  }

  /** The sort is stable: entries of one key stay in the order of their names. */
  #release(into: DecodedEntry[]): void {
    const members = this.#unordered?.members.sort((a, b) => compareUtf8(a.key, b.key)) ?? [];
    this.#unordered = undefined;
    for (const member of members) into.push(member);
  }

  #placeBehind({ entries, nextToken: token }: ListPage, place: Place): Place | undefined {
    if (token === undefined) return undefined;
    const { foreign } = this.#region;
    // Names of the other region need no reading.
    const leaps = entries.length > 0 && foreign?.isIn(this.#lastName) === true;
    return leaps ? { startAt: foreign.end } : { ...place, token };
  }
}
