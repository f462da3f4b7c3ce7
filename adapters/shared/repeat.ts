import type { Call } from '../../src/observe/call.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import type { Timeouts } from './connection-options.ts';
import type { RetryBudget } from './retry-budget.ts';

/** How long the service may take for the head of an answer: one of the limits of `Timeouts`. */
export type TimeoutName = 'response' | 'assemble' | 'copy';

/**
 * With less time than this left, no repetition is sent: it would be given up before the service could answer.
 * Milliseconds.
 */
const LEAST = 2_000;
/**
 * The least time for the first attempt of any call, however long its request has waited: this call may be the one that
 * settles an outcome. Milliseconds.
 */
const FIRST_LEAST = 5_000;

/** A call that may be sent several times. */
interface Repeatable<T> {
  /** Port method. */
  readonly call: string;
  readonly pace: TimeoutName;
  readonly mayRepeat: (error: StoreError) => boolean;
  /** @param attempt 1 for the first. @param within milliseconds for the head of the answer */
  readonly send: (attempt: number, within: number) => Promise<T>;
}

/** What repetitions depend on. It is the same for all calls of a store. */
interface Repetition {
  readonly budget: RetryBudget;
  readonly timeouts: Timeouts;
}

/**
 * Sends a call until it is answered, within the retry budget of the store and the time that a client waits. The time of
 * attempts without an answer is added up over all calls of a request (`CallFacts.vainMs`), so that a service that hangs
 * makes the gateway answer with an error before the client's own time-out. @throws StoreError
 */
export async function repeat<T>({ budget, timeouts }: Repetition, work: Repeatable<T>, call: Call): Promise<T> {
  const { facts } = call;
  let since = performance.now();
  let spent = 0;
  for (let attempt = 1; ; attempt += 1) {
    const within = limitOf(timeouts, work.pace, { call, attempt, spent });
    try {
      const result = await work.send(attempt, within);
      budget.succeeded();
      return result;
    } catch (error) {
      if (!isStoreError(error, 'unavailable', 'throttled')) throw error;
      const now = performance.now();
      // The time while a body was streaming does not count as waiting.
      const vainSince = Math.max(since, now - 2 * within);
      facts.waitedInVain(vainSince);
      spent += now - vainSince;
      since = now;
      if (!work.mayRepeat(error) || isTooLate(timeouts, spent, call) || !budget.take(attempt)) throw error;
      await pause(budget, { attempt, error, name: work.call }, call);
    }
  }
}

/**
 * Whether the client would have given up before a repetition could be answered. @param spent milliseconds of this call
 * in vain
 */
export function isTooLate(timeouts: Timeouts, spent: number, call: Call): boolean {
  return leftOf(timeouts, spent, call) < Math.min(LEAST, timeouts.total / 2);
}

/** The time that is left for this call and its request to wait in vain. */
function leftOf({ total }: Timeouts, spent: number, { facts }: Call): number {
  return total - (facts.awaited ? Math.max(spent, facts.vainMs) : spent);
}

/** The first attempt of a request that has not waited in vain yet needs no calculation; that is nearly every call. */
function limitOf(
  timeouts: Timeouts,
  pace: TimeoutName,
  { call, attempt, spent }: { call: Call; attempt: number; spent: number },
): number {
  const usual = timeouts[pace];
  if (attempt === 1 && !call.facts.awaited) return usual;
  const least = attempt === 1 ? FIRST_LEAST : 1;
  return Math.min(usual, Math.max(least, leftOf(timeouts, spent, call)));
}

interface Pause {
  readonly attempt: number;
  readonly error: StoreError;
  readonly name: string;
}

async function pause(budget: RetryBudget, { attempt, error, name }: Pause, call: Call): Promise<void> {
  try {
    await budget.pause(attempt, error.detail.retryAfter, call.signal);
  } catch (cause) {
    throw new StoreError('aborted', { call: name, ...(error.lost && { lost: true }), cause });
  }
}
