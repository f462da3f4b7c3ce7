import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Meter } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider, MetricReader, type ViewOptions } from '@opentelemetry/sdk-metrics';
import { ERROR_TABLE } from '../../errors/error-table.ts';
import type { BackendCalls } from '../../observe/call-watch.ts';
import { OPERATION_TABLE } from '../../protocol/operation-table.ts';
import { type Readings, observe, processReadings } from '../../observe/metrics/process-metrics.ts';
import { RequestMetrics } from '../../observe/metrics/request-metrics.ts';
import type { RequestObservers } from '../../observe/request-observers.ts';

/** Gathers metrics when they are asked for: Prometheus comes and fetches them. */
class PullReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * A label set for each operation (`Unknown` is one) and each error code. The SDK keeps 2,000 unless told otherwise, and
 * counts what comes later in one series without these labels: strangers who provoke errors could hide those of others.
 */
const EVERY_ERROR: ViewOptions = {
  instrumentName: 's3gw_errors',
  aggregationCardinalityLimit: (OPERATION_TABLE.length + 1) * Object.keys(ERROR_TABLE).length + 1,
};

export interface Metrics {
  readonly meter: Meter;
  /** All metrics in the text format of Prometheus. */
  render(): Promise<string>;
  close(): Promise<void>;
}

/** The OpenTelemetry SDK with one reader, which serves Prometheus. */
export function startMetrics(resource: Resource): Metrics {
  const reader = new PullReader();
  const provider = new MeterProvider({ readers: [reader], resource, views: [EVERY_ERROR] });
  const serializer = new PrometheusSerializer('', false, undefined, false, true);
  return {
    meter: provider.getMeter('s3-cloud-gateway'),
    async render() {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw new AggregateError(errors, 'metrics could not be gathered');
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}

/** What a process counts and measures, for Prometheus. */
export interface Measuring {
  /** All metrics in the text format of Prometheus, with all requests and calls that have ended. */
  render(): Promise<string>;
  /** Values that other parts of the process have. */
  observe(readings: Readings): void;
  close(): Promise<void>;
}

/** Only where somebody can fetch it. */
export function startMeasuring(
  resource: Resource,
  { observers, calls }: { readonly observers: RequestObservers; readonly calls: BackendCalls },
): Measuring {
  const metrics = startMetrics(resource);
  const requests = new RequestMetrics(metrics.meter);
  const ofProcess = processReadings();
  observers.add(requests);
  calls.onCall((call) => requests.backendCall(call));
  calls.onDenial((denial) => requests.denied(denial));
  observe(metrics.meter, {
    ...ofProcess.readings,
    s3gw_call_facts_without_room: () => [[calls.room.withoutRoom]],
  });
  return {
    render() {
      observers.flush();
      calls.flush();
      return metrics.render();
    },
    observe: (readings) => observe(metrics.meter, readings),
    close() {
      ofProcess.close();
      return metrics.close();
    },
  };
}
