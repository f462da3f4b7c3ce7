import type { Call } from '../../observe/call.ts';
import type { CallFacts } from '../../observe/call-facts.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { SYSTEM_TIME, type Time } from '../records/time.ts';

/**
 * Longer than clients wait for an answer (60 s in SDKs); what takes as long as a client or a copy does is not counted.
 * Milliseconds.
 */
const COMMIT_MS = 120_000;

/**
 * The lives of all commits of a process. A change of a key does not end because the client that asked for it has hung
 * up: half of it would be done, and nobody would find out whether the head was written. So it runs under a signal and a
 * deadline of its own. When the process is told to stop, whoever stops it waits for `idle`, and `end`s what is left: to
 * the commit that is an answer that was lost, so it removes nothing.
 */
export class CommitLife {
  readonly #time: Pick<Time, 'after'>;
  readonly #commitMs: number;
  readonly #underWay = new Set<CommitCall>();
  #waiting: (() => void)[] = [];
  #ended: Error | undefined;

  constructor(time: Pick<Time, 'after'> = SYSTEM_TIME, commitMs: number = COMMIT_MS) {
    this.#time = time;
    this.#commitMs = commitMs;
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
    const own = new CommitCall(call, (tooLate) => this.#time.after(this.#commitMs, tooLate));
    this.#underWay.add(own);
    if (this.#ended !== undefined) own.end(this.#ended);
    try {
      return await work(own);
    } catch (error) {
      throw own.signal.aborted && isStoreError(error, 'aborted') ? outcomeUnknown(error) : error;
    } finally {
      own.close();
      this.#underWay.delete(own);
      if (this.#underWay.size === 0) this.#tellIdle();
    }
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    if (this.#underWay.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends those under way, and those that begin from now on, with an outcome that nobody knows. */
  end(reason: Error): void {
    this.#ended = reason;
    for (const own of this.#underWay) own.end(reason);
  }

  #tellIdle(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** The call of one commit. Its facts are those of the request, also when that is over. */
class CommitCall implements Call {
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly traceId: string;
  readonly facts: CallFacts;
  /** Of the request: ends with its client. */
  readonly client: Call;
  readonly #abort = new AbortController();
  readonly #limit: (tooLate: () => void) => () => void;
  #lift: () => void = () => undefined;
  #streaming = 0;
  #closed = false;

  /** @param limit calls back when the time is over, unless what it returns is called before */
  constructor(client: Call, limit: (tooLate: () => void) => () => void) {
    this.client = client;
    this.signal = this.#abort.signal;
    this.requestId = client.requestId;
    this.traceId = client.traceId;
    this.facts = client.facts;
    this.#limit = limit;
    this.#start();
  }

  end(reason: Error): void {
    this.#abort.abort(reason);
  }

  close(): void {
    this.#closed = true;
    this.#lift();
  }

  async whileStreaming<T>(work: (client: Call) => Promise<T>): Promise<T> {
    this.#streaming += 1;
    this.#lift();
    try {
      return await work(this.client);
    } finally {
      this.#streaming -= 1;
      if (this.#streaming === 0 && !this.#closed) this.#start();
    }
  }

  #start(): void {
    this.#lift = this.#limit(() => this.end(new Error('a commit took too long')));
  }
}

/**
 * The call of the request that a commit was asked for by: to wait for others, and to look at what was asked, ends with
 * the client.
 */
export function clientOf(call: Call): Call {
  return call instanceof CommitCall ? call.client : call;
}

/**
 * Work that takes as long as a client or a copy does, and changes nothing that anybody sees. It ends with the client;
 * the commit's time stands still.
 */
export function whileStreaming<T>(call: Call, work: (client: Call) => Promise<T>): Promise<T> {
  return call instanceof CommitCall ? call.whileStreaming(work) : work(call);
}

/** Never 412 without proof: the write may have happened. SDKs repeat a 503. */
export function outcomeUnknown(cause: unknown): StoreError {
  const call = isStoreError(cause) ? cause.detail.call : undefined;
  return new StoreError('unavailable', { call: call ?? 'write', code: 'OutcomeUnknown', lost: true, cause });
}
