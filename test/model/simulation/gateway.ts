import { tiersOfClasses } from '../../../config/schema-classes.ts';
import type { Account as S3Account, Principal } from '../../../src/access/accounts.ts';
import { createAccountDirectory } from '../../../src/access/directory.ts';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { createRealm } from '../../../src/main/bucket-rules.ts';
import { type OpenManifest, openManifest } from '../../../src/main/manifest.ts';
import type { Realm } from '../../../src/manifest/buckets/realm.ts';
import type { ObjectTarget, RemoveRequest, Removed } from '../../../src/manifest/heads/object-requests.ts';
import { tieredStore } from '../../../src/manifest/heads/tiered-store.ts';
import { type LifecycleSettings, runLifecycle } from '../../../src/manifest/lifecycle/lifecycle.ts';
import type { LifecycleReport } from '../../../src/manifest/lifecycle/lifecycle-report.ts';
import type { Objects } from '../../../src/manifest/objects/objects.ts';
import type { StorageClasses } from '../../../src/manifest/records/storage-classes.ts';
import { KeyQueue } from '../../../src/manifest/heads/key-queue.ts';
import type { Time } from '../../../src/manifest/records/time.ts';
import type { Call } from '../../../src/observe/call.ts';
import { OPERATIONS } from '../../../src/operations/index.ts';
import type { OperationSettings } from '../../../src/operations/operation.ts';
import { perform } from '../../../src/operations/perform.ts';
import { OPERATION_TABLE, type OperationName } from '../../../src/protocol/operation-table.ts';
import type { S3Response } from '../../../src/protocol/response.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import type { Account } from './plan.ts';
import { type RequestParts, s3Request } from './request.ts';
import { askedOf } from '../../support/access/asked.ts';
import type { Timeline } from './timeline.ts';

/** 2023: when the tests play. */
const EPOCH = 1_700_000_000_000;
const CACHE_MS = 1000;
/** Bodies above this many bytes are streamed. */
export const HOLD_BYTES = 64;
const SETTINGS: OperationSettings = {
  region: 'us-east-1',
  smallRangeCopy: false,
  holdBytes: HOLD_BYTES,
  newBuckets: 'open',
  cors: [],
  customerKeysOverHttp: true,
};
const SYSTEM = 'system';
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

const ACCOUNTS: readonly S3Account[] = ['A', 'B'].map((name, index) => ({
  name,
  canonicalId: String(index + 1).repeat(64),
  displayName: name,
  email: `${name}@example.com`,
  accountNumber: String(index + 1).repeat(12),
}));
const keysOf = ({ name }: S3Account): { accessKeyId: string; secretAccessKey: string }[] => [
  { accessKeyId: name, secretAccessKey: name },
];
const DIRECTORY = createAccountDirectory(ACCOUNTS.map((account) => ({ ...account, keys: keysOf(account), users: [] })));

/** What was archived is served at once, so that all bytes can be compared at any time. */
const CLASSES: StorageClasses = {
  tiers: new Map(tiersOfClasses()),
  restore: 'immediate',
  defaultOf: () => 'STANDARD',
};
/** A day is so short that rules come due between the requests of a run. */
const LIFECYCLE_SETTINGS: LifecycleSettings = {
  dryRun: false,
  length: { ms: 200, isRounded: false },
  concurrency: 2,
  perSecond: 1000,
  everyMs: 0,
};

type AroundRemoval = (
  removal: { readonly target: ObjectTarget; readonly request: RemoveRequest },
  work: () => Promise<Removed>,
) => Promise<Removed>;

interface GatewayOptions {
  readonly name: string;
  readonly timeline: Timeline;
  /** Milliseconds its clock is ahead. */
  readonly skew: number;
  /** The common store as this gateway sees it. */
  readonly storeOf: (gateway: Gateway) => BlobStore;
  /** Buckets that are parts of containers; then everything without a record is A's. */
  readonly places?: ReadonlyMap<string, string> | undefined;
  /** Storage classes are tiers. */
  readonly tiers: boolean;
  readonly onCrash: (gateway: Gateway) => void;
}

/** One process: a manifest with clock, cache, queue and settler of its own. Its operations are called without HTTP. */
export class Gateway {
  readonly name: string;
  skew: number;
  /** How many processes it was before; what belongs to an earlier one never goes on. */
  life = 0;
  isUp = true;
  readonly #options: GatewayOptions;
  #pausedUntil = 0;
  #manifest: OpenManifest;
  #realm: Realm;

