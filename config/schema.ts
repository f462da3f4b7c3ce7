import { z } from 'zod';
import { type BackendPlace, azurePlace, gcsPlace, overlapMessage, overlapping } from './backend-places.ts';
import { ADMIN, adminFaults, isLoopback } from './schema-admin.ts';
import { ACCOUNT, DEMO_ACCESS_KEY } from './schema-accounts.ts';
import { MANAGED_ACCOUNTS } from './schema-managed.ts';
import { BUCKETS, bucketFaults, fitsPattern } from './schema-buckets.ts';
import { portFaults } from './schema-ports.ts';
import { prefixFaults } from './schema-prefixes.ts';
import { BACKEND, type BackendConfig, belongsToOneProcess } from './schema-backends.ts';
import { STORAGE_CLASSES } from './schema-classes.ts';
import { EVENTS, targetFaults } from './schema-events.ts';
import { quotaFaults, QUOTAS } from './schema-quotas.ts';
import { RATE_RULES } from './schema-rates.ts';
import { CORS } from './schema-cors.ts';
import { type SettingFault, PORT, atMostOne, bytes, milliseconds, path } from './schema-parts.ts';

const STS = z
  .strictObject({
    keysFile: path(
      'File with the secrets that session tokens are sealed with, one a line, each of 32 characters or more (`openssl rand -base64 32`): the first one seals, all of them open. Read again when it changes.',
    ).optional(),
    keysEnv: z.string().min(1).optional().describe('Environment variable that holds them.'),
    keys: z
      .array(z.string().min(32))
      .min(1)
      .optional()
      .describe('The secrets themselves. Prefer one of the other two.'),
  })
  .superRefine(atMostOne('keysFile', 'keysEnv', 'keys'))
  .describe('Temporary credentials. Without keys none are issued and none are taken. All replicas need the same.');

const TRACING = z.strictObject({
  keepNotable: z
    .boolean()
    .default(true)
    .describe(
      'Export the spans of requests that failed or were slow also when sampling left them out (OTEL_TRACES_SAMPLER; not with always_off).',
    ),
  waitingBytes: bytes(16 * 1024 * 1024).describe(
    'Memory for what is known of backend calls until their requests end; calls beyond it are counted only.',
  ),
  waitingCalls: z.int().min(0).default(50_000).describe('The same as a number of calls.'),
});

const ACCESS_LOG = z.strictObject({
  format: z
    .enum(['off', 'json', 's3'])
    .default('off')
    .describe("One line per request: JSON, or the format of S3's server access logs."),
  file: path(
    'File that lines are appended to, opened again on SIGHUP (log rotation). Absent: standard output.',
  ).optional(),
});

const SERVER_ACCESS_LOGS = z.strictObject({
  intervalMs: milliseconds(300_000).describe('How long a record waits at most before its log object is written.'),
  objectBytes: bytes(1024 * 1024).describe('A log object that has grown to this size is written at once.'),
  bufferBytes: bytes(8 * 1024 * 1024).describe(
    'Memory of a process for records that are not written yet, half of it for any one bucket. Records beyond it are dropped and counted.',
  ),
});

const TLS = z.strictObject({
  certFile: path('PEM file with the certificate and its chain. Read again when it changes.'),
  keyFile: path('PEM file with the private key. Read again when it changes.'),
});

const RANGE = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'expected an address or a CIDR range' });

const LISTENER = z.strictObject({
  host: z.string().default('127.0.0.1').describe('Address to bind.'),
  port: PORT.describe('Port to bind; 0 takes any free one.'),
  tls: TLS.optional().describe('Present: HTTPS.'),
  proxyProtocol: z
    .array(RANGE)
    .default([])
    .describe(
      "Addresses or CIDR ranges of balancers whose connections begin with a PROXY header, version 1 or 2; one without is closed. What it names as source is the client's address, everywhere. From any other address such a header is refused.",
    ),
});

/** 48.8 TiB, S3's limit since December 2025. */
const LARGEST_OBJECT = 53_660_876_636_979;

