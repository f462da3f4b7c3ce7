/** What waits for one reader at most; both together for hundreds of events. */
const MAX_EVENTS = 2000;
const MAX_BYTES = 1024 * 1024;

interface QueueLimits {
  readonly events?: number;
  readonly bytes?: number;
}

interface Waiting {
  readonly event: Buffer;
  readonly tells: number;
}

/**
 * Events between the journal and one reader, written already: the same bytes for all readers. A reader that is too slow
 * loses the oldest and is told how many: neither the gateway waits for it, nor does what it leaves lying grow.
 */
export class EventQueue {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #lost = 0;
  #wake: (() => void) | undefined;

  constructor({ events = MAX_EVENTS, bytes = MAX_BYTES }: QueueLimits = {}) {
    this.#maxEvents = events;
    this.#maxBytes = bytes;
  }

  /** @param tells how many events the reader misses without it: none if it comes again, several if it counts others */
  push(event: Buffer, tells = 1): void {
    this.#waiting.push({ event, tells });
    this.#bytes += event.length;
    while (this.#waiting.length > this.#maxEvents || this.#bytes > this.#maxBytes) {
      const oldest = this.#waiting.shift();
      this.#bytes -= oldest?.event.length ?? 0;
      this.#lost += oldest?.tells ?? 0;
    }
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** All that waits, and how many were lost before the first of it; undefined when there is nothing. */
  take(): { readonly lost: number; readonly events: readonly Buffer[] } | undefined {
    if (this.#waiting.length === 0 && this.#lost === 0) return undefined;
    const taken = { lost: this.#lost, events: this.#waiting.map(({ event }) => event) };
    this.#waiting = [];
    this.#bytes = 0;
    this.#lost = 0;
    return taken;
  }

  /** Called once, at the next `push`. */
  onPush(wake: () => void): void {
    this.#wake = wake;
  }
}
