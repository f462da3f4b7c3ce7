/**
 * For how long messages of one bucket are begun to be sent in a pass, of them those of backlogs, and those of one
 * destination. Slow receivers of backlogs leave time to find new events, and to send these to others. Milliseconds.
 */
const OF_BUCKET_MS = 30_000;
const OF_BACKLOGS_MS = 15_000;
const OF_DESTINATION_MS = 5_000;

/** Where a pass was cut off: the next one goes on behind it, where others come first. */
export interface PassPlace {
  /** Name of the destination that was sent to last, of those with a backlog. */
  readonly destination?: string;
  /** Name of the first intent that was not looked at. */
  readonly intent?: string;
}

/**
 * The time that a pass over a bucket, and each destination in it, may take before others have their turn: a receiver
 * may take every message, and need seconds for each.
 */
export class PassShare {
  /** Something was left for the next pass, as the time was over. */
  wasCut = false;
  readonly #monotonic: () => number;
  readonly #end: number;
  readonly #endOfBacklogs: number;
  #endOfDestination: number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    const begun = monotonic();
    this.#end = begun + OF_BUCKET_MS;
    this.#endOfBacklogs = begun + OF_BACKLOGS_MS;
    this.#endOfDestination = this.#end;
  }

  beginDestination(): void {
    this.#endOfDestination = this.#monotonic() + OF_DESTINATION_MS;
  }

  /** Asked before each message. */
  isOverForDestination(): boolean {
    return this.#ended(Math.min(this.#end, this.#endOfDestination));
  }

  /** Asked before another backlog is begun. */
  isOverForBacklogs(): boolean {
    return this.#ended(this.#endOfBacklogs);
  }

  /** Asked before another page of intents is begun. */
  isOver(): boolean {
    return this.#ended(this.#end);
  }

  #ended(end: number): boolean {
    if (this.#monotonic() < end) return false;
    this.wasCut = true;
    return true;
  }
}

/** Names in the order of turns: those behind the one that had the last turn come first. @param names in their order */
export function inTurn(names: Iterable<string>, last: string | undefined): string[] {
  const all = [...names];
  const first = last === undefined ? 0 : all.findIndex((name) => name > last);
  return first <= 0 ? all : [...all.slice(first), ...all.slice(0, first)];
}
