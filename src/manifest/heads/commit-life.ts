import type { Call } from '../../observe/call.ts';
import type { CallFacts } from '../../observe/call-facts.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { Roster } from '../../streams/roster.ts';
import { SYSTEM_TIME, type Time } from '../records/time.ts';

/**
 * Longer than clients wait for an answer (60 s in SDKs); what takes as long as a client or a copy does is not counted.
 * Milliseconds.
 */
const COMMIT_MS = 120_000;

/**
 * All commits of a process that are under way. A commit goes on when the client that asked for it hangs up: otherwise
 * the change would be half done, and whether the head was written would stay unknown. So each commit runs under a
 * signal and a deadline of its own. A process that is told to stop waits for `idle`, then calls `end` for those that
 * are left. To a commit, being ended is the same as an answer that got lost: it does not know whether its write
 * happened, and removes nothing.
 */
export class CommitLife {
  readonly #clock: CommitClock;
  readonly #underWay = new Roster<CommitCall>();
  readonly #waiting: (() => void)[] = [];
  #lift: (() => void) | undefined;
  #ended: Error | undefined;

  constructor(time: Pick<Time, 'after' | 'monotonic'> = SYSTEM_TIME, commitMs: number = COMMIT_MS) {
    this.#clock = { time, commitMs };
  }

  /** Commits under way. */
  get size(): number {
    return this.#underWay.size;
  }

  /**
   * Does work that commits, under a call of its own. Inside of such a call: as a part of that one.
   * @throws what the work throws; StoreError unavailable (lost) when its time was over
   */
  async run<T>(call: Call, work: (own: Call) => Promise<T>): Promise<T> {
    if (call instanceof CommitCall) return work(call);
    const own = new CommitCall(this.#clock, call);
    this.#underWay.add(own);
    this.#lift ??= this.#lookAfter(this.#clock.commitMs);
    if (this.#ended !== undefined) own.end(this.#ended);
    try {
      return await work(own);
    } catch (error) {
      throw own.signal.aborted && isStoreError(error, 'aborted') ? outcomeUnknown(error) : error;
    } finally {
      own.close();
      this.#underWay.delete(own);
      if (this.#underWay.size === 0) this.#onIdle();
    }
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    if (this.#underWay.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends those under way, and those that begin from now on, with an unknown outcome. */
  end(reason: Error): void {
    this.#ended = reason;
    for (const own of this.#underWay) own.end(reason);
  }

  #onIdle(): void {
    this.#lift?.();
    this.#lift = undefined;
    if (this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #lookAfter(ms: number): () => void {
    return this.#clock.time.after(ms, () => this.#endLate());
  }

  /** One timer does for all: a commit that begins later has a later deadline. */
  #endLate(): void {
    const now = this.#clock.time.monotonic();
    let next = now + this.#clock.commitMs;
    for (const own of this.#underWay) {
      if (own.deadline <= now) own.end(new Error('a commit took too long'));
      else next = Math.min(next, own.deadline);
    }
    this.#lift = this.#lookAfter(next - now);
  }
}

interface CommitClock {
  readonly time: Pick<Time, 'after' | 'monotonic'>;
  readonly commitMs: number;
}

/** The call of one commit. Its facts are those of the request, also when that is over. */
class CommitCall implements Call {
  /** Among those under way. */
  place = -1;
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly traceId: string;
  readonly facts: CallFacts;
  readonly occasion: Call['occasion'];
  /** Of the request: ends with its client. */
  readonly client: Call;
  /** The intents that it has written. */
  readonly announced = new Set<string>();
  /** Monotonic milliseconds; none while a body is streaming. */
  deadline: number;
  readonly #abort = new AbortController();
  readonly #clock: CommitClock;
  #streaming = 0;
  #closed = false;

  constructor(clock: CommitClock, client: Call) {
    this.client = client;
    this.signal = this.#abort.signal;
    this.requestId = client.requestId;
    this.traceId = client.traceId;
    this.facts = client.facts;
    this.occasion = client.occasion;
    this.#clock = clock;
    this.deadline = this.#fromNow();
  }

  end(reason: Error): void {
    this.#abort.abort(reason);
  }

  close(): void {
    this.#closed = true;
    this.deadline = Number.POSITIVE_INFINITY;
  }

  async whileStreaming<T>(work: (client: Call) => Promise<T>): Promise<T> {
    this.#streaming += 1;
    this.deadline = Number.POSITIVE_INFINITY;
    try {
      return await work(this.client);
    } finally {
      this.#streaming -= 1;
      if (this.#streaming === 0 && !this.#closed) this.deadline = this.#fromNow();
    }
  }

  #fromNow(): number {
    return this.#clock.time.monotonic() + this.#clock.commitMs;
  }
}

/**
 * The call of the client's request, given the call of the commit that it asked for. For what should end when the client
 * leaves: waiting for other writers, and reading what the request asked about.
 */
export function clientOf(call: Call): Call {
  return call instanceof CommitCall ? call.client : call;
}

/** The names of the intents that a commit has written under its call; others can be added. */
export function announcedBy(call: Call): Set<string> {
  return call instanceof CommitCall ? call.announced : new Set();
}

/**
 * Runs work that takes as long as a client's body or a copy does, and that changes nothing visible. The work ends when
 * the client leaves; meanwhile the commit's own deadline does not run.
 */
export function whileStreaming<T>(call: Call, work: (client: Call) => Promise<T>): Promise<T> {
  return call instanceof CommitCall ? call.whileStreaming(work) : work(call);
}

/**
 * The error for a change whose outcome is unknown. It is a 503, which SDKs repeat. A 412 would claim that nothing was
 * written.
 */
export function outcomeUnknown(cause: unknown): StoreError {
  const call = isStoreError(cause) ? cause.detail.call : undefined;
  return new StoreError('unavailable', { call: call ?? 'write', code: 'OutcomeUnknown', lost: true, cause });
}
