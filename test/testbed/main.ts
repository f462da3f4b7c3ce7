import { fstatSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { type CertificateFiles, certificateFiles } from '../support/certificates.ts';
import { adminEndpoint, adminSettings, chooseAdminPorts } from './admin-ports.ts';
import { startBackend, type TestbedBackend } from './backend.ts';
import { type Replica, startReplica } from './gateway-process.ts';
import { type Sweeper, startSweeper } from './sweeper-process.ts';
import { parseOptions, type TestbedOptions, USAGE, UsageError } from './options.ts';

const CONFIG = resolve(import.meta.dirname, '../../config/testbed.yaml');

/** Starts a backend and gateways over it, prints one JSON line when all serve, stops them when told to. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    if (argv.includes('--help') || argv.includes('-h')) process.stdout.write(`${USAGE}\n`);
    else await run(parseOptions(argv));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
  process.stdin.destroy();
}

async function run(options: TestbedOptions): Promise<void> {
  const stopped = stopRequest();
  const certificate = options.tlsPort === undefined ? undefined : await certificateFiles();
  const replicas: Replica[] = [];
  let backend: TestbedBackend | undefined;
  let sweeper: Sweeper | undefined;
  try {
    backend = await startBackend(options);
    const { settings } = backend;
    const adminPorts = await chooseAdminPorts(options);
    const starts = Array.from({ length: options.replicas }, async (_, index) => {
      const own = {
        S3GW_LISTENERS: JSON.stringify(listeners(options, index, certificate)),
        ...adminSettings(adminPorts, index),
        ...(options.maxConnections !== undefined && {
          S3GW_BACKENDS__MAIN__MAX_CONNECTIONS: String(options.maxConnections),
        }),
      };
      return startReplica({ ...settings, ...own }, options.workers);
    });
    for (const started of await Promise.allSettled(starts)) {
      if (started.status === 'fulfilled') replicas.push(started.value);
      else throw started.reason;
    }
    if (options.lifecycleDay !== undefined) sweeper = startSweeper(settings, options.lifecycleDay);
    process.stdout.write(`${JSON.stringify(describe(replicas, backend, adminPorts))}\n`);
    await Promise.race([
      stopped,
      ...replicas.map((replica) => replica.ended.then(() => Promise.reject(new Error('a gateway process ended')))),
    ]);
  } finally {
    await Promise.all([sweeper?.stop(), ...replicas.map((replica) => replica.stop())]);
    await backend?.stop();
    if (certificate !== undefined) rmSync(certificate.folder, { recursive: true });
  }
}

/** Port 0 stays 0 for every replica; a fixed one counts up. */
function listeners(
  { port, tlsPort }: TestbedOptions,
  index: number,
  certificate: CertificateFiles | undefined,
): object[] {
  const at = (first: number): number => (first === 0 ? 0 : first + index);
  const plain = { host: '127.0.0.1', port: at(port) };
  if (tlsPort === undefined || certificate === undefined) return [plain];
  return [
    plain,
    { host: '127.0.0.1', port: at(tlsPort), tls: { certFile: certificate.certFile, keyFile: certificate.keyFile } },
  ];
}

function describe(replicas: readonly Replica[], backend: TestbedBackend, adminPorts: readonly number[]): object {
  const endpoints = (scheme: string): string[] =>
    replicas.flatMap((replica) => replica.endpoints.filter((url) => url.startsWith(`${scheme}:`)));
  return {
    endpoints: endpoints('http'),
    tlsEndpoints: endpoints('https'),
    adminEndpoints: adminPorts.map(adminEndpoint),
    pids: replicas.flatMap((replica) => replica.pids),
    backend: backend.description,
    ...describeAccounts(),
  };
}

interface Accounts {
  readonly region: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly accessKey: string | undefined;
    readonly secretKey: string | undefined;
  }[];
}

/** Who may sign requests, and for which region. */
export function describeAccounts(): Accounts {
  const { config } = loadConfig(CONFIG, {});
  return {
    region: config.region,
    accounts: config.accounts.map(({ name, keys, canonicalId, displayName, email }) => ({
      name,
      accessKey: keys[0]?.accessKeyId,
      secretKey: keys[0]?.secretAccessKey,
      id: canonicalId,
      displayName,
      email,
    })),
  };
}

/** SIGINT, SIGTERM, or the end of a standard input that somebody holds open: a pipe or a socket, not a file. */
function stopRequest(): Promise<void> {
  return new Promise((stop) => {
    process.once('SIGINT', () => stop());
    process.once('SIGTERM', () => stop());
    if (!isHeldOpen()) return;
    process.stdin.resume();
    process.stdin.once('end', () => stop());
    process.stdin.once('close', () => stop());
  });
}

function isHeldOpen(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
