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
