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

export class EventTally {
  readonly counts: EventCounts = { delivered: 0, failed: 0, dropped: 0, withdrawn: 0, unresolved: 0 };
  readonly #behind = new Map<string, EventsBehind>();

  /** As a process saw them last that sends the events of the bucket. */
  get behind(): readonly EventsBehind[] {
    return [...this.#behind.values()];
  }

  noteBehind(behind: EventsBehind): void {
    if (behind.count === 0) this.#behind.delete(behind.bucket);
    else this.#behind.set(behind.bucket, behind);
  }
}
