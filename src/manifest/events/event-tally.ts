/** What became of events, as one process saw it. */
interface EventCounts {
  /** Taken by their receivers. */
  delivered: number;
  /** Attempts to send some that their receiver did not take. */
  failed: number;
  /** Given up: they were too old, or too many waited. */
  dropped: number;
  /** Not sent, since the bucket's configuration no longer asks for them. */
  withdrawn: number;
  /** Changes of which it could not be told in a day whether they were made. Those that failed are among them. */
  unresolved: number;
}

/** Events of one bucket that wait for their receivers. */
interface EventsBehind {
  readonly bucket: string;
  readonly count: number;
  /** When the oldest one happened; milliseconds since the epoch. */
  readonly since: number;
}

/** A process that sends the events of a bucket looks again within minutes; another may have taken over since. */
const BEHIND_MS = 5 * 60_000;

export class EventTally {
  readonly counts: EventCounts = { delivered: 0, failed: 0, dropped: 0, withdrawn: 0, unresolved: 0 };
  readonly #behind = new Map<string, EventsBehind & { readonly until: number }>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** As this process saw them last, if it has sent events of the bucket lately. */
  get behind(): readonly EventsBehind[] {
    const now = this.#monotonic();
    return [...this.#behind.values()].filter(({ until }) => until > now);
  }

  noteBehind(behind: EventsBehind): void {
    if (behind.count === 0) this.#behind.delete(behind.bucket);
    else this.#behind.set(behind.bucket, { ...behind, until: this.#monotonic() + BEHIND_MS });
  }
}
