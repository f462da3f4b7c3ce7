import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { type LoggedLine, startGatewayOver } from '../support/gateway/gateway.ts';
import { Random } from '../support/random.ts';
import { type At, roundTrip } from '../support/clients/raw-http.ts';
import { OTHER_ACCESS_KEY, signedHead } from '../support/clients/sign-raw.ts';
import { tlsMaterial } from '../support/certificates.ts';
import { everythingThatWatches } from '../support/gateway/watchers.ts';
import { exchange, type FuzzRequest, KeptConnection, type Outcome } from './client.ts';
import { emptyStore, heldBytes } from './held.ts';
import { type KnownIds, randomRequest } from './requests.ts';
import { Sentinels } from './sentinels.ts';

interface FuzzOptions {
  readonly requests: number;
  /** Number of the first: a run may be cut into several. Default 0. */
  readonly first?: number;
  readonly seed: number;
  readonly store: BlobStore;
  /** Over TLS. */
  readonly tls?: boolean;
  /** Told now and then how far it is, and what the process holds. */
  readonly progress?: (done: number, heldBytes: number) => void;
}

interface FuzzReport {
  /** Requests by status; 0: no answer, as to a body that never came. */
  readonly statuses: Readonly<Record<string, number>>;
  /**
   * Answers that must not be: 5xx other than 501, none where one had to come, and anything of a sentinel. With the
   * request that got them.
   */
  readonly failures: readonly string[];
  /** What has changed of the sentinels. */
  readonly damage: string;
  /** Bytes that the process holds more than before, once everything stored is gone. */
  readonly grownBytes: number;
  /** A request of an honest client in the end. */
  readonly servedAfter: boolean;
}

/** Requests that go out on one connection before their answers come, and lots of them at a time. */
const LOT = 12;
const LOTS_AT_A_TIME = 4;
/** Requests on connections of their own that wait for an answer that may never come. */
const MOST_WAITING = 400;
const MAX_FAILURES = 20;
const PROGRESS_EVERY = 25_000;
/** So often there are buckets and new uploads and versions again, whatever was removed meanwhile. */
const RENEWED_EVERY = 2000;
const JOURNAL_BYTES = 1024 * 1024;
/** For what runs on after answers: settlings, and connections that end. */
const QUIET_MS = 500;
const BUCKETS = [['fuzz-one'], ['fuzz-two', OTHER_ACCESS_KEY]] as const;

/** Sends random requests of nobody and of two accounts, and looks after each whether it did harm. */
export async function fuzz({
  requests,
  first = 0,
  seed,
  store,
  tls = false,
  progress,
}: FuzzOptions): Promise<FuzzReport> {
  const watchers = everythingThatWatches(JOURNAL_BYTES);
  const logged = new ErrorLines();
  const gateway = await startGatewayOver(store, {
    ...watchers.options,
    ...(tls && { tls: await tlsMaterial() }),
    presignedV2: true,
    systemContainer: `fuzz${seed}-${Date.now()}`.slice(0, 60),
    onLog: (line) => logged.note(line),
  });
  watchers.watch(gateway.dispatcher);
  const at = { port: gateway.port, tls };
  try {
    const sentinels = new Sentinels(at);
    await sentinels.place();
    const ids = await playground(at);
    if (ids === undefined) throw new Error('the fuzzer got no ids to play with');
    const before = await heldBytes();
    const run = new Run(at, {
      requests,
      first,
      seed,
      ids,
      marker: sentinels.marker,
      progress: async (done) => progress?.(done, await heldBytes()),
    });
    await run.finished();
    const served = await roundTrip(at, signedHead({ target: '/' }));
    const damage = await sentinels.changes();
    await emptyStore(store);
    await sleep(QUIET_MS);
    watchers.observers.flush();
    const failures = [...run.failures, ...logged.texts];
    return {
      statuses: run.statuses,
      failures,
      damage,
      grownBytes: (await heldBytes()) - before,
      servedAfter: served.status === 200,
    };
  } finally {
    await gateway.close();
  }
}

interface RunOptions extends Pick<FuzzOptions, 'requests' | 'seed'> {
  readonly first: number;
  readonly ids: KnownIds;
  readonly marker: string;
  readonly progress: (done: number) => Promise<void>;
}

/** The requests of a run, under way. */
class Run {
  readonly statuses: Record<string, number> = {};
  readonly failures: string[] = [];
  readonly #at: At;
  readonly #options: RunOptions;
  readonly #waiting = new Set<Promise<void>>();
  #ids: KnownIds;
  #started = 0;

