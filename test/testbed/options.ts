import { parseArgs } from 'node:util';

/** `azure` is Azurite, `gcs` the double of Cloud Storage, `gcs-fake` fake-gcs-server. */
const BACKENDS = ['memory', 'azure', 'gcs', 'gcs-fake'] as const;

export type BackendName = (typeof BACKENDS)[number];

export interface TestbedOptions {
  readonly backend: BackendName;
  /** A backend that is up already. */
  readonly backendEndpoint: string | undefined;
  /** First port; 0: any free ones. */
  readonly port: number;
  readonly tlsPort: number | undefined;
  /** First admin port, with the inspector; 0: any free ones. */
  readonly adminPort: number | undefined;
  readonly replicas: number;
  readonly workers: number;
  /** Of each gateway process to the backend, at a time; absent: what the configuration's default is. */
  readonly maxConnections: number | undefined;
  /**
   * Azurite keeps what it holds in memory; else in a temporary folder: beyond a gigabyte or two in memory it answers
   * nothing for minutes.
   */
  readonly inMemory: boolean;
  /**
   * Module whose default export is a plan of faults (`test/support/backends/fault-proxy/fault.ts`). A proxy before the
   * backend follows it.
   */
  readonly faultPlan: string | undefined;
  /** The gateways reach the backend by https, as they reach real accounts. Not for one that is running already. */
  readonly backendTls: boolean;
  /** Carry out lifecycle rules, a day of which is so many seconds; absent: they are not carried out. */
  readonly lifecycleDay: number | undefined;
  /** Azurite knows keys of customers (SSE-C), because something that does stands before it. */
  readonly customerKeys: boolean;
  /** Storage classes are tiers, and Azurite keeps them as the service does. Seconds that a restore takes there. */
  readonly tiers: number | undefined;
}

export const USAGE = `usage: npm run testbed -- [options]
  --backend memory|azure|gcs|gcs-fake   azure (Azurite) unless given
  --backend-endpoint URL                an emulator that is running already; with azure or gcs
  --backend-tls on|off                  how the gateways reach the backend; on unless given, as for real accounts
  --port N, --tls-port N                first port of the replicas; 0: free ones. No TLS without --tls-port
  --admin-port N                        first admin port, with the inspector; 0: free ones. None without it
  --replicas N, --workers N             gateway processes with a port each; processes behind one port
  --customer-keys                       with Azurite: know keys of customers (SSE-C)
  --tiers SECONDS                       storage classes are tiers; with Azurite a restore takes so long
  --max-connections N                   of each gateway process to the backend
  --in-memory                           Azurite keeps its data in memory
  --lifecycle-day SECONDS               carry out lifecycle rules, a day of which is so short
  --fault-plan MODULE                   breaks the backend's answers as the module says (test/testbed/plans)
Prints one line of JSON when all are ready; ends on Ctrl-C, SIGTERM, or when the pipe on standard input closes.`;

/** A mistake of whoever called: one line. */
export class UsageError extends Error {}

const OPTIONS = {
  backend: { type: 'string', default: 'azure' },
  'backend-endpoint': { type: 'string' },
  'backend-tls': { type: 'string' },
  port: { type: 'string', default: '0' },
  'tls-port': { type: 'string' },
  'admin-port': { type: 'string' },
  replicas: { type: 'string', default: '1' },
  workers: { type: 'string', default: '1' },
  'max-connections': { type: 'string' },
  'in-memory': { type: 'boolean', default: false },
  /** What is done anyhow: scripts say it. */
  disk: { type: 'boolean', default: false },
  'lifecycle-day': { type: 'string' },
  'fault-plan': { type: 'string' },
  'customer-keys': { type: 'boolean', default: false },
  tiers: { type: 'string' },
} as const;

/** @throws UsageError */
export function parseOptions(argv: readonly string[]): TestbedOptions {
  const { values } = parse(argv);
  const backend = BACKENDS.find((name) => name === values.backend);
  if (backend === undefined) {
    throw new UsageError(`--backend: expected one of ${BACKENDS.join(', ')}, got ${values.backend}`);
  }
  const options: TestbedOptions = {
    backend,
    backendEndpoint: values['backend-endpoint'],
    backendTls: backendTls(values['backend-tls'], backend, values['backend-endpoint']),
    port: count('--port', values.port, 0, 65535),
    tlsPort: optionalCount('--tls-port', values['tls-port'], 0, 65535),
    adminPort: optionalCount('--admin-port', values['admin-port'], 0, 65535),
    replicas: count('--replicas', values.replicas, 1, 64),
    workers: count('--workers', values.workers, 1, 64),
    maxConnections: optionalCount('--max-connections', values['max-connections'], 1, 65_535),
    inMemory: values['in-memory'],
    faultPlan: values['fault-plan'],
    lifecycleDay: optionalCount('--lifecycle-day', values['lifecycle-day'], 1, 86_400),
    customerKeys: values['customer-keys'],
    tiers: optionalCount('--tiers', values.tiers, 0, 86_400),
  };
  if (backend === 'memory' && (options.replicas > 1 || options.workers > 1)) {
    throw new UsageError(
      '--backend memory: one process only, its memory cannot be shared; use --backend azure for several replicas or workers',
    );
  }
  if (backend === 'memory' && options.lifecycleDay !== undefined) {
    throw new UsageError('--lifecycle-day: the memory of the gateway process cannot be shared with the sweeper');
  }
  if (backend === 'memory' && options.faultPlan !== undefined) {
    throw new UsageError('--fault-plan: only before a backend that is reached over a network');
  }
  if (options.backendEndpoint !== undefined && (backend === 'memory' || backend === 'gcs-fake')) {
    throw new UsageError('--backend-endpoint: only with --backend azure or gcs');
  }
  return options;
}

/** @throws UsageError */
function backendTls(text: string | undefined, backend: BackendName, endpoint: string | undefined): boolean {
  const isOurs = backend !== 'memory' && endpoint === undefined;
  if (text === undefined) return isOurs;
  if (text !== 'on' && text !== 'off') throw new UsageError(`--backend-tls: expected on or off, got ${text}`);
  if (text === 'on' && !isOurs) {
    throw new UsageError('--backend-tls on: only before a backend that the test bed starts');
  }
  return text === 'on';
}

function parse(argv: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>> {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function optionalCount(name: string, text: string | undefined, ...range: [least: number, most: number]) {
  return text === undefined ? undefined : count(name, text, ...range);
}

function count(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value < least || value > most) {
    throw new UsageError(`${name}: expected a number from ${least} to ${most}, got ${text}`);
  }
  return value;
}
