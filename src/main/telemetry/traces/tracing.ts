import type { Resource } from '@opentelemetry/resources';
import type { Environment } from '../../../../config/load.ts';
import type { Log } from '../../../observe/log.ts';
import type { HeadSampler } from '../../../observe/trace-context.ts';
import { SpanExport } from '../../../observe/tracing/span-export.ts';
import { firstLine, StartError } from '../../start-error.ts';
import { firstSet, unknown } from '../variables.ts';
import { type Protocol, PROTOCOLS, type SpanWorkerSettings } from './messages.ts';
import { samplerOf } from './sampler.ts';
import { SpanThread } from './span-thread.ts';

export interface Tracing {
  readonly sampler: HeadSampler;
  readonly observer: SpanExport;
  /** Exports what is still waiting. Never rejects. */
  close(): Promise<void>;
}

interface TracingOptions {
  readonly environment: Environment;
  readonly resource: Resource;
  readonly log: Log;
  readonly keepNotable: boolean;
  readonly slowMs: number;
}

/**
 * Export of spans by OTLP, as the standard variables have it.
 * @throws StartError naming a variable whose value is not known, or saying why there is no exporter
 */
export async function startTracing({
  environment,
  resource,
  log,
  keepNotable,
  slowMs,
}: TracingOptions): Promise<Tracing> {
  const sampler = samplerOf(environment);
  const settings: SpanWorkerSettings = {
    protocol: protocolOf(environment),
    resource: { ...resource.attributes },
    maxQueueSize: count(environment, 'OTEL_BSP_MAX_QUEUE_SIZE', 8192),
    maxExportBatchSize: count(environment, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    scheduledDelayMillis: count(environment, 'OTEL_BSP_SCHEDULE_DELAY', 5000),
    exportTimeoutMillis: count(environment, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  };
  const sink = await SpanThread.start({ settings, environment, log }).catch((error: unknown) => {
    throw new StartError([`traces cannot be exported: ${firstLine(error)}`], error);
  });
  return {
    sampler,
    observer: new SpanExport({
      sink,
      keepNotable: keepNotable && environment['OTEL_TRACES_SAMPLER'] !== 'always_off',
      slowMs,
    }),
    close: () => sink.close(),
  };
}

function protocolOf(environment: Environment): Protocol {
  const [name, wanted] = firstSet(
    environment,
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    'http/protobuf',
  );
  const protocol = PROTOCOLS.find((known) => known === wanted);
  if (protocol === undefined) throw unknown(name, wanted, PROTOCOLS);
  return protocol;
}

function count(environment: Environment, name: string, fallback: number): number {
  const text = environment[name] ?? '';
  if (text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new StartError([`${name}: expected a whole number above 0, got ${text}`]);
  return Number(text);
}
