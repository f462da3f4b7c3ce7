import type { RequestFacts } from '../observe/request-facts.ts';
import { NO_ANSWER_IN_TIME, StoreError } from '../store/store-error.ts';

/** For the log: the call to a backend that made a request fail because its answer did not come in time. */
interface LateBackend {
  /**
   * `azure`, `gcs`; undefined when another request's call was waited for, or the facts of so many calls are not kept.
   */
  readonly backend: string | undefined;
  /** Method of the port. */
  readonly call: string;
  /** Times that it was sent. */
  readonly attempts: number;
  /** Milliseconds that the request waited in vain, for this call and others. */
  readonly waitedMs: number;
}

/** Deeper chains of causes than this are not made here. */
const MAX_CAUSES = 8;

/** Finds that call in the causes of a failure. @returns undefined when the request failed for another reason */
export function lateBackend(failure: Error, facts: RequestFacts): LateBackend | undefined {
  let cause: unknown = failure;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (cause instanceof StoreError && cause.detail.code === NO_ANSWER_IN_TIME) {
      const call = cause.detail.call ?? 'backend';
      const last = facts.backend.findLast(({ operation }) => operation === call) ?? facts.backend.at(-1);
      return { backend: last?.system, call, attempts: last?.attempt ?? 0, waitedMs: Math.round(facts.vainMs) };
    }
    ({ cause } = cause);
  }
  return undefined;
}
