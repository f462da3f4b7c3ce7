import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import type { FaultPlan } from '../support/backends/fault-proxy/fault.ts';
import { startFaultProxy } from '../support/backends/fault-proxy/fault-proxy.ts';
import { startTlsFront } from '../support/backends/tls-front.ts';
import { findGoServer, startGoServer } from '../support/backends/go-servers.ts';
import type { BackendName, TestbedOptions } from './options.ts';

/** Account and key of Microsoft's emulators: the same everywhere, and published. */
export const DEVELOPMENT_ACCOUNT = 'devstoreaccount1';
export const DEVELOPMENT_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
/** Of the machine's memory, for what Azurite keeps: acceptance tests store several GiB at once. */
const MEMORY_SHARE = 0.7;
const KEY_VARIABLE = 'TESTBED_AZURE_KEY';

export interface TestbedBackend {
  /** What the test bed prints. */
  readonly description: {
    readonly kind: string;
    /** Where others look at it, by http. */
    readonly endpoint: string;
    /** Where the gateways reach it, if that is elsewhere. */
    readonly tlsEndpoint?: string;
    readonly pid?: number;
  };
  /** Environment of the gateways. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface BackendOptions extends TestbedOptions {
  /** Of faults, by whoever starts the backend in this process; instead of `faultPlan`. */
  readonly plan?: FaultPlan;
}

/** @throws Error when it does not come up, or cannot be built here */
export async function startBackend(options: BackendOptions): Promise<TestbedBackend> {
  const backend = await STARTERS[options.backend](options);
  const withFaults =
    options.faultPlan === undefined && options.plan === undefined
      ? backend
      : await around(backend, async () =>
          behindProxy(backend, options.plan ?? (await loadPlan(options.faultPlan ?? ''))),
        );
  const started = options.backendTls ? await around(withFaults, () => behindTls(withFaults)) : withFaults;
  if (options.tiers === undefined) return started;
  return { ...started, settings: { ...started.settings, S3GW_STORAGE_CLASSES: '{}' } };
}

/** What `put` puts before a backend, which is stopped if that fails. */
async function around(backend: TestbedBackend, put: () => Promise<TestbedBackend>): Promise<TestbedBackend> {
  try {
    return await put();
  } catch (error) {
    await backend.stop();
    throw error;
  }
}

async function behindTls({ description, stop }: TestbedBackend): Promise<TestbedBackend> {
  const front = await startTlsFront(description.endpoint);
  return {
    description: { ...description, tlsEndpoint: front.endpoint },
    settings: { ...settingsFor(description.kind, front.endpoint), S3GW_OUTBOUND__CA_FILE: front.caFile },
    async stop() {
      await front.stop();
      await stop();
    },
  };
}

function settingsFor(kind: string, endpoint: string): Record<string, string> {
  return kind === 'azure' ? azureSettings(endpoint) : gcsSettings(endpoint);
}

async function loadPlan(module: string): Promise<FaultPlan> {
  const { default: plan } = (await import(pathToFileURL(resolve(module)).href)) as { default?: FaultPlan };
  if (typeof plan !== 'function') throw new Error(`--fault-plan: ${module} has no function as its default export`);
  return plan;
}

async function behindProxy({ description, stop }: TestbedBackend, plan: FaultPlan): Promise<TestbedBackend> {
  const service = description.kind === 'azure' ? 'azure' : 'gcs';
  const proxy = await startFaultProxy({ service, endpoint: description.endpoint, accountKey: DEVELOPMENT_KEY, plan });
  const { endpoint } = proxy;
  return {
    description: { ...description, endpoint },
    settings: settingsFor(description.kind, endpoint),
    async stop() {
      await proxy.stop();
      await stop();
    },
  };
}

const STARTERS: Readonly<Record<BackendName, (options: TestbedOptions) => Promise<TestbedBackend>>> = {
  memory: async () => ({ description: { kind: 'memory', endpoint: 'memory' }, settings: {}, stop: nothing }),
  azure: startAzure,
  gcs: startGcs,
  'gcs-fake': startFakeGcs,
};

async function startAzure(options: TestbedOptions): Promise<TestbedBackend> {
  if (options.backendEndpoint !== undefined) {
    const endpoint = withAccount(options.backendEndpoint);
    return { description: { kind: 'azure', endpoint }, settings: azureSettings(endpoint), stop: nothing };
  }
  const folder = options.inMemory ? undefined : mkdtempSync(join(tmpdir(), 's3gw-testbed-'));
  const removeFolder = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const memoryLimitMiB = Math.floor((totalmem() * MEMORY_SHARE) / (1024 * 1024));
    const azurite = await startAzurite({
      ...(folder === undefined ? { memoryLimitMiB } : { folder }),
      customerKeys: options.customerKeys,
      ...(options.tiers !== undefined && { tiers: { rehydrationMs: options.tiers * 1000 } }),
    });
    const { endpoint, pid } = azurite;
    const stop = async (): Promise<void> => {
      await azurite.stop();
      removeFolder();
    };
    return { description: { kind: 'azure', endpoint, pid }, settings: azureSettings(endpoint), stop };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

async function startGcs({ backendEndpoint }: TestbedOptions): Promise<TestbedBackend> {
  if (backendEndpoint !== undefined) {
    const endpoint = backendEndpoint.replace(/\/$/, '');
    return { description: { kind: 'gcs', endpoint }, settings: gcsSettings(endpoint), stop: nothing };
  }
  const double = await startGcsDouble();
  return {
    description: { kind: 'gcs', endpoint: double.endpoint },
    settings: gcsSettings(double.endpoint),
    stop: () => double.stop(),
  };
}

async function startFakeGcs(): Promise<TestbedBackend> {
  const binary = await findGoServer('fake-gcs-server');
  if (binary === undefined) throw new Error('--backend gcs-fake: fake-gcs-server is built with Go, and there is none');
  const server = await startGoServer('fake-gcs-server', binary);
  const { endpoint, pid } = server;
  return { description: { kind: 'gcs', endpoint, pid }, settings: gcsSettings(endpoint), stop: () => server.stop() };
}

function gcsSettings(endpoint: string): Record<string, string> {
  const backend = {
    main: { kind: 'gcs', owner: 'main', endpoint, bucketPrefix: 'testbed-', credential: { kind: 'anonymous' } },
  };
  return { S3GW_BACKENDS: JSON.stringify(backend) };
}

async function nothing(): Promise<void> {
  // Not ours to stop.
}

function azureSettings(endpoint: string): Record<string, string> {
  const backend = {
    main: { kind: 'azure', owner: 'main', endpoint, credential: { kind: 'accountKey', keyEnv: KEY_VARIABLE } },
  };
  return { S3GW_BACKENDS: JSON.stringify(backend), [KEY_VARIABLE]: DEVELOPMENT_KEY };
}

/** Emulators have the account in the path. */
function withAccount(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = `/${DEVELOPMENT_ACCOUNT}`;
  return url.toString().replace(/\/$/, '');
}
