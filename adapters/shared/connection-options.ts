import type { RetryPolicy } from './retry-budget.ts';
import type { UndiciTransportOptions } from './wire/undici-transport.ts';

/** Milliseconds. None of them bounds a whole body: long transfers live as long as bytes move. */
export interface Timeouts {
  /** Until a connection stands. Default 5,000. */
  readonly connect: number;
  /** From the last byte of a request to the head of its answer. Default 60,000. */
  readonly response: number;
  /** The same for calls that copy or assemble on the service's side, which answer when that is done. Default 300,000. */
  readonly copy: number;
  /** Longest silence within a body that the reader is waiting for. Default 60,000. */
  readonly idle: number;
  /** An unused connection is closed after this. Default 55,000. */
  readonly keepAlive: number;
}

/** How a store reaches its service. */
export interface ConnectionOptions {
  /** Connections to the service at a time; more calls wait for one. Default 256. */
  readonly maxConnections?: number;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
  /** PEM certificates trusted besides the system's, for the service and those who issue its tokens. */
  readonly ca?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly retries?: Partial<RetryPolicy>;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connect: 5_000, response: 60_000, copy: 300_000, idle: 60_000, keepAlive: 55_000 };
export const DEFAULT_RETRIES: RetryPolicy = { attempts: 4, baseDelay: 100, maxDelay: 5_000, budget: 200 };
const DEFAULT_MAX_CONNECTIONS = 256;

/** The same as the transport takes it. */
export function wireOptions(origin: string, options: ConnectionOptions, timeouts: Timeouts): UndiciTransportOptions {
  return {
    origin,
    maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    connectTimeout: timeouts.connect,
    idleTimeout: timeouts.idle,
    keepAlive: timeouts.keepAlive,
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(options.proxy !== undefined && { proxy: options.proxy }),
  };
}
