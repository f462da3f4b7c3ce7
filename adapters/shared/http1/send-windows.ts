/** Bytes of one body that may wait for the kernel at a time; what it buys is in docs/decisions/0006-byte-path.md. */
const MOST = 512 * 1024;
/** What every body gets, however many there are. */
const LEAST = 64 * 1024;

/** Shares out how much of the bodies that are being sent may lie in this process, written and not yet taken. */
export class SendWindows {
  readonly #total: number;
  #open = 0;

  /** @param total bytes of all bodies together, but for what each gets at least */
  constructor(total: number) {
    this.#total = total;
  }

  open(): void {
    this.#open += 1;
  }

  close(): void {
    this.#open -= 1;
  }

  /** For each of the bodies that are open now. */
  get size(): number {
    return Math.max(LEAST, Math.min(MOST, this.#total / Math.max(1, this.#open)));
  }
}
