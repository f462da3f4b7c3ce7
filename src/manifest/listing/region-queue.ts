import type { Call } from '../../observe/call.ts';
import type { DecodedEntry, Region } from './listing-region.ts';
import type { RegionReader } from './region-reader.ts';

/** A region that is merged with others: what was read of it and not taken yet. */
export class RegionQueue {
  readonly region: Region;
  readonly reader: RegionReader;
  #entries: readonly DecodedEntry[] = [];
  #at = 0;

  constructor(region: Region, reader: RegionReader) {
    this.region = region;
    this.reader = reader;
  }

  peek(): DecodedEntry | undefined {
    return this.#entries[this.#at];
  }

  shift(): DecodedEntry | undefined {
    return this.#entries[this.#at++];
  }

  /** Without more of it the next key is unknown. */
  get isLacking(): boolean {
    return this.peek() === undefined && !this.reader.isDone;
  }

  /** @returns how many entries the call gave */
  async read(ask: number, call: Call): Promise<number> {
    const { entries, size } = await this.reader.read(ask, call);
    this.#entries = entries;
    this.#at = 0;
    return size;
  }
}
