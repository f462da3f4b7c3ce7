import type { Config, ListenerConfig } from '../../config/schema.ts';
import type { AccessLogs } from '../access-logs/access-logs.ts';
import { healthRoutes } from '../admin/health.ts';
import { type AdminServer, startAdminServer } from '../admin/server.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import type { RateLimits } from '../access/rates/rate-limits.ts';
import { Dispatcher } from '../gateway/dispatcher.ts';
import type { ConnectionLimit } from '../gateway/connection-limit.ts';
import { createListener, type Listener } from '../gateway/listener.ts';
import { Peers } from '../gateway/proxy-protocol/peers.ts';
import { proxyTrust } from '../gateway/proxy-trust.ts';
import { DEFAULT_STALL_LIMITS, StallWatch } from '../gateway/stall-watch.ts';
import type { BucketNames, Quotas } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import { type Readings, bytesInFlight } from '../observe/metrics/process-metrics.ts';
import type { Log } from '../observe/log.ts';
import { NEW_BUCKETS } from '../operations/bucket/create-bucket.ts';
import { OPERATIONS } from '../operations/index.ts';
import { HoldBudget } from '../protocol/body/hold-budget.ts';
import type { ClockGuard } from '../store/clock-guard.ts';
import { isStoreError } from '../store/store-error.ts';
import { type AdminAccess, openAdminAccess } from './admin-access.ts';
import { backgroundCall } from './background-call.ts';
import type { OpenBackend } from './backends.ts';
import { watchClock } from './watch-clock.ts';
import { connectionLimit, proxyProtocol } from './connection-bounds.ts';
import { bucketNames } from './bucket-rules.ts';
import { warnOfHiddenBuckets } from './hidden-names.ts';
import type { ReplaceableIdentities } from './accounts/identities.ts';
import { EventSending } from './events/event-sending.ts';
import { quotaTeller } from './events/quota-events.ts';
import { makeInitialBuckets } from './initial-buckets.ts';
import { type Inspection, openInspection } from './inspection.ts';
import { readTls, watchTls } from './listener-tls.ts';
import { openManifest, type OpenManifest } from './manifest.ts';
import { operationSettings } from './operation-settings.ts';
import { serveManagement } from './managed/management.ts';
import type { RunningManaged } from './managed/open-managed.ts';
import { type CurrentQuotas, openQuotas, quotaReadings } from './quotas.ts';
import { openRateLimits } from './rate-limits.ts';
import {
  accessLogReadings,
  connectionReadings,
  copyReadings,
  laneReadings,
  partReadings,
  settleReadings,
} from './telemetry/readings.ts';
import { openServerAccessLogs } from './server-access-logs.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { usageReadings } from './usage.ts';
import type { SecretSources } from './secrets.ts';
import { bindError, StartError, wordsOf } from './start-error.ts';

const PING_MS = 5000;
/** Listings of all buckets, at start. */
const NAMES_MS = 120_000;

interface ServiceOptions {
  readonly config: Config;
  readonly sources: SecretSources;
  readonly identities: ReplaceableIdentities;
  readonly currentQuotas: CurrentQuotas;
  /** Undefined: no accounts are managed by the admin API. */
  readonly managed: RunningManaged | undefined;
  readonly backends: readonly OpenBackend[];
  readonly log: Log;
  /** Other processes of this replica listen on the same ports. */
  readonly sharedPorts: boolean;
  /** What is wrong with the configuration as a whole is this process's to tell. */
  readonly speaksForAll: boolean;
  readonly telemetry: Telemetry;
}

/** The running gateway: listeners, admin port, background work. Backends are opened and closed around it. */
export interface RunningGateway {
  /** Base URLs of the listeners, in the order of the configuration. */
  readonly endpoints: readonly string[];
  /** Base URL of the admin port, when there is one. */
  readonly adminEndpoint: string | undefined;
  /** Fails readiness, accepts no more, lets requests under way finish within the grace, ends the rest. */
  drain(): Promise<void>;
}

/** Opens everything. When a step fails, what was opened before is closed. @throws StartError */
export async function startService(options: ServiceOptions): Promise<RunningGateway> {
  const service = new RunningService(options);
  try {
    await service.start();
    return service;
  } catch (error) {
    await service.drain();
    throw error;
  }
}

