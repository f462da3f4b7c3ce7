import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { Environment } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import type { RouteAccess } from '../../admin/guard/guard.ts';
import type { AdminPart } from '../../admin/server.ts';
import { metricsRoutes } from '../../admin/metrics/routes.ts';
import { BackendCalls } from '../../observe/call-watch.ts';
import { Denials } from '../../observe/denials.ts';
import type { Log } from '../../observe/log.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';
import { redactText } from '../../observe/redact.ts';
import { RequestObservers } from '../../observe/request-observers.ts';
import type { HeadSampler } from '../../observe/trace-context.ts';
import { siblingWorkers } from '../workers/siblings.ts';
import { openAccessLog, type OpenAccessLog } from './access-log.ts';
import { type Measuring, startMeasuring } from './metrics.ts';
import { processResource } from './resource.ts';
import type { Tracing } from './traces/tracing.ts';
import { wantsTraces } from './variables.ts';

interface TelemetryOptions {
  readonly config: Config;
  /** That relative file names start from. */
  readonly folder: string;
  readonly environment: Environment;
  readonly log: Log;
}

/** Traces, metrics and access log of a process, as far as they are configured. */
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
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  diag.setLogger(diagLogger(options.log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const resource = processResource();
  const tracing = await startTraces(options, resource);
  const accessLog = openAccessLog(options.config.accessLog, options.folder, options.log);
  return new RunningTelemetry(options, { resource, tracing, accessLog });
}

/** The SDK takes a tenth of a second to load: not for nothing. */
async function startTraces(
  { config, environment, log }: TelemetryOptions,
  resource: Resource,
): Promise<Tracing | undefined> {
  if (!wantsTraces(environment)) return undefined;
  const { startTracing } = await import('./traces/tracing.ts');
  return startTracing({ environment, resource, log, keepNotable: config.tracing.keepNotable, slowMs: config.slowMs });
}

interface Parts {
  readonly resource: Resource;
  readonly tracing: Tracing | undefined;
  readonly accessLog: OpenAccessLog | undefined;
}

class RunningTelemetry implements Telemetry {
  readonly observers: RequestObservers;
  readonly calls: BackendCalls;
  readonly #parts: Parts;
  readonly #measuring: Measuring | undefined;
  readonly #siblings = siblingWorkers();

  constructor({ config, log }: TelemetryOptions, parts: Parts) {
    const { resource, tracing, accessLog } = parts;
    this.#parts = parts;
    this.observers = new RequestObservers(log);
    this.calls = new BackendCalls({ maxCalls: config.tracing.waitingCalls, maxBytes: config.tracing.waitingBytes });
    this.calls.onDenial(new Denials(log).denied);
    if (tracing !== undefined) this.observers.add(tracing.observer);
    if (accessLog !== undefined) this.observers.add(accessLog.observer);
    this.#measuring = config.admin.enabled ? startMeasuring(resource, this) : undefined;
  }

  get sampler(): HeadSampler | undefined {
    return this.#parts.tracing?.sampler;
  }

  adminParts(access: RouteAccess): readonly AdminPart[] {
    const measuring = this.#measuring;
    return measuring === undefined ? [] : [metricsRoutes(() => measuring.render(), access, this.#siblings)];
  }

  observe(readings: Readings): void {
    this.#measuring?.observe(readings);
  }

  async close(): Promise<void> {
    const { tracing, accessLog } = this.#parts;
    this.observers.flush();
    accessLog?.close();
    const late = new Promise((done) => setTimeout(done, CLOSE_MS).unref());
    await Promise.race([Promise.allSettled([tracing?.close(), this.#measuring?.close()]), late]);
  }
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
