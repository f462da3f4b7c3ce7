import { CallFacts } from './call-facts.ts';

/**
 * What travels with one request from the first hook to the last backend call.
 *
 * Every asynchronous function that does I/O takes a `Call`: its signal ends the work when the
 * client hangs up or a deadline passes, its ids tie logs and spans together, and its facts tell
 * observers what was done.
 */
export interface Call {
  /**
   * Aborted when the client is gone, the deadline passed or the process is told to stop. Commits run under one of their
   * own (`manifest/heads/commit-life.ts`).
   */
  readonly signal: AbortSignal;
  /** The `x-amz-request-id` of the request this call serves; background work uses its own. */
  readonly requestId: string;
  /** W3C trace id, 32 lower-case hex digits. */
  readonly traceId: string;
  /** Of a request: its `RequestFacts`. */
  readonly facts: CallFacts;
  /** What events say of the changes that are made. Absent: no events are asked for, or nothing is changed. */
  readonly occasion?: Occasion | undefined;
}

/** Who changes objects, and by what. */
export interface Occasion {
  /** Name of a row of the operation table, or what stands for it (`protocol/notifications/event-names.ts`). */
  readonly operation: string;
  /** As events name the one who asked. */
  readonly principalId: string;
  /** Number of the account that asked, or what stands for it. */
  readonly requester: string;
  /** Address of the client. */
  readonly sourceAddress: string;
  /** The `x-amz-id-2` of the process that answers. */
  readonly hostId: string;
}

export function newCallFacts(): CallFacts {
  return new CallFacts();
}

/** The same call under another signal (a tighter deadline, or work that outlives the request). */
export function withSignal(call: Call, signal: AbortSignal): Call {
  return { ...call, signal };
}
