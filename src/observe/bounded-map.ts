/** Puts an entry at the end of a map, which is in the order of insertion. Above `most` entries, the oldest goes. */
export function keepNewest<T>(map: Map<string, T>, name: string, entry: T, most: number): void {
  map.delete(name);
  map.set(name, entry);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}

/** The same for a set. */
export function keepNewestName(set: Set<string>, name: string, most: number): void {
  set.delete(name);
  set.add(name);
  if (set.size > most) set.delete(set.keys().next().value ?? '');
}

/** A map whose entries may take so many bytes together. When they take more, those that were put in first go. */
export class ByteBoundedMap<T extends { readonly bytes: number }> {
  readonly #entries = new Map<string, T>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What all entries say that they take. */
  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): T | undefined {
    return this.#entries.get(name);
  }

  /** In place of the entry of that name, as the newest. An entry that is too large by itself is not kept. */
  set(name: string, entry: T): void {
    this.delete(name);
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }
}