class RunningService implements RunningGateway {
  readonly #options: ServiceOptions;
  readonly #background = new AbortController();
  readonly #names: BucketNames;
  readonly #manifest: OpenManifest;
  readonly #inspection: Inspection;
  readonly #accessLogs: AccessLogs;
  readonly #events: EventSending;
  readonly #quotas: Quotas;
  readonly #dispatcher: Dispatcher;
  readonly #stalls: StallWatch;
  readonly #peers = new Peers();
  readonly #connections: ConnectionLimit;
  readonly #listeners: Listener[] = [];
  readonly #endpoints: string[] = [];
  readonly #watches: (() => void)[] = [];
  readonly #clock: ClockGuard;
  #clockAsked = -Infinity;
  #access: AdminAccess | undefined;
  #admin: AdminServer | undefined;
  #started = false;
  #draining = false;

  constructor(options: ServiceOptions) {
    this.#options = options;
    const { config, backends, log, telemetry } = options;
    const { accounts } = options.identities;
    const { bodyIdleMs: idleMs, minimumBodyRate: minimumRate } = config.timeouts;
    this.#stalls = new StallWatch({ ...DEFAULT_STALL_LIMITS, idleMs, minimumRate });
    this.#connections = connectionLimit(config, log, this.#peers);
    this.#names = bucketNames(backends, config.buckets);
    this.#manifest = openManifest({
      ...this.#names,
      bucketCacheMs: config.bucketCacheMs,
      versioningDrainMs: config.versioningDrainMs,
      maxObjectSize: config.limits.maxObjectSize,
      log,
      calls: telemetry.calls,
      signal: this.#background.signal,
    });
    this.#events = new EventSending({ ...options, ...this.#manifest, signal: this.#background.signal });
    const newCall = (signal: AbortSignal): Call => backgroundCall(signal, telemetry.calls);
    this.#quotas = openQuotas({
      ...options,
      newCall: () => newCall(this.#background.signal),
      tell: quotaTeller(config, options.sources),
    });
    const requests = { running: () => this.#dispatcher.running(), flush: () => telemetry.observers.flush() };
    const sessions = new Sessions({ accounts, keys: this.#options.identities.sealing });
    const shown = { ...this.#manifest, events: this.#events };
    this.#inspection = openInspection({ ...options, ...shown, accounts, sessions, newCall, requests });
    const changesRefused = (): string | undefined => this.#changesRefused();
    this.#accessLogs = openServerAccessLogs({ ...options, manifest: this.#manifest, newCall, changesRefused });
    for (const one of [...this.#inspection.observers, this.#accessLogs]) telemetry.observers.add(one);
    this.#clock = watchClock(options);
    const rates = openRateLimits(config, accounts);
    this.#dispatcher = this.#createDispatcher(rates.limits, sessions);
    telemetry.observe({
      ...this.#readings(),
      ...rates.readings,
      ...copyReadings(backends),
      ...partReadings(backends),
      ...accessLogReadings(this.#accessLogs),
      ...quotaReadings(this.#quotas),
      ...usageReadings({ ...options, accounts, newCall: () => newCall(this.#background.signal) }),
    });
  }

  #createDispatcher(rates: RateLimits, sessions: Sessions): Dispatcher {
    const { config, identities, telemetry, log } = this.#options;
    const { accounts } = identities;
    return new Dispatcher({
      changesRefused: () => this.#changesRefused(),
      accounts,
      sessions,
      rates,
      manifest: this.#manifest,
      operations: OPERATIONS,
      presignedV2: config.presignedV2,
      settings: operationSettings(config, this.#events.targets, this.#quotas),
      baseHosts: config.baseHosts,
      websiteHosts: config.websiteHosts,
      proxies: proxyTrust(config.trustedProxies, this.#namedPeers()),
      stalls: this.#stalls,
      connections: this.#connections,
      holdBudget: new HoldBudget(config.limits.heldBudgetBytes),
      observers: telemetry.observers,
      logOf: (bucket) => this.#accessLogs.logOf(bucket),
      calls: telemetry.calls,
      sampler: telemetry.sampler,
      log,
    });
  }

  /** Undefined: no listener speaks the PROXY protocol, and each connection is its peer's own. */
  #namedPeers(): Peers | undefined {
    const { listeners } = this.#options.config;
    return listeners.some(({ proxyProtocol: ranges }) => ranges.length > 0) ? this.#peers : undefined;
  }

  #readings(): Readings {
    return {
      s3gw_requests_in_flight: () => [[this.#dispatcher.inFlight]],
      ...connectionReadings(this.#connections),
      s3gw_in_flight_bytes: () => [[bytesInFlight(this.#dispatcher.running())]],
      s3gw_clock_skew_seconds: () => this.#clock.skews().map(([backend, skewMs]) => [skewMs / 1000, { backend }]),
      ...laneReadings(this.#options.backends),
      ...this.#events.readings(),
      ...settleReadings(() => this.#manifest.settler.backlog()),
    };
  }

  get endpoints(): readonly string[] {
    return this.#endpoints;
  }

  get adminEndpoint(): string | undefined {
    return this.#admin && baseUrl('http', this.#options.config.admin.host, this.#admin.address.port);
  }

  async start(): Promise<void> {
    const { config } = this.#options;
    if (config.admin.enabled) this.#admin = await this.#startAdmin(config.admin);
    await this.#requireBackends();
    await this.#requireSystemContainers();
    await this.#makeInitialBuckets();
    for (const listener of config.listeners) await this.#open(listener);
    this.#stalls.start();
    this.#events.start();
    this.#started = true;
    if (this.#options.speaksForAll) this.#lookForHiddenBuckets();
  }

  async drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    const { drainDelayMs, drainMs } = this.#options.config.timeouts;
    // Clients that come all the same are served, and sent elsewhere for the next request.
    this.#dispatcher.drain();
    if (this.#started && drainDelayMs > 0) await new Promise((done) => setTimeout(done, drainDelayMs));
    for (const stop of this.#watches) stop();
    this.#accessLogs.flush();
    const closed = Promise.all(this.#listeners.map((listener) => listener.close()));
    // A client that has left has no connection any more, but perhaps a commit under way.
    const { commits } = this.#manifest;
    const grace = setTimeout(() => {
      for (const listener of this.#listeners) listener.destroy();
      commits.end(new Error('the process ends'));
    }, drainMs);
    await closed;
    await commits.idle();
    clearTimeout(grace);
    this.#stalls.stop();
    this.#options.telemetry.observers.flush();
    await this.#accessLogs.close();
    await this.#quotas.close();
    await this.#manifest.settler.close();
    this.#background.abort();
    await this.#events.ended();
    await this.#admin?.close();
    this.#access?.close();
  }

  async #startAdmin(settings: Config['admin']): Promise<AdminServer> {
    const { host, port } = settings;
    const { log, sources } = this.#options;
    const { accounts } = this.#options.identities;
    const management = serveManagement({ ...this.#options, ...this.#names, accounts, manifest: this.#manifest });
    const access = openAdminAccess({ admin: settings, sources, log, onRefused: management?.onRefused });
    this.#access = access;
    const health = healthRoutes({
      started: () => this.#started,
      draining: () => this.#draining,
      clockWrongBy: () => this.#clock.wrongBy,
      backends: async () => ({
        total: this.#options.backends.length,
        failing: (await this.#failures()).map(({ name }) => name),
      }),
    });
    const parts = [
      health,
      access.guard,
      ...this.#options.telemetry.adminParts(access.metrics),
      ...this.#inspection.parts,
      ...(management === undefined ? [] : [management.part]),
    ];
    try {
      return await startAdminServer({ host, port, parts, log });
    } catch (error) {
      throw bindError('admin', host, port, error);
    }
  }

  /** While nothing is served, nothing is read off answers either: so the backends are asked now and then. */
  #changesRefused(): string | undefined {
    if (this.#clock.wrongBy === undefined) return undefined;
    const now = performance.now();
    if (now - this.#clockAsked > PING_MS) {
      this.#clockAsked = now;
      void this.#failures();
    }
    return 'The clock of this server is wrong. Please try again on another one, or later.';
  }

  /** A gateway none of whose backends answers serves nothing: better to say so at once. */
  async #requireBackends(): Promise<void> {
    const failures = await this.#failures();
    const lines = failures.map(
      ({ name, endpoint, reason }) => `backends.${name}: no usable answer from ${endpoint} (${reason})`,
    );
    if (failures.length === this.#options.backends.length) throw new StartError(lines);
    for (const line of lines) this.#options.log.warn({}, line);
  }

  /**
   * Refuses to start on a system container that belongs to somebody else: if its permissions allowed it, the gateway
   * would store its records there. A system container that does not exist yet is made with the first record. Any other
   * fault shows in requests.
   */
  async #requireSystemContainers(): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(PING_MS), this.#background.signal]);
    const { backends, telemetry } = this.#options;
    const call = backgroundCall(signal, telemetry.calls);
    const lines = await Promise.all(
      backends.map(async ({ name, store, systemContainer }) => {
        const error: unknown = await store.headContainer(systemContainer, call).catch((thrown: unknown) => thrown);
        return isStoreError(error, 'containerBusy') ? [`backends.${name}.systemContainer: ${wordsOf(error)}`] : [];
      }),
    );
    if (lines.flat().length > 0) throw new StartError(lines.flat());
  }

  async #makeInitialBuckets(): Promise<void> {
    const { config, telemetry } = this.#options;
    const wanted = { names: config.buckets.initial, defaults: NEW_BUCKETS[config.newBuckets] };
    const signal = AbortSignal.any([AbortSignal.timeout(NAMES_MS), this.#background.signal]);
    const { realm, buckets } = { ...this.#names, ...this.#manifest };
    await makeInitialBuckets({ ...wanted, realm, buckets }, backgroundCall(signal, telemetry.calls));
  }

  /** Beside serving, and only where the configuration gives names away. */
  #lookForHiddenBuckets(): void {
    const { config, backends, log, telemetry } = this.#options;
    const { aliases, prefixes } = config.buckets;
    if (backends.length === 1 && aliases.length + prefixes.length === 0) return;
    const signal = AbortSignal.any([AbortSignal.timeout(NAMES_MS), this.#background.signal]);
    void warnOfHiddenBuckets(this.#names, log, backgroundCall(signal, telemetry.calls));
  }

  async #failures(): Promise<{ name: string; endpoint: string; reason: string }[]> {
    const signal = AbortSignal.any([AbortSignal.timeout(PING_MS), this.#background.signal]);
    const results = await Promise.all(
      this.#options.backends.map(async ({ name, endpoint, store }) => {
        try {
          await store.ping(backgroundCall(signal, this.#options.telemetry.calls));
          return undefined;
        } catch (error) {
          return { name, endpoint, reason: wordsOf(error) };
        }
      }),
    );
    return results.filter((result) => result !== undefined);
  }

  async #open(settings: ListenerConfig): Promise<void> {
    const { config, sharedPorts: reusePort } = this.#options;
    const { host, port, tls, proxyProtocol: ranges } = settings;
    const material = tls && readTls(tls, this.#options.sources);
    const proxied = proxyProtocol(
      { ranges, headersMs: config.timeouts.headersMs, peers: this.#peers },
      this.#options.log,
    );
    const timeouts = { headersMs: config.timeouts.headersMs, keepAliveMs: config.keepAliveMs };
    const options = {
      host,
      port,
      reusePort,
      timeouts,
      connections: this.#connections,
      ...proxied,
      ...(material !== undefined && { tls: material }),
    };
    const listener = await createListener(options, this.#dispatcher).catch((error: unknown) => {
      throw new StartError(
        [`listeners: certificate and key for ${host}:${port} are not usable (${wordsOf(error)})`],
        error,
      );
    });
    const address = await listener.listen().catch((error: unknown) => {
      throw bindError('gateway', host, port, error);
    });
    this.#listeners.push(listener);
    this.#endpoints.push(baseUrl(listener.scheme, host, address.port));
    if (tls !== undefined) this.#watches.push(watchTls(listener, tls, this.#options));
  }
}

function baseUrl(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