  constructor(at: At, options: RunOptions) {
    this.#at = at;
    this.#options = options;
    this.#ids = options.ids;
  }

  async finished(): Promise<void> {
    await Promise.all(Array.from({ length: LOTS_AT_A_TIME }, () => this.#lots()));
    await Promise.all(this.#waiting);
  }

  async #lots(): Promise<void> {
    const connection = new KeptConnection(this.#at);
    try {
      while (this.#started < this.#options.requests && this.failures.length < MAX_FAILURES) await this.#lot(connection);
    } finally {
      connection.close();
    }
  }

  /**
   * Those that end where they say go out together, the others each on a connection of their own: who knows where they
   * end.
   */
  async #lot(connection: KeptConnection): Promise<void> {
    const { requests, first: offset, seed, progress } = this.#options;
    const whole: [number, FuzzRequest][] = [];
    const first = this.#started;
    const end = (this.#started = Math.min(first + LOT, requests));
    for (let index = first; index < end; index += 1) {
      if (index % PROGRESS_EVERY === PROGRESS_EVERY - 1) await progress(index + 1);
      if (index % RENEWED_EVERY === RENEWED_EVERY - 1) this.#ids = (await playground(this.#at)) ?? this.#ids;
      // Each has a seed of its own: it can be made again without those before it.
      const request = randomRequest(new Random(seed * 1_000_003 + offset + index), this.#ids);
      if (request.whole) whole.push([index, request]);
      else this.#alone(index, request);
    }
    const outcomes = await connection.exchange(whole.map(([, request]) => request));
    for (const [at, [index, request]] of whole.entries()) {
      this.#judge(index, request, outcomes[at] ?? { status: 0, text: '' });
    }
    while (this.#waiting.size > MOST_WAITING) await Promise.race(this.#waiting);
  }

  #alone(index: number, request: FuzzRequest): void {
    const waiting: Promise<void> = exchange(this.#at, request).then((outcome) => {
      this.#waiting.delete(waiting);
      this.#judge(index, request, outcome);
    });
    this.#waiting.add(waiting);
  }

  #judge(index: number, request: FuzzRequest, { status, text }: Outcome): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const bad =
      (status >= 500 && status !== 501) || (status === 0 && request.whole) || text.includes(this.#options.marker);
    if (bad) {
      this.failures.push(
        `#${this.#options.first + index} ${JSON.stringify(request.text.slice(0, 2000))}\n  -> ${JSON.stringify(text.slice(0, 600))}`,
      );
    }
  }
}

/** Failures that the gateway logged; all else of the log is forgotten. */
class ErrorLines {
  readonly texts: string[] = [];

  note({ level, fields, message }: LoggedLine): void {
    if (level !== 'error' || this.texts.length >= MAX_FAILURES) return;
    const { err } = fields as { readonly err?: unknown };
    this.texts.push(`${message}: ${err instanceof Error ? (err.stack ?? err.message) : JSON.stringify(fields)}`);
  }
}

/**
 * Makes the buckets of the fuzzer, unless they are there, and uploads and versions in them: these differ from run to
 * run, all else is the same for a seed.
 * @returns undefined: not to be had at the moment
 */
async function playground(at: At): Promise<KnownIds | undefined> {
  const put = (target: string, body = '', method = 'PUT') =>
    roundTrip(at, signedHead({ method, target, headers: { 'content-length': String(body.length) } }) + body);
  for (const [bucket, accessKey] of BUCKETS) {
    await roundTrip(
      at,
      signedHead({
        method: 'PUT',
        target: `/${bucket}`,
        headers: { 'content-length': '0' },
        ...(accessKey !== undefined && { accessKey }),
      }),
    );
  }
  const uploads = await Promise.all(
    ['a', 'b', 'a'].map(
      async (key) => /<UploadId>([^<]*)/.exec((await put(`/fuzz-one/${key}?uploads`, '', 'POST')).body)?.[1] ?? '',
    ),
  );
  await put('/fuzz-one?versioning', '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>');
  const stored = await Promise.all(['a', 'b', 'dir/c'].map((key) => put(`/fuzz-one/${key}`, 'mine')));
  const versions = stored.map(({ headers }) => headers['x-amz-version-id'] ?? '');
  return [...uploads, ...versions].includes('') ? undefined : { uploads, versions };
}