const LIMITS = z.strictObject({
  heldBodyBytes: bytes(1024 * 1024).describe(
    'Bodies up to this size are held in memory and verified before the one write that stores them; larger ones are streamed.',
  ),
  heldBudgetBytes: bytes(64 * 1024 * 1024).describe(
    'All held bodies and XML documents together, three quarters of it for any one account; beyond it bodies are streamed whatever their size, and documents refused with SlowDown.',
  ),
  maxObjectSize: z
    .int()
    .min(5 * 1024 ** 3)
    .max(LARGEST_OBJECT)
    .default(5 * 1024 ** 4)
    .describe(
      'Largest object that an upload in parts makes, in bytes: 5 TiB unless raised, at most the 53,660,876,636,979 (48.8 TiB) of S3 since December 2025. Where the cloud takes less, that counts: Google takes 5 TiB, Azure 190.',
    ),
  connections: z
    .int()
    .min(0)
    .default(8192)
    .describe(
      'Open connections of S3 clients, on all listeners together; more are answered 503 SlowDown and closed, and so are those beyond a tenth of the heap, however many that is ([limits](limits.md#connections)). Each worker takes its share of them. 0: any number.',
    ),
  connectionsPerAddress: z
    .int()
    .min(0)
    .default(2048)
    .describe(
      'The same from one address (one /64 of IPv6). Peers in `trustedProxies` have no such limit: name your ingress there, or leave this above what it opens. 0: any number.',
    ),
});

const TIMEOUTS = z.strictObject({
  headersMs: milliseconds(30_000).describe('Longest time for the head of a request.'),
  bodyIdleMs: milliseconds(30_000).describe('Longest silence of a client in the midst of a body, its own or ours.'),
  minimumBodyRate: z
    .int()
    .min(0)
    .default(256)
    .describe('Bytes per second, averaged over a minute, that a body must come in with; 0: no minimum.'),
  drainMs: milliseconds(25_000).describe('Time that requests under way get when the process is told to stop.'),
  drainDelayMs: milliseconds(0).describe(
    'Time between failing readiness and closing the listeners, for balancers that look rarely.',
  ),
});

const OUTBOUND = z.strictObject({
  proxy: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('HTTP proxy for calls to backends.'),
  caFile: path("PEM file with certificates trusted besides the system's.").optional(),
});