  constructor(options: GatewayOptions) {
    this.name = options.name;
    this.skew = options.skew;
    this.#options = options;
    [this.#realm, this.#manifest] = this.#start();
  }

  get realm(): Realm {
    return this.#realm;
  }

  /** Its clock. */
  get time(): Time {
    return this.#timeOf(this.life);
  }

  /** Requests of clients that never left are carried on after a restart by nobody. */
  crash(ms: number): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.life += 1;
    this.#options.onCrash(this);
    this.#options.timeline.after(ms, () => {
      this.isUp = true;
      [this.#realm, this.#manifest] = this.#start();
    });
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.timeline.now + ms);
  }

  /** Runs `work` in this process, as soon as it runs itself; never, if it dies before. */
  resume(life: number, work: () => void): void {
    if (life !== this.life) return;
    const wait = this.#pausedUntil - this.#options.timeline.now;
    if (wait > 0) this.#options.timeline.after(wait, () => this.resume(life, work));
    else work();
  }

  /** Carries lifecycle rules out. @param around each removal, which the run makes in place of a client */
  lifecycle(around: AroundRemoval, call: Call): Promise<LifecycleReport> {
    const { buckets, objects, listing, uploads } = this.#manifest;
    const remove: Objects['remove'] = (target, request, own) =>
      around({ target, request }, () => objects.remove(target, request, own));
    const service = serviceClock(this.#options.timeline);
    const clock = { readClock: async () => ({ service: service(), sent: 0, received: 0 }) };
    const { find, changeClass } = objects;
    return runLifecycle(
      {
        realm: this.#realm,
        backends: this.#realm.backends,
        manifest: { buckets, listing, uploads, objects: { find, changeClass, remove } },
        settings: LIFECYCLE_SETTINGS,
        clockOf: () => clock,
      },
      call,
    );
  }

  /** @throws S3Error, and whatever a request ends with */
  async perform(
    name: OperationName,
    parts: RequestParts & { readonly account: Account },
    call: Call,
  ): Promise<S3Response> {
    const operation = OPERATIONS[name];
    const row = OPERATION_TABLE.find((one) => one.name === name);
    if (operation === undefined || row === undefined) throw new S3Error('NotImplemented');
    const request = s3Request(row.method, parts, call);
    return perform(operation, request, {
      call,
      hostId: 'HOST',
      operation: row,
      principal: principalOf(parts.account),
      accounts: DIRECTORY,
      manifest: this.#manifest,
      settings: SETTINGS,
      mayTakeLong: () => undefined,
      logAccess: () => undefined,
      alsoOnBucket: () => undefined,
      asked: askedOf(request, name),
      authenticateForm: () => principalOf(parts.account),
    });
  }

  #start(): [Realm, OpenManifest] {
    const { storeOf, places, tiers } = this.#options;
    const time = this.#timeOf(this.life);
    const backend = {
      name: 'memory',
      store: tiers ? tieredStore(storeOf(this), CLASSES) : storeOf(this),
      ...(tiers && { classes: CLASSES }),
      systemContainer: SYSTEM,
      ownerId: places === undefined ? 'nobody' : (DIRECTORY.byName('A')?.canonicalId ?? ''),
      ...(places !== undefined && { places }),
      queue: new KeyQueue({ time }),
      time,
    };
    const realm = createRealm([backend], [], undefined);
    return [
      realm,
      openManifest({ realm, bucketCacheMs: CACHE_MS, log: SILENT, signal: new AbortController().signal, time }),
    ];
  }

  #timeOf(life: number): Time {
    const { timeline } = this.#options;
    const after: Time['after'] = (ms, work) => timeline.after(ms, () => this.resume(life, work));
    return {
      now: () => Math.floor(EPOCH + timeline.now + this.skew),
      monotonic: () => timeline.now,
      after,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) {
            reject(signal.reason as Error);
            return;
          }
          const stop = after(ms, () => {
            signal.removeEventListener('abort', leave);
            resolve();
          });
          const leave = (): void => {
            stop();
            reject(signal.reason as Error);
          };
          signal.addEventListener('abort', leave, { once: true });
        }),
      timeout: (ms) => {
        const controller = new AbortController();
        after(ms, () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
        return controller.signal;
      },
    };
  }
}

function principalOf(name: Account): Principal {
  const account = DIRECTORY.byName(name);
  if (account === undefined) throw new Error(`no account ${name}`);
  return { kind: 'account', account, accessKeyId: name };
}

/** The store's clock: right. */
export function serviceClock(timeline: Timeline): () => number {
  return () => Math.floor(EPOCH + timeline.now);
}
