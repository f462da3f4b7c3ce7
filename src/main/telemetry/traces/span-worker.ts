import { parentPort, workerData } from 'node:worker_threads';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace';
import { readableSpan } from '../../../observe/tracing/span-record.ts';
import type { Protocol, SpanOrder, SpanReport, SpanWorkerSettings } from './messages.ts';

/*
 * The thread that exports spans, started by `SpanThread`. The exporters read endpoint, headers, certificates,
 * compression and time limits from the standard variables themselves.
 */

/** Each is loaded only when it is used. */
const EXPORTERS: Readonly<Record<Protocol, () => Promise<SpanExporter>>> = {
  'http/protobuf': async () => new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(),
  'http/json': async () => new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(),
  grpc: async () => new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter(),
};

const { protocol, resource: attributes, ...limits } = workerData as SpanWorkerSettings;
const report = (message: SpanReport): void => parentPort?.postMessage(message);
const quiet = (): void => undefined;

diag.setLogger(
  {
    error: (text) => report({ level: 'error', text }),
    warn: (text) => report({ level: 'warn', text }),
    info: quiet,
    debug: quiet,
    verbose: quiet,
  },
  { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
);

const resource = resourceFromAttributes(attributes);
const processor = new BatchSpanProcessor({ exporter: await EXPORTERS[protocol](), ...limits });

parentPort?.on('message', (order: SpanOrder) => {
  if ('close' in order) {
    processor
      .shutdown()
      .catch(quiet)
      .finally(() => report({ closed: true }));
    return;
  }
  for (const span of order.spans) processor.onEnd(readableSpan(span, resource));
  report({ taken: order.spans.length });
});
report({ ready: true });
