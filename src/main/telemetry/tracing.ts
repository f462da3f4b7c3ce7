import { SpanKind } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler, AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, type Sampler, SamplingDecision, type SpanExporter, TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Environment } from '../../../config/load.ts';
import type { HeadSampler } from '../../observe/trace-context.ts';
import { SpanExport } from '../../observe/tracing/span-export.ts';
import { StartError } from '../start-error.ts';
import { firstSet, unknown } from './variables.ts';

export interface Tracing {
  readonly sampler: HeadSampler;
  readonly observer: SpanExport;
  /** Exports what is still waiting. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly environment: Environment;
  readonly resource: Resource;
  readonly keepNotable: boolean;
  readonly slowMs: number;
}

/** Each is loaded only when it is used. */
const EXPORTERS: Readonly<Record<string, () => Promise<SpanExporter>>> = {
  'http/protobuf': async () => new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(),
  'http/json': async () => new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(),
  'grpc': async () => new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter(),
};

const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/**
 * Export of spans by OTLP, as the standard variables have it. The exporters read endpoint, headers, certificates, compression
 * and time limits from there themselves.
 * @throws StartError naming a variable whose value is not known
 */
export async function startTracing({ environment, resource, keepNotable, slowMs }: TracingOptions): Promise<Tracing> {
  const sampler = samplerOf(environment);
  const exporter = await exporterOf(environment)();
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: count(environment, 'OTEL_BSP_MAX_QUEUE_SIZE', 8192),
    maxExportBatchSize: count(environment, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    scheduledDelayMillis: count(environment, 'OTEL_BSP_SCHEDULE_DELAY', 5000),
    exportTimeoutMillis: count(environment, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  });
  return {
    sampler: (parent, traceId) =>
      sampler.shouldSample(parent, traceId, '', SpanKind.SERVER, {}, []).decision === SamplingDecision.RECORD_AND_SAMPLED,
    observer: new SpanExport({ sink: processor, resource, keepNotable: keepNotable && environment['OTEL_TRACES_SAMPLER'] !== 'always_off', slowMs }),
    close: () => processor.shutdown().catch(() => undefined),
  };
}

function exporterOf(environment: Environment): () => Promise<SpanExporter> {
  const [name, protocol] = firstSet(environment, ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'], 'http/protobuf');
  const exporter = EXPORTERS[protocol];
  if (exporter === undefined) throw unknown(name, protocol, Object.keys(EXPORTERS));
  return exporter;
}

function samplerOf(environment: Environment): Sampler {
  const [name, kind] = firstSet(environment, ['OTEL_TRACES_SAMPLER'], 'parentbased_always_on');
  const sampler = SAMPLERS[kind];
  if (sampler === undefined) throw unknown(name, kind, Object.keys(SAMPLERS));
  const [argument, ratio] = firstSet(environment, ['OTEL_TRACES_SAMPLER_ARG'], '1');
  if (!(Number(ratio) >= 0 && Number(ratio) <= 1)) throw new StartError([`${argument}: expected a number from 0 to 1, got ${ratio}`]);
  return sampler(Number(ratio));
}

function count(environment: Environment, name: string, fallback: number): number {
  const text = environment[name] ?? '';
  if (text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new StartError([`${name}: expected a whole number above 0, got ${text}`]);
  return Number(text);
}
