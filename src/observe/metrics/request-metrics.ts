import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { BackendCallFacts, Denial } from '../call-facts.ts';
import type { RequestFacts, RequestObserver } from '../request-facts.ts';
import { INSTRUMENTS, type InstrumentDeclaration, type InstrumentName } from './instruments.ts';

type NamesOf<K extends InstrumentDeclaration['kind']> = {
  [N in InstrumentName]: (typeof INSTRUMENTS)[N]['kind'] extends K ? N : never;
}[InstrumentName];

const CONFLICTS: ReadonlySet<string> = new Set([
  'PreconditionFailed',
  'ConditionalRequestConflict',
  'OperationAborted',
]);

/** Counts what requests and their calls to backends come to. */
export class RequestMetrics implements RequestObserver {
  readonly #counters: Readonly<Record<NamesOf<'counter'>, Counter>>;
  readonly #histograms: Readonly<Record<NamesOf<'histogram'>, Histogram>>;

  constructor(meter: Meter) {
    this.#counters = instruments('counter', (name, options) => meter.createCounter(name, options));
    this.#histograms = instruments('histogram', (name, options, { buckets = [] }) =>
      meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...buckets] } }),
    );
  }

  ended(facts: RequestFacts): void {
    const { operation, status, firstByte, failure } = facts;
    const [counters, histograms] = [this.#counters, this.#histograms];
    counters.s3gw_requests.add(1, { operation, status: shownStatus(facts) });
    counters.s3gw_received_bytes.add(facts.bytesIn, { operation });
    counters.s3gw_sent_bytes.add(facts.bytesOut, { operation });
    const result = resultOf(status, facts);
    histograms.s3gw_request_duration_seconds.record(facts.durationMs / 1000, { operation, result });
    if (firstByte !== undefined) {
      histograms.s3gw_time_to_first_byte_seconds.record((firstByte - facts.arrived) / 1000, { operation });
    }
    if (facts.clientLeft) counters.s3gw_clients_left.add(1, { operation });
    if (failure !== undefined) this.#failed(facts, String(failure.code ?? 'InternalError'));
  }

  /** Also of work that belongs to no request. */
  backendCall({ system: backend, operation: call, outcome: result, attempt, started, ended }: BackendCallFacts): void {
    const counters = this.#counters;
    counters.s3gw_backend_calls.add(1, { backend, call, result });
    if (ended !== undefined) {
      this.#histograms.s3gw_backend_call_duration_seconds.record((ended - started) / 1000, { backend, call });
    }
    if (attempt > 1) counters.s3gw_backend_retries.add(1, { backend, call });
    if (result === 'throttled') counters.s3gw_backend_throttles.add(1, { backend });
  }

  denied({ system: backend, operation: call }: Denial): void {
    this.#counters.s3gw_backend_denials.add(1, { backend, call });
  }

  #failed({ operation, auth }: RequestFacts, code: string): void {
    const counters = this.#counters;
    counters.s3gw_errors.add(1, { operation, code });
    if (CONFLICTS.has(code)) counters.s3gw_conditional_conflicts.add(1, { operation, code });
    if (auth?.failure !== undefined) counters.s3gw_auth_failures.add(1, { reason: code });
  }
}

interface Described {
  readonly description: string;
  readonly unit?: string;
}

function instruments<K extends 'counter' | 'histogram', T>(
  kind: K,
  make: (name: string, options: Described, declaration: InstrumentDeclaration) => T,
): Readonly<Record<NamesOf<K>, T>> {
  const own = Object.entries<InstrumentDeclaration>(INSTRUMENTS).filter(([, declaration]) => declaration.kind === kind);
  return Object.fromEntries(
    own.map(([name, declaration]) => {
      const { help, unit } = declaration;
      return [name, make(name, { description: help, ...(unit !== undefined && { unit }) }, declaration)];
    }),
  ) as Record<NamesOf<K>, T>;
}

/** A client that left may have seen nothing of an answer whose status was set. */
function shownStatus({ status, clientLeft, firstByte }: RequestFacts): string {
  return clientLeft && firstByte === undefined ? 'none' : String(status);
}

function resultOf(status: number, { clientLeft }: RequestFacts): string {
  if (clientLeft) return 'client_left';
  return status >= 500 ? '5xx' : status >= 400 ? '4xx' : 'ok';
}
