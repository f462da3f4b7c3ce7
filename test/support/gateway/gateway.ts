import { setImmediate } from 'node:timers/promises';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { StorageClassesConfig } from '../../../config/schema-classes.ts';
import { AccessLogs } from '../../../src/access-logs/access-logs.ts';
import { logDelivery } from '../../../src/access-logs/deliver.ts';
import type { AccountDirectory } from '../../../src/access/accounts.ts';
import { createAccountDirectory } from '../../../src/access/directory.ts';
import type { RateLimits } from '../../../src/access/rates/rate-limits.ts';
import type { Sessions } from '../../../src/access/sessions/sessions.ts';
import { type ConnectionBounds, ConnectionLimit } from '../../../src/gateway/connection-limit.ts';
import type { DispatcherOptions } from '../../../src/gateway/dispatcher-options.ts';
import { Dispatcher } from '../../../src/gateway/dispatcher.ts';
import { createListener, type TlsMaterial } from '../../../src/gateway/listener.ts';
import { Peers } from '../../../src/gateway/proxy-protocol/peers.ts';
import { proxyTrust } from '../../../src/gateway/proxy-trust.ts';
import { type StallLimits, StallWatch } from '../../../src/gateway/stall-watch.ts';
import {
  aliasesOf,
  type BucketAlias,
  type BucketRule,
  createRealm,
  readOnlyBuckets,
  veeamBuckets,
} from '../../../src/main/bucket-rules.ts';
import { backgroundCall } from '../../../src/main/background-call.ts';
import { type OpenManifest, openManifest } from '../../../src/main/manifest.ts';
import { storageClassesOf } from '../../../src/main/storage-classes.ts';
import { tieredStore } from '../../../src/manifest/heads/tiered-store.ts';
import { SYSTEM_TIME, type Time } from '../../../src/manifest/records/time.ts';
import type { Backend, Realm } from '../../../src/manifest/buckets/realm.ts';
import { KeyQueue } from '../../../src/manifest/heads/key-queue.ts';
import type { Quota } from '../../../src/manifest/usage/quota-scope.ts';
import { Quotas } from '../../../src/manifest/usage/quotas.ts';
import type { Log } from '../../../src/observe/log.ts';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { OPERATIONS } from '../../../src/operations/index.ts';
import type { ChecksumAlgorithm } from '../../../src/protocol/checksums/algorithms.ts';
import type { NewBuckets, NotificationTargets } from '../../../src/operations/operation.ts';
import type { CorsRule } from '../../../src/protocol/cors/cors-rule.ts';
import { HoldBudget } from '../../../src/protocol/body/hold-budget.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { noteHeads } from '../../../src/store/note-heads.ts';
import { type ContainerParts, placeIds, placedStore } from '../../../src/store/placed-store.ts';
import {
  ACCESS_KEY,
  OTHER_ACCESS_KEY,
  REGION,
  SECRET_KEY,
  THIRD_ACCESS_KEY,
  USER_ACCESS_KEY,
} from '../clients/sign-raw.ts';

export interface LoggedLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export interface TestGateway<Store extends BlobStore = MemoryBlobStore> {
  readonly port: number;
  readonly store: Store;
  readonly dispatcher: Dispatcher;
  /** What background work goes by that runs beside it. */
  readonly realm: Realm;
  readonly manifest: OpenManifest;
  readonly accounts: AccountDirectory;
  /** Messages and fields of everything that was logged. */
  readonly logged: readonly LoggedLine[];
  /** Resolves when nothing that follows answers is waiting or under way. */
  idle(): Promise<void>;
  /** Server access logs of the requests that have ended. */
  readonly accessLogs: AccessLogs;
  /** Resolves when all of their records are delivered or dropped. */
  deliverLogs(): Promise<void>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly notificationTargets?: NotificationTargets;
  /** Of buckets, by their names; absent: none has one. */
  readonly quotaOf?: (bucket: string) => Quota | undefined;
  /** Operations that replace the real ones. */
  readonly operations?: DispatcherOptions['operations'];
  /** Instead of those below. */
  readonly accounts?: AccountDirectory;
  /** Temporary credentials; absent: there are none. */
  readonly sessions?: Sessions;
  readonly rates?: RateLimits;
  readonly baseHosts?: readonly string[];
  readonly longAnswerMs?: number;
  readonly patienceMs?: number;
  readonly presignedV2?: boolean;
  /** Takes what is logged instead of `logged`, which keeps it all. */
  readonly onLog?: (line: LoggedLine) => void;
  readonly connections?: ConnectionBounds;
  readonly stalls?: StallLimits;
  readonly headersMs?: number;
  readonly bucketCacheMs?: number;
  readonly newBuckets?: NewBuckets;
  readonly cors?: readonly CorsRule[];
  readonly acceptAnyRegion?: boolean;
  readonly aliases?: readonly BucketAlias[];
  readonly rules?: readonly BucketRule[];
  readonly veeam?: Parameters<typeof veeamBuckets>[0];
  /** Buckets that are parts of containers. */
  readonly places?: ContainerParts;
  readonly region?: string;
  /** Ranges of balancers that send PROXY headers, and what their header may take; milliseconds. */
  readonly proxyProtocol?: { readonly ranges: readonly string[]; readonly timeoutMs: number };
  readonly trustedProxies?: readonly string[];
  readonly tls?: TlsMaterial;
  readonly defaultChecksum?: ChecksumAlgorithm;
  readonly customerKeysOverHttp?: boolean;
  /** KMS keys that clients may name. */
  readonly kmsKeys?: Readonly<Record<string, string>>;
  /** Clocks of the manifest; absent: the machine's. */
  readonly time?: Time;
  /** Tiers of storage classes; absent: classes are labels. */
  readonly storageClasses?: StorageClassesConfig;
  readonly observers?: DispatcherOptions['observers'];
  /** Where everything lies that is no bucket; of its own where the store outlives the test. */
  readonly systemContainer?: string;
  /** How long after versioning was first turned on late writes are reckoned with. */
  readonly versioningDrainMs?: number;
  /** Observers, and the sampler that makes spans of requests. */
  readonly telemetry?: Pick<DispatcherOptions, 'observers' | 'calls' | 'sampler'>;
}

