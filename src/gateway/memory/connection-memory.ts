/** A source that holds more than this part of the memory loses even connections that serve requests. */
const SHARE = 1 / 2;
/**
 * A source makes room for another that holds less than one part in so many of what it has. Of sources that are alike,
 * none takes from the others: they would do so in turn, for nothing.
 */
const UNEVEN = 2;

interface ConnectionMemoryOptions {
  /** What all connections may hold together. */
  readonly bytes: number;
  /** Most holdings of one source; 0: any number. */
  readonly perSource?: number;
}

/** What one address (or one /64 of IPv6) holds. */
interface Source {
  readonly name: string;
  readonly holdings: Set<Holding>;
  bytes: number;
  /** Of these, the bytes of holdings that are not settled. */
  loose: number;
}

/** What one connection holds, or one request that came through a proxy. Only `ConnectionMemory` changes it. */
export interface Holding {
  readonly source: Source | undefined;
  readonly drop: (dropped: Holding) => void;
  bytes: number;
  /** One request is served, and none waits behind it: others make room first. */
  settled: boolean;
  ended: boolean;
}

/**
 * The memory of a process for unsigned data: connections, heads and forms that are not complete, requests that wait
 * behind others. When it is full, the source (address, /64) that holds the most loses a connection: the one that asks
 * for more if it is that itself, else the largest of the other's. So a client with few connections gets another one,
 * whatever others have opened. No request waits for memory.
 */
export class ConnectionMemory {
  readonly maxBytes: number;
  readonly #perSource: number;
  readonly #sources = new Map<string, Source>();
  #used = 0;
  #dropped = 0;

  constructor({ bytes, perSource = 0 }: ConnectionMemoryOptions) {
    this.maxBytes = bytes;
    this.#perSource = perSource;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** Holdings that had to go or got nothing more, since the process began. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * @param name of the source; undefined: a proxy, which stands for many clients, and is never told to go
   * @param drop called when the holding had to go: frees what it stands for
   * @returns undefined: there is no room, or the source has as many holdings as it may have
   */
  open(name: string | undefined, bytes: number, drop: (dropped: Holding) => void): Holding | undefined {
    const source = name === undefined ? undefined : this.#sourceOf(name);
    if (source !== undefined && this.#perSource > 0 && source.holdings.size >= this.#perSource) return undefined;
    const holding: Holding = { source, drop, bytes: 0, settled: false, ended: false };
    source?.holdings.add(holding);
    if (this.take(holding, bytes)) return holding;
    this.end(holding);
    return undefined;
  }

  /**
   * Holds more, if necessary in place of others. @returns false: there is no room; what the holding stands for must end
   */
  take(holding: Holding, bytes: number): boolean {
    if (holding.ended) return false;
    while (this.#used + bytes > this.maxBytes) {
      this.#dropped += 1;
      const victim = this.#victim(bytes, holding.source);
      if (victim === undefined) return false;
      this.end(victim);
      victim.drop(victim);
    }
    this.#count(holding, bytes);
    return true;
  }

  giveBack(holding: Holding, bytes: number): void {
    if (!holding.ended) this.#count(holding, -bytes);
  }

  settle(holding: Holding, settled: boolean): void {
    if (holding.settled === settled) return;
    holding.settled = settled;
    if (holding.source !== undefined) holding.source.loose += settled ? -holding.bytes : holding.bytes;
  }

  /** Gives everything back. May be called again. */
  end(holding: Holding): void {
    const { source } = holding;
    if (holding.ended) return;
    this.#count(holding, -holding.bytes);
    holding.ended = true;
    source?.holdings.delete(holding);
    if (source?.holdings.size === 0) this.#sources.delete(source.name);
  }

  #count(holding: Holding, bytes: number): void {
    const { source } = holding;
    this.#used += bytes;
    holding.bytes += bytes;
    if (source === undefined) return;
    source.bytes += bytes;
    if (!holding.settled) source.loose += bytes;
  }

  #sourceOf(name: string): Source {
    let source = this.#sources.get(name);
    if (source === undefined) {
      source = { name, holdings: new Set(), bytes: 0, loose: 0 };
      this.#sources.set(name, source);
    }
    return source;
  }

  /** What has to go for so many more bytes of `asking`; undefined: those that ask. */
  #victim(bytes: number, asking: Source | undefined): Holding | undefined {
    let loosest: Source | undefined;
    let largest: Source | undefined;
    for (const source of this.#sources.values()) {
      if (source === asking) continue;
      if (source.loose > (loosest?.loose ?? 0)) loosest = source;
      if (source.bytes > (largest?.bytes ?? SHARE * this.maxBytes)) largest = source;
    }
    const own = (asking?.loose ?? 0) + bytes;
    if (loosest !== undefined && loosest.loose > UNEVEN * own) return largestOf(loosest, false);
    return largest === undefined ? undefined : largestOf(largest, true);
  }
}

function largestOf({ holdings }: Source, orSettled: boolean): Holding | undefined {
  let found: Holding | undefined;
  for (const holding of holdings) {
    if ((orSettled || !holding.settled) && holding.bytes > (found?.bytes ?? 0)) found = holding;
  }
  return found;
}
