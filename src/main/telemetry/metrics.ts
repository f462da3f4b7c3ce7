import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Meter } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider, type MetricProducer, MetricReader } from '@opentelemetry/sdk-metrics';

/** Gathers metrics when they are asked for: Prometheus comes and fetches them. */
class PullReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Metrics {
  readonly meter: Meter;
  /** All metrics in the text format of Prometheus. */
  render(): Promise<string>;
  close(): Promise<void>;
}

/**
 * The OpenTelemetry SDK with one reader, which serves Prometheus.
 * @param producers of metrics that are counted elsewhere
 */
export function startMetrics(resource: Resource, producers: readonly MetricProducer[]): Metrics {
  const reader = new PullReader({ metricProducers: [...producers] });
  const provider = new MeterProvider({ readers: [reader], resource });
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