/** Canonical ids of the accounts. */
export const CANONICAL_ID = '4'.repeat(64);
export const OTHER_CANONICAL_ID = '5'.repeat(64);
export const THIRD_CANONICAL_ID = '6'.repeat(64);

const TEST_ACCOUNTS = createAccountDirectory([
  {
    name: 'wire',
    canonicalId: CANONICAL_ID,
    displayName: 'wire',
    email: 'wire@example.com',
    accountNumber: '444444444444',
    keys: [{ accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY }],
    users: [
      {
        name: 'robot',
        arn: 'arn:aws:iam::444444444444:user/robot',
        permissions: 'account',
        keys: [{ accessKeyId: USER_ACCESS_KEY, secretAccessKey: SECRET_KEY }],
      },
    ],
  },
  {
    name: 'other',
    canonicalId: OTHER_CANONICAL_ID,
    displayName: 'other',
    email: 'other@example.com',
    accountNumber: '555555555555',
    keys: [{ accessKeyId: OTHER_ACCESS_KEY, secretAccessKey: SECRET_KEY }],
    users: [],
  },
  {
    name: 'third',
    canonicalId: THIRD_CANONICAL_ID,
    displayName: 'third',
    email: 'third@example.com',
    accountNumber: '666666666666',
    keys: [{ accessKeyId: THIRD_ACCESS_KEY, secretAccessKey: SECRET_KEY }],
    users: [],
  },
]);

/**
 * A gateway in this process, over memory, with an account and two others that own nothing, on any free port of
 * loopback.
 */
export function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return startGatewayOver(new MemoryBlobStore(), options);
}

