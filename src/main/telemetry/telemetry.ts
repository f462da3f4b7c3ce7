import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import type { Environment } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import type { RouteAccess } from '../../admin/guard/route-access.ts';
import type { AdminPart } from '../../admin/server.ts';
import { metricsRoutes } from '../../admin/metrics/routes.ts';
import { BackendCalls } from '../../observe/call-watch.ts';
import type { Log } from '../../observe/log.ts';
import { bytesInFlight } from '../../observe/metrics/in-flight-bytes.ts';
import { observe, processReadings, type Readings } from '../../observe/metrics/process-metrics.ts';
import { RequestMetrics } from '../../observe/metrics/request-metrics.ts';
import { redactText } from '../../observe/redact.ts';
import { RequestObservers } from '../../observe/request-observers.ts';
import type { HeadSampler } from '../../observe/trace-context.ts';
import { siblingWorkers } from '../workers/siblings.ts';
import { openAccessLog } from './access-log.ts';
import { startMetrics } from './metrics.ts';
import { processResource } from './resource.ts';
import type { Tracing } from './tracing.ts';
import { wantsTraces } from './variables.ts';

export interface TelemetryOptions {
  readonly config: Config;
  /** That relative file names start from. */
  readonly folder: string;
  readonly environment: Environment;
  readonly log: Log;
}

/** Traces, metrics and access log of a process, as far as anybody wants them. */
export interface Telemetry {
  /** The journal is one more of them. */
  readonly observers: RequestObservers;
  readonly calls: BackendCalls;
  /** Undefined: nothing is traced. */
  readonly sampler: HeadSampler | undefined;
  /** What the admin port shows of it. @param metrics who may see them */
  adminParts(metrics: RouteAccess): readonly AdminPart[];
  /** Values that other parts of the process have. */
  observe(readings: Readings): void;
  /** Hands on what has not been handed on yet. */
  close(): Promise<void>;
}

/** Ends at the latest then: a collector that does not answer must not keep the process. */
const CLOSE_MS = 5000;

/** @throws StartError */
export async function startTelemetry({ config, folder, environment, log }: TelemetryOptions): Promise<Telemetry> {
  const observers = new RequestObservers(log);
  const calls = new BackendCalls({ maxCalls: config.tracing.waitingCalls, maxBytes: config.tracing.waitingBytes });
  const closing: (() => unknown)[] = [];
  const resource = processResource();
  const siblings = siblingWorkers();
  diag.setLogger(diagLogger(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });

  const tracing = wantsTraces(environment) ? await startTraces() : undefined;
  if (tracing !== undefined) {
    observers.add(tracing.observer);
    closing.push(() => tracing.close());
  }
  const accessLog = openAccessLog(config.accessLog, folder, log);
  if (accessLog !== undefined) {
    observers.add(accessLog.observer);
    closing.push(() => accessLog.close());
  }
  /** The SDK takes a tenth of a second to load. */
  async function startTraces(): Promise<Tracing> {
    const { startTracing } = await import('./tracing.ts');
    return startTracing({ environment, resource, keepNotable: config.tracing.keepNotable, slowMs: config.slowMs });
  }

  const parts = config.admin.enabled ? startMeasuring() : undefined;

  /** Only where somebody can fetch it. */
  function startMeasuring(): { readonly render: () => Promise<string>; readonly observe: (readings: Readings) => void } {
    const requests = new RequestMetrics();
    const metrics = startMetrics(resource, [requests]);
    const ofProcess = processReadings();
    observers.add(requests);
    calls.onCall((call) => requests.backendCall(call));
    observe(metrics.meter, {
      ...ofProcess.readings,
      s3gw_in_flight_bytes: () => [[bytesInFlight(observers.running)]],
      s3gw_call_facts_without_room: () => [[calls.room.withoutRoom]],
    });
    closing.push(() => ofProcess.close(), () => metrics.close());
    return { render: () => metrics.render(), observe: (readings) => observe(metrics.meter, readings) };
  }

  return {
    observers,
    calls,
    sampler: tracing?.sampler,
    adminParts: (access) => (parts === undefined ? [] : [metricsRoutes(parts.render, access, siblings)]),
    observe: (readings) => parts?.observe(readings),
    async close() {
      const late = new Promise((done) => setTimeout(done, CLOSE_MS).unref());
      await Promise.race([Promise.allSettled(closing.map((close) => close())), late]);
    },
  };
}

/** What the SDK has to say, mostly that a collector does not answer. */
function diagLogger(log: Log): DiagLogger {
  const quiet = (): void => undefined;
  return {
    error: (message) => log.warn({}, `telemetry: ${redactText(message)}`),
    warn: (message) => log.warn({}, `telemetry: ${redactText(message)}`),
    info: quiet,
    debug: quiet,
    verbose: quiet,
  };
}
