import type { Attributes } from '@opentelemetry/api';
import type { SpanRecord } from '../../../observe/tracing/span-record.ts';

/** What the thread that exports spans is started with. */
export interface SpanWorkerSettings {
  /** Of OTLP; one of `PROTOCOLS`. */
  readonly protocol: Protocol;
  /** Attributes of what all spans are of. */
  readonly resource: Attributes;
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

export const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** To the thread. After `close` nothing more comes. */
export type SpanOrder = { readonly spans: readonly SpanRecord[] } | { readonly close: true };

/** From the thread: it can take spans; has taken so many; has exported all; the SDK has something to say. */
export type SpanReport =
  | { readonly ready: true }
  | { readonly taken: number }
  | { readonly closed: true }
  | { readonly level: 'warn' | 'error'; readonly text: string };
