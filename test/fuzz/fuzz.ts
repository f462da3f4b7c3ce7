import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { startGatewayOver } from '../support/gateway.ts';
import { roundTrip } from '../support/raw-http.ts';
import { OTHER_ACCESS_KEY, signedHead } from '../support/sign-raw.ts';
import { exchange } from './client.ts';
import { Random } from '../support/random.ts';
import { type KnownIds, randomRequest } from './requests.ts';
import { Sentinels } from './sentinels.ts';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly store: BlobStore;
  /** Told now and then how far it is. */
  readonly progress?: (done: number) => void;
}

export interface FuzzReport {
  /** Requests by status; 0: no answer, as to a body that never came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers that must not be: 5xx other than 501 and 503, and anything of a sentinel. With the request that got them. */
  readonly failures: readonly string[];
  /** What has changed of the sentinels. */
  readonly damage: string;
  /** Bytes that the process holds more than before. */
  readonly grownBytes: number;
  /** A request of an honest client in the end. */
  readonly servedAfter: boolean;
}

const AT_A_TIME = 16;
const MAX_FAILURES = 20;
const PROGRESS_EVERY = 10_000;
const ALLOWED: ReadonlySet<number> = new Set([501, 503]);

/** Sends random requests of nobody and of two accounts, and looks after each whether it did harm. */
export async function fuzz({ requests, seed, store, progress }: FuzzOptions): Promise<FuzzReport> {
  const gateway = await startGatewayOver(store, { presignedV2: true, systemContainer: `fuzz${seed}-${Date.now()}`.slice(0, 60) });
  try {
    const sentinels = new Sentinels(gateway.port);
    await sentinels.place();
    for (const [bucket, accessKey] of [['fuzz-one'], ['fuzz-two', OTHER_ACCESS_KEY]] as const) await makeBucket(gateway.port, bucket, accessKey);
    const ids = await knownIds(gateway.port);
    const before = heldBytes();
    const statuses: Record<string, number> = {};
    const failures: string[] = [];
    let started = 0;
    const work = async (): Promise<void> => {
      while (started < requests && failures.length < MAX_FAILURES) {
        const index = started;
        started += 1;
        if (index % PROGRESS_EVERY === PROGRESS_EVERY - 1) progress?.(index + 1);
        // Each has a seed of its own: it can be made again without those before it.
        const request = randomRequest(new Random(seed * 1_000_003 + index), ids);
        const { status, text } = await exchange(gateway.port, request);
        statuses[status] = (statuses[status] ?? 0) + 1;
        const bad = (status >= 500 && !ALLOWED.has(status)) || text.includes(sentinels.marker);
        if (bad) failures.push(`#${index} ${JSON.stringify(request.slice(0, 2000))}\n  -> ${JSON.stringify(text.slice(0, 600))}`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    for (const { fields, message } of gateway.logged.filter(({ level }) => level === 'error').slice(0, MAX_FAILURES)) failures.push(`${message}: ${describeError(fields)}`);
    const served = await roundTrip(gateway.port, signedHead({ target: '/' }));
    return { statuses, failures, damage: await sentinels.changes(), grownBytes: heldBytes() - before, servedAfter: served.status === 200 };
  } finally {
    await gateway.close();
  }
}

async function makeBucket(port: number, bucket: string, accessKey?: string): Promise<void> {
  const { status } = await roundTrip(port, signedHead({ method: 'PUT', target: `/${bucket}`, headers: { 'content-length': '0' }, ...(accessKey !== undefined && { accessKey }) }));
  if (status !== 200) throw new Error(`PUT /${bucket}: ${status}`);
}

/** Uploads and versions of the fuzzer's own: they differ from run to run, all else is the same for a seed. */
async function knownIds(port: number): Promise<KnownIds> {
  const put = (target: string, body = '', method = 'PUT') => roundTrip(port, signedHead({ method, target, headers: { 'content-length': String(body.length) } }) + body);
  const uploads = await Promise.all(['a', 'b', 'a'].map(async (key) => /<UploadId>([^<]*)/.exec((await put(`/fuzz-one/${key}?uploads`, '', 'POST')).body)?.[1] ?? ''));
  await put('/fuzz-one?versioning', '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>');
  const stored = await Promise.all(['a', 'b', 'dir/c'].map((key) => put(`/fuzz-one/${key}`, 'mine')));
  const versions = stored.map(({ headers }) => headers['x-amz-version-id'] ?? '');
  if ([...uploads, ...versions].includes('')) throw new Error('the fuzzer got no ids to play with');
  return { uploads, versions };
}

function describeError(fields: object): string {
  const { err } = fields as { readonly err?: unknown };
  return err instanceof Error ? err.stack ?? err.message : JSON.stringify(fields);
}

function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
