const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** What has not failed for so long is not tried any more: its configuration, or its bucket, is gone. */
const FORGOTTEN_MS = 10 * LONGEST_MS;

/** A configuration of a bucket, and the receiver that it names. */
export interface Post {
  /** Of the bucket. */
  readonly uid: string;
  /** Of the destination. */
  readonly name: string;
  readonly receiver: string;
}

/**
 * How long destinations that took nothing are left alone: twice as long each time, up to a minute. Those of each bucket
 * by themselves: configurations of two buckets may say the same, and a receiver may refuse the events of one of them.
 *
 * A receiver that is not reached is left alone with all that name it, and for the rest of the round at least: each
 * would wait in vain for as long as a request may take. It waits half as long as the destination does. So another
 * destination is tried first then: perhaps the receiver hangs up on the events of that one only.
 */
export class BackOff {
  readonly #destinations: Waits;
  readonly #receivers: Waits;
  readonly #unreached = new Set<string>();

  constructor(monotonic: () => number) {
    this.#destinations = new Waits(monotonic, { first: FIRST_MS, longest: LONGEST_MS });
    this.#receivers = new Waits(monotonic, { first: FIRST_MS / 2, longest: LONGEST_MS / 2 });
  }

  /** From here on receivers are tried that were not reached in the last round. */
  beginRound(): void {
    this.#unreached.clear();
  }

  isOff(post: Post): boolean {
    const { receiver } = post;
    return (
      this.#unreached.has(receiver) || this.#receivers.isOff(receiver) || this.#destinations.isOff(destinationOf(post))
    );
  }

  /** @param isReached false: of the receiver nothing was heard */
  failed(post: Post, { isReached }: { readonly isReached: boolean }): void {
    this.#destinations.failed(destinationOf(post));
    if (isReached) return;
    this.#receivers.failed(post.receiver);
    this.#unreached.add(post.receiver);
  }

  worked(post: Post): void {
    this.#destinations.worked(destinationOf(post));
    this.#receivers.worked(post.receiver);
  }

  /** How many are remembered. */
  get size(): number {
    return this.#destinations.size + this.#receivers.size;
  }
}

/** What failed, and for how long it is left alone, by name. */
class Waits {
  /** Those that failed longest ago come first. */
  readonly #failing = new Map<string, { failures: number; until: number }>();
  readonly #monotonic: () => number;
  readonly #first: number;
  readonly #longest: number;

  constructor(monotonic: () => number, { first, longest }: { readonly first: number; readonly longest: number }) {
    this.#monotonic = monotonic;
    this.#first = first;
    this.#longest = longest;
  }

  isOff(name: string): boolean {
    return (this.#failing.get(name)?.until ?? 0) > this.#monotonic();
  }

  failed(name: string): void {
    this.#forgetOld();
    const failures = (this.#failing.get(name)?.failures ?? 0) + 1;
    const wait = Math.min(this.#first * 2 ** (failures - 1), this.#longest);
    this.#failing.delete(name);
    this.#failing.set(name, { failures, until: this.#monotonic() + wait });
  }

  worked(name: string): void {
    this.#failing.delete(name);
  }

  get size(): number {
    return this.#failing.size;
  }

  #forgetOld(): void {
    const oldest = this.#monotonic() - FORGOTTEN_MS;
    for (const [name, { until }] of this.#failing) {
      if (until > oldest) return;
      this.#failing.delete(name);
    }
  }
}

function destinationOf({ uid, name }: Post): string {
  return `${uid}/${name}`;
}