/** The same over any store, which it closes in the end. */
export async function startGatewayOver<Store extends BlobStore>(
  store: Store,
  options: TestGatewayOptions = {},
): Promise<TestGateway<Store>> {
  const logged: LoggedLine[] = [];
  const { onLog = (line: LoggedLine) => void logged.push(line) } = options;
  const record =
    (level: string) =>
    (fields: object, message: string): void =>
      onLog({ level, fields, message });
  const log: Log = { info: record('info'), warn: record('warn'), error: record('error') };
  const background = new AbortController();
  const { systemContainer = 'system', places = new Map() } = options;
  const plain = noteHeads(placedStore(store, places), systemContainer);
  const classes = options.storageClasses && storageClassesOf({ storageClasses: options.storageClasses }, {}, store);
  const backend = {
    name: 'test',
    store: classes === undefined ? plain : tieredStore(plain, classes),
    ...(classes !== undefined && { classes }),
    places: placeIds(places),
    systemContainer,
    ownerId: CANONICAL_ID,
    queue: new KeyQueue(),
    ...(options.time !== undefined && { time: options.time }),
    ...(options.kmsKeys !== undefined && { kmsKeys: new Map(Object.entries(options.kmsKeys)) }),
  };
  const realm = createRealm([backend], [], undefined);
  const manifest = openManifest({
    realm,
    bucketCacheMs: options.bucketCacheMs ?? 20,
    ...(options.aliases !== undefined && { aliasOf: aliasesOf(options.aliases) }),
    ...(options.versioningDrainMs !== undefined && { versioningDrainMs: options.versioningDrainMs }),
    log,
    signal: background.signal,
    ...(options.time !== undefined && { time: options.time }),
  });
  const accounts = options.accounts ?? TEST_ACCOUNTS;
  const { region = REGION } = options;
  const isReadOnly = readOnlyBuckets(options.rules ?? []);
  const observers = options.telemetry?.observers ?? options.observers ?? new RequestObservers(log);
  const time = options.time ?? SYSTEM_TIME;
  const accessLogs = new AccessLogs({
    settings: { intervalMs: 3_600_000, objectBytes: 1024 * 1024, bufferBytes: 8 * 1024 * 1024 },
    deliver: logDelivery({
      manifest,
      accounts,
      settings: { region, isReadOnly },
      changesRefused: () => undefined,
      now: time.now,
    }),
    newCall: backgroundCall,
    time,
    log,
  });
  observers.add(accessLogs);
  const peers = new Peers();
  const stalls = new StallWatch(options.stalls);
  stalls.start();
  const connections = options.connections && new ConnectionLimit({ ...options.connections, peers });
  const dispatcher = new Dispatcher({
    ...(connections !== undefined && { connections }),
    accounts,
    manifest,
    operations: { ...OPERATIONS, ...options.operations },
    settings: {
      region,
      smallRangeCopy: false,
      holdBytes: 64 * 1024,
      newBuckets: options.newBuckets ?? 'open',
      cors: options.cors ?? [],
      ...(options.defaultChecksum !== undefined && { defaultChecksum: options.defaultChecksum }),
      ...(options.customerKeysOverHttp !== undefined && { customerKeysOverHttp: options.customerKeysOverHttp }),
      ...(options.rules !== undefined && { isReadOnly }),
      ...(options.veeam !== undefined && { veeam: veeamBuckets(options.veeam) }),
      ...(options.notificationTargets && { notificationTargets: options.notificationTargets }),
      ...(options.quotaOf && { quotas: quotasOf(options.quotaOf, backend, log) }),
      ...(options.acceptAnyRegion !== undefined && { acceptAnyRegion: options.acceptAnyRegion }),
    },
    baseHosts: options.baseHosts ?? ['localhost'],
    websiteHosts: ['web.localhost'],
    ...(options.sessions !== undefined && { sessions: options.sessions }),
    ...(options.rates !== undefined && { rates: options.rates }),
    proxies: proxyTrust(options.trustedProxies ?? [], options.proxyProtocol && peers),
    stalls,
    holdBudget: new HoldBudget(1024 * 1024),
    log,
    ...(options.longAnswerMs !== undefined && { longAnswerMs: options.longAnswerMs }),
    ...options.telemetry,
    observers,
    logOf: (bucket) => accessLogs.logOf(bucket),
    ...(options.presignedV2 !== undefined && { presignedV2: options.presignedV2 }),
    ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
  });
  const timeouts = { headersMs: options.headersMs ?? 30_000, keepAliveMs: 5000 };
  const listener = await createListener(
    {
      host: '127.0.0.1',
      port: 0,
      timeouts,
      ...(connections !== undefined && { connections }),
      ...(options.tls !== undefined && { tls: options.tls }),
      ...(options.proxyProtocol !== undefined && {
        proxyProtocol: {
          isSource: proxyTrust(options.proxyProtocol.ranges).isProxy,
          peers,
          timeoutMs: options.proxyProtocol.timeoutMs,
        },
      }),
    },
    dispatcher,
  );
  const { port } = await listener.listen();
  return {
    port,
    store,
    dispatcher,
    realm,
    manifest,
    accounts,
    logged,
    idle: () => manifest.settler.idle(),
    accessLogs,
    async deliverLogs() {
      observers.flush();
      accessLogs.flush();
      while (accessLogs.waitingBytes > 0) await setImmediate();
    },
    async close() {
      const closed = listener.close();
      listener.destroy();
      await closed;
      stalls.stop();
      await accessLogs.close();
      await manifest.settler.close();
      background.abort();
      await store.close();
    },
  };
}

/** Of one process, which is told at once what others have written. */
function quotasOf(ofBucket: (bucket: string) => Quota | undefined, backend: Backend, log: Log): Quotas {
  return new Quotas({
    backends: [backend],
    ofBucket,
    ofAccount: () => undefined,
    exchangeMs: 0,
    maxAgeMs: 86_400_000,
    newCall: () => backgroundCall(new AbortController().signal),
    onProblem: (error) => log.error({ err: error }, 'quotas'),
    onLevel: () => undefined,
  });
}
