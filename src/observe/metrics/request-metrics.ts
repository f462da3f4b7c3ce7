import type { HrTime } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import type { CollectionResult, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { BackendCallFacts, Denial } from '../call-facts.ts';
import type { RequestFacts, RequestObserver } from '../request-facts.ts';
import { INSTRUMENTS, type InstrumentDeclaration, type InstrumentName } from './instruments.ts';
import { CounterTally, HistogramTally } from './tally.ts';

type NamesOf<K extends InstrumentDeclaration['kind']> = {
  [N in InstrumentName]: (typeof INSTRUMENTS)[N]['kind'] extends K ? N : never;
}[InstrumentName];

const SCOPE = { name: 's3-cloud-gateway' };
const CONFLICTS: ReadonlySet<string> = new Set([
  'PreconditionFailed',
  'ConditionalRequestConflict',
  'OperationAborted',
]);
/** Statuses as texts, made once. */
const SHOWN_STATUS: readonly string[] = Array.from({ length: 600 }, (_, status) => String(status));

/** Counts what requests and their calls to backends come to; the SDK's reader asks for it. */
export class RequestMetrics implements RequestObserver, MetricProducer {
  readonly #counters = instruments<'counter', CounterTally>('counter', CounterTally);
  readonly #histograms = instruments<'histogram', HistogramTally>('histogram', HistogramTally);
  readonly #startTime = now();

  ended(facts: RequestFacts): void {
    const { operation, status, firstByte, failure } = facts;
    const counters = this.#counters;
    counters.s3gw_requests.add(1, operation, shownStatus(facts));
    counters.s3gw_received_bytes.add(facts.bytesIn, operation);
    counters.s3gw_sent_bytes.add(facts.bytesOut, operation);
    this.#histograms.s3gw_request_duration_seconds.record(facts.durationMs / 1000, operation, outcomeOf(status, facts));
    if (firstByte !== undefined) {
      this.#histograms.s3gw_time_to_first_byte_seconds.record((firstByte - facts.arrived) / 1000, operation);
    }
    if (facts.clientLeft) counters.s3gw_clients_left.add(1, operation);
    if (failure !== undefined) this.#failed(facts, String(failure.code ?? 'InternalError'));
  }

  /** Also of work that belongs to no request. */
  backendCall({ system, operation: call, outcome: result, attempt, started, ended }: BackendCallFacts): void {
    const counters = this.#counters;
    counters.s3gw_backend_calls.add(1, system, call, result);
    if (ended !== undefined) {
      this.#histograms.s3gw_backend_call_duration_seconds.record((ended - started) / 1000, system, call);
    }
    if (attempt > 1) counters.s3gw_backend_retries.add(1, system, call);
    if (result === 'throttled') counters.s3gw_backend_throttles.add(1, system);
  }

  denied({ system, operation: call }: Denial): void {
    this.#counters.s3gw_backend_denials.add(1, system, call);
  }

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.#startTime, endTime: now() };
    const tallies = [
      ...Object.values<CounterTally>(this.#counters),
      ...Object.values<HistogramTally>(this.#histograms),
    ];
    const metrics = tallies.map((tally) => tally.data(times)).filter(({ dataPoints }) => dataPoints.length > 0);
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: SCOPE, metrics }] }, errors: [] };
  }

  #failed({ operation, auth }: RequestFacts, code: string): void {
    const counters = this.#counters;
    counters.s3gw_errors.add(1, operation, code);
    if (CONFLICTS.has(code)) counters.s3gw_conditional_conflicts.add(1, operation, code);
    if (auth?.failure !== undefined) counters.s3gw_auth_failures.add(1, code);
  }
}

function instruments<K extends 'counter' | 'histogram', T>(
  kind: K,
  Tally: new (name: string, declaration: InstrumentDeclaration) => T,
): Readonly<Record<NamesOf<K>, T>> {
  const own = Object.entries<InstrumentDeclaration>(INSTRUMENTS).filter(([, declaration]) => declaration.kind === kind);
  return Object.fromEntries(own.map(([name, declaration]) => [name, new Tally(name, declaration)])) as Record<
    NamesOf<K>,
    T
  >;
}

/** A client that left may have seen nothing of an answer whose status was set. */
function shownStatus({ status, clientLeft, firstByte }: RequestFacts): string {
  return clientLeft && firstByte === undefined ? 'none' : (SHOWN_STATUS[status] ?? String(status));
}

function outcomeOf(status: number, { clientLeft }: RequestFacts): string {
  if (clientLeft) return 'client_left';
  return status >= 500 ? '5xx' : status >= 400 ? '4xx' : 'ok';
}

function now(): HrTime {
  const ms = Date.now();
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}
