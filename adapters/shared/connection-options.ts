import type { RetryPolicy } from './retry-budget.ts';
import type { FairTransportOptions } from './wire/fair-transport.ts';

/** Milliseconds. None of them limits a whole body: a long transfer goes on as long as bytes move. */
export interface Timeouts {
  /** Until a connection stands. Default 5,000. */
  readonly connect: number;
  /**
   * From the last byte of a request to the head of its answer, and from there to the end of a document. Default 20,000.
   */
  readonly response: number;
  /**
   * The same for calls that put staged parts together, where the service moves no bytes. Default three times
   * `response`, at most `copy`.
   */
  readonly assemble: number;
  /** The same for calls that copy on the service's side, which answer when that is done. Default 300,000. */
  readonly copy: number;
  /**
   * How long one S3 request may wait in vain, over all its calls and their repetitions; SDKs give up after 60 s. Where
   * nobody waits (work in the background, answers that keep the client waiting with white space) this limits the
   * repetitions of each call. Default 45,000.
   */
  readonly total: number;
  /** Longest silence within a body that the reader is waiting for. Default 30,000. */
  readonly idle: number;
  /** An unused connection is closed after this. Default 55,000. */
  readonly keepAlive: number;
}

/** How a store reaches its service. */
export interface ConnectionOptions {
  /** Calls to the service at a time, but for large bodies; more wait. Default 256. */
  readonly maxConnections?: number;
  /** Connections for large bodies at a time, each way. Default 256. */
  readonly maxTransfers?: number;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
  /** PEM certificates trusted besides the system's, for the service and those who issue its tokens. */
  readonly ca?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly retries?: Partial<RetryPolicy>;
}

const DEFAULT_TIMEOUTS: Omit<Timeouts, 'assemble'> = {
  connect: 5_000,
  response: 20_000,
  copy: 300_000,
  total: 45_000,
  idle: 30_000,
  keepAlive: 55_000,
};
export const DEFAULT_RETRIES: RetryPolicy = { attempts: 4, baseDelay: 100, maxDelay: 5_000, budget: 200 };
const DEFAULT_MAX_CONNECTIONS = 256;
const DEFAULT_MAX_TRANSFERS = 256;

/** All timeouts, with defaults for those that are not given. */
export function timeoutsFrom(given: Partial<Timeouts> = {}): Timeouts {
  const { response, copy, ...rest } = { ...DEFAULT_TIMEOUTS, ...given };
  return { assemble: Math.min(copy, 3 * response), ...rest, response, copy };
}

/** The same options in the form that the transport takes. */
export function wireOptions(origin: string, options: ConnectionOptions, timeouts: Timeouts): FairTransportOptions {
  return {
    origin,
    maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    maxTransfers: options.maxTransfers ?? DEFAULT_MAX_TRANSFERS,
    connectTimeout: timeouts.connect,
    idleTimeout: timeouts.idle,
    keepAlive: timeouts.keepAlive,
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(options.proxy !== undefined && { proxy: options.proxy }),
  };
}