const SETTINGS = z.strictObject({
  region: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('us-east-1')
    .describe('Region that signatures name and GetBucketLocation answers.'),
  acceptAnyRegion: z
    .boolean()
    .default(false)
    .describe(
      'Serve clients whatever region they sign for, and create buckets whatever location they ask for; GetBucketLocation and HeadBucket answer `region` all the same. Signatures cover the region that the client named.',
    ),
  baseHosts: z
    .array(z.string().min(1))
    .default(['localhost'])
    .describe(
      'Host names under which clients reach the service; `<bucket>.<base host>` addresses a bucket. Other hosts are path style.',
    ),
  websiteHosts: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Host names of websites: `<bucket>.<website host>` serves the website of a bucket that has one (PutBucketWebsite), to every caller whom ACL or policy lets read its objects.',
    ),
  listeners: z
    .array(LISTENER)
    .min(1)
    .default([{ host: '127.0.0.1', port: 9000, proxyProtocol: [] }])
    .describe('Sockets for S3 requests.'),
  admin: ADMIN.prefault({}).describe('The admin port: probes (/healthz, /readyz, /startupz), metrics, inspector.'),
  workers: z
    .union([z.int().min(1).max(256), z.literal('auto')], { error: 'expected a number from 1 to 256, or auto' })
    .default('auto')
    .describe(
      'Processes that serve, each on a core. `auto`: as many as the machine, or the CPU quota of the container, lets run at a time, ' +
        'each with 256 MiB of the memory at least; 1 where a backend belongs to one process (`azurite`, `gcs-double`, `memory`), and on other systems than Linux and FreeBSD. ' +
        'They share what is limited for the gateway as a whole; `maxConnections` of a backend is for each of them ([workers](operations/replicas.md#several-workers-in-one-replica)).',
    ),
  accounts: z.array(ACCOUNT).default([]).describe('Accounts; read again when the file changes, without a restart.'),
  accountsFrom: z
    .union([path('One file or folder.'), z.array(path('File or folder.'))], {
      error: 'expected a file or folder, or a list of them',
    })
    .default([])
    .describe(
      'Files with further `accounts`, and folders of such files (`*.yaml`, `*.yml`, `*.json`): a mounted Secret or ConfigMap, say. Read again when they change. ' +
        'What several files say of an account of one name counts together. Relative file names in them start from their own folder.',
    ),
  managedAccounts: MANAGED_ACCOUNTS.optional().describe(
    'Where the users, keys, policies and quotas lie that the [admin API](admin-api.md) makes: one document, followed by all gateways.',
  ),
  sts: STS.prefault({}),
  rates: RATE_RULES.prefault({}).describe(
    'Limits of rates; beyond them 503 SlowDown. Each replica (and worker) counts its own. Those of accounts, users and roles stand with them.',
  ),
  quotas: QUOTAS.prefault({}).describe(
    'What may lie in buckets; beyond it writes are answered 403 QuotaExceeded ([usage and quotas](usage.md)). Quotas of accounts stand with them.',
  ),
  backends: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/), BACKEND)
    .describe('Backends by name. The name stands in bucket records: never change it.'),
  storageClasses: STORAGE_CLASSES.optional().describe(
    'Keep storage classes in tiers of the clouds. Absent: they are labels, and everything lies where the account puts it.',
  ),
  buckets: BUCKETS.prefault({}).describe('Which backend a bucket lives in, decided by its name.'),
  bucketCacheMs: milliseconds(1000).describe(
    'How long a bucket record may be remembered. Deleting a bucket, switching its versioning and protecting settings wait this long. The same on all replicas.',
  ),
  clockLimitMs: milliseconds(60_000).describe(
    "How far the clock of this machine may be off from the backends', by the `Date` of their answers. Beyond it readiness fails and changes are answered 503 until it is right again; reads go on. 0: any.",
  ),
  versioningDrainMs: milliseconds(30 * 60_000).describe(
    'How long after versioning is first enabled on a bucket an upload that began before may still arrive. In this time requests to the bucket cost a call more.',
  ),
  newBuckets: z
    .enum(['open', 'aws'])
    .default('open')
    .describe(
      'What new buckets start with. `open`: ACLs count, objects belong to who wrote them, nothing is blocked. ' +
        "`aws`: AWS's own defaults, ownership BucketOwnerEnforced (ACLs are off) and all public access blocked.",
    ),
  cors: CORS.prefault({}).describe('What pages of other origins may do, in browsers (CORS).'),
  defaultChecksum: z
    .enum(['none', 'CRC64NVME'])
    .default('none')
    .describe(
      "What is computed of objects that PutObject stores without a checksum of the client's. AWS computes CRC64NVME; here it costs about as much as moving the bytes, and a call to the backend for bodies that are not held.",
    ),
  customerKeysOverHttp: z
    .boolean()
    .default(false)
    .describe(
      'Take encryption keys of clients (SSE-C) over http, too. S3 refuses them there, since they can be read on the way. Requests that a trusted proxy took over https (`trustedProxies`) count as https.',
    ),
  smallRangeCopy: z
    .boolean()
    .default(false)
    .describe('Allow UploadPartCopy of a range of a source of 5 MiB or less, as AWS does.'),
  presignedV2: z
    .boolean()
    .default(false)
    .describe(
      'Accept presigned URLs of signature version 2, as s3cmd and version 1 of the AWS CLI make them. Their signature covers neither host nor payload; parameters that it does not cover either (`prefix` and others of listings) are refused or have no effect.',
    ),
  trustedProxies: z
    .array(RANGE)
    .default([])
    .describe('Addresses or CIDR ranges whose X-Forwarded-For and X-Forwarded-Proto count.'),
  keepAliveMs: milliseconds(75_000).describe(
    'How long an idle client connection is kept; longer than the balancer in front keeps it.',
  ),
  limits: LIMITS.prefault({}),
  timeouts: TIMEOUTS.prefault({}),
  outbound: OUTBOUND.prefault({}).describe('How backends are reached.'),
  slowMs: milliseconds(1000).describe(
    'Time of our own (without waiting for the client) from which a request counts as slow: it stays longer in the journal, and is traced even if sampling left it out.',
  ),
  tracing: TRACING.prefault({}).describe(
    'Traces; where they go is said by the standard variables `OTEL_*` (docs/observability.md).',
  ),
  accessLog: ACCESS_LOG.prefault({}),
  serverAccessLogs: SERVER_ACCESS_LOGS.prefault({}).describe(
    'How the server access logs of buckets (PutBucketLogging) are gathered and written ([access logs](access-logs.md)).',
  ),
  events: EVENTS.prefault({}).describe('Notification of what happens in buckets ([events](events.md)).'),
  exposedSecrets: z
    .enum(['warn', 'refuse', 'allow'])
    .default('warn')
    .describe(
      'What happens at the start when a file with a secret in it (keys, tokens, credentials, this file with a key written into it) can be read by every user of the machine.',
    ),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe log line that is written.'),
});

type Settings = z.infer<typeof SETTINGS>;

/**
 * The schema of the whole configuration. It parses the files and names the faults in them, and the reference page is
 * made from it.
 */
