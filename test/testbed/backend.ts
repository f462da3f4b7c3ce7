import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { startAzurite } from '../../adapters/azure/index.ts';
import type { TestbedOptions } from './options.ts';

/** Account and key of Microsoft's emulators: the same everywhere, and published. */
const DEVELOPMENT_ACCOUNT = 'devstoreaccount1';
const DEVELOPMENT_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
/** Of the machine's memory, for what Azurite keeps: acceptance tests store several GiB at once. */
const MEMORY_SHARE = 0.7;
const KEY_VARIABLE = 'TESTBED_AZURE_KEY';

export interface TestbedBackend {
  /** What the test bed prints. */
  readonly description: { readonly kind: string; readonly endpoint: string; readonly pid?: number };
  /** Environment of the gateways. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startBackend(options: TestbedOptions): Promise<TestbedBackend> {
  if (options.backend === 'memory') {
    return { description: { kind: 'memory', endpoint: 'memory' }, settings: {}, stop: async () => undefined };
  }
  if (options.backendEndpoint !== undefined) {
    const endpoint = withAccount(options.backendEndpoint);
    return { description: { kind: 'azure', endpoint }, settings: azureSettings(endpoint), stop: async () => undefined };
  }
  const folder = options.disk ? mkdtempSync(join(tmpdir(), 's3gw-testbed-')) : undefined;
  const removeFolder = (): void => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const memoryLimitMiB = Math.floor((totalmem() * MEMORY_SHARE) / (1024 * 1024));
    const azurite = await startAzurite(folder === undefined ? { memoryLimitMiB } : { folder });
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

function azureSettings(endpoint: string): Record<string, string> {
  const backend = { main: { kind: 'azure', owner: 'main', endpoint, credential: { kind: 'accountKey', keyEnv: KEY_VARIABLE } } };
  return { S3GW_BACKENDS: JSON.stringify(backend), [KEY_VARIABLE]: DEVELOPMENT_KEY };
}

/** Emulators have the account in the path. */
function withAccount(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = `/${DEVELOPMENT_ACCOUNT}`;
  return url.toString().replace(/\/$/, '');
}