export const CONFIG = SETTINGS.superRefine((settings, context) => {
  const faults = [
    ...backendFaults(settings),
    ...below('buckets', [...bucketFaults(settings.buckets, Object.keys(settings.backends)), ...partFaults(settings)]),
    ...below('admin', adminFaults(settings.admin)),
    ...managedFaults(settings),
    ...demoKeyFaults(settings),
    ...portFaults(settings),
    ...sharedMemoryFaults(settings),
    ...sharedPlaceFaults(settings),
    ...below('events', targetFaults(settings.events)),
    ...below('quotas', quotaFaults(settings)),
  ];
  for (const { path: at, message } of faults) context.addIssue({ code: 'custom', path: at, message });
});

function below(setting: string, faults: readonly SettingFault[]): SettingFault[] {
  return faults.map(({ path: at, message }) => ({ path: [setting, ...at], message }));
}

/** The admin API has to put somewhere what it makes. */
function managedFaults({ admin, managedAccounts }: Settings): SettingFault[] {
  if (admin.manage === undefined || managedAccounts !== undefined) return [];
  return [{ path: ['managedAccounts'], message: 'expected folder or secret, as admin.manage is set' }];
}

/** There must be backends and accounts, and each backend must have one of them as its owner. */
function backendFaults({ backends, accounts }: Settings): SettingFault[] {
  const faults: SettingFault[] = [];
  const names = accounts.map(({ name }) => name);
  if (Object.keys(backends).length === 0) faults.push({ path: ['backends'], message: 'expected at least one backend' });
  if (names.length === 0) {
    faults.push({ path: ['accounts'], message: 'expected at least one account, here or in accountsFrom' });
    return faults;
  }
  for (const [name, { owner }] of Object.entries(backends)) {
    if (names.includes(owner)) continue;
    faults.push({ path: ['backends', name, 'owner'], message: `expected one of the accounts ${names.join(', ')}` });
  }
  return faults;
}

/** Checks of buckets that are parts of containers. */
function partFaults({ backends, buckets: { rules, aliases, prefixes, default: fallback } }: Settings): SettingFault[] {
  return prefixFaults(prefixes, {
    backendOf: (bucket) =>
      rules.find(({ pattern }) => fitsPattern(pattern, bucket))?.backend ?? fallback ?? Object.keys(backends)[0],
    isAlias: (bucket) => aliases.some(({ pattern }) => fitsPattern(pattern, bucket)),
    systemContainers: Object.values(backends).map(({ systemContainer }) => systemContainer),
  });
}

/** The documentation shows the demo keys, so every client that can reach the port could use them. */
function demoKeyFaults({ accounts, listeners }: Settings): SettingFault[] {
  if (!accounts.some(({ keys }) => keys.some(({ accessKeyId }) => accessKeyId === DEMO_ACCESS_KEY))) return [];
  const message = 'expected a loopback address (127.0.0.1) while the demo keys are in use';
  return listeners.flatMap(({ host }, index) =>
    isLoopback(host) ? [] : [{ path: ['listeners', index, 'host'], message }],
  );
}

/** Several workers cannot share a backend that lives in one process, or ends with the process that started it. */
function sharedMemoryFaults({ workers, backends }: Settings): SettingFault[] {
  const embedded = Object.entries(backends).find(([, backend]) => belongsToOneProcess(backend));
  if (workers === 1 || workers === 'auto' || embedded === undefined) return [];
  return [{ path: ['workers'], message: `expected 1 or auto, as backends.${embedded[0]} belongs to one process` }];
}

/**
 * Finds two backends over the same place, as far as the configuration shows it. An account that only a connection
 * string names is checked when the backend is opened.
 */
function sharedPlaceFaults({ backends }: Settings): SettingFault[] {
  const faults: SettingFault[] = [];
  const places = new Map<string, BackendPlace>();
  for (const [name, backend] of Object.entries(backends)) {
    const place = placeOf(backend);
    if (place === undefined) continue;
    const other = overlapping(place, places);
    if (other !== undefined) faults.push({ path: ['backends', name], message: overlapMessage(other) });
    places.set(name, place);
  }
  return faults;
}

function placeOf(backend: BackendConfig): BackendPlace | undefined {
  if (backend.kind === 'azure') return azurePlace(backend.endpoint, backend.account, backend.endpointSuffix);
  return backend.kind === 'gcs' ? gcsPlace(backend.endpoint, backend.bucketPrefix) : undefined;
}

export type Config = z.infer<typeof CONFIG>;
export type { AdminConfig } from './schema-admin.ts';
export type ListenerConfig = z.infer<typeof LISTENER>;
