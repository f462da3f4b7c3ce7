import { createHash, randomBytes } from 'node:crypto';
import { headerText, type WireHeaders, type WireResponse } from '../../../adapters/shared/wire/transport.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { reasonOf } from '../preflight/error-words.ts';

/** Something that the adapters rely on, as a program can try it on an account. */
export interface Trial<Ground> {
  /** Row of `docs/assumptions.md`. */
  readonly id: string;
  /** What is asked of the service. */
  readonly tries: string;
  /** Answers that are as assumed, in the words of `saidOf` or of the trial itself. */
  readonly expected: readonly string[];
  /** What the gateway makes of any other answer. */
  readonly otherwise: string;
  /** @returns what was seen @throws NotTried */
  readonly run: (ground: Ground) => Promise<string>;
}

export interface TrialResult extends Pick<Trial<never>, 'id' | 'tries' | 'expected' | 'otherwise'> {
  readonly verdict: 'assumed' | 'different' | 'not tried';
  readonly seen: string;
}

/** This account, credential or service gives no occasion to see what the trial is about. */
export class NotTried extends Error {}

/** One after the other. A trial that gets no answer counts as not tried. @throws what ended the signal */
export async function runTrials<Ground>(
  trials: readonly Trial<Ground>[],
  ground: Ground,
  signal: AbortSignal,
): Promise<TrialResult[]> {
  const results: TrialResult[] = [];
  for (const { run, ...about } of trials) {
    signal.throwIfAborted();
    results.push({ ...about, ...(await outcomeOf(about.expected, () => run(ground))) });
  }
  return results;
}

async function outcomeOf(
  expected: readonly string[],
  run: () => Promise<string>,
): Promise<Pick<TrialResult, 'verdict' | 'seen'>> {
  try {
    const seen = await run();
    return { verdict: expected.includes(seen) ? 'assumed' : 'different', seen };
  } catch (error) {
    return { verdict: 'not tried', seen: error instanceof NotTried ? error.message : reasonOf(error) };
  }
}

/** An answer of the service itself, a refusal too. */
export interface ServiceAnswer {
  readonly status: number;
  /** The service's own word for a refusal. */
  readonly code: string | undefined;
  /** Empty for a refusal. */
  readonly headers: WireHeaders;
  readonly body: Buffer;
  /** Seconds, of a refusal. */
  readonly retryAfter: number | undefined;
}

const MOST = 16 * 1024 * 1024;

/** @throws StoreError when there was no answer */
export async function answerOf(sent: Promise<WireResponse>): Promise<ServiceAnswer> {
  try {
    const { status, headers, body } = await sent;
    const bytes = Buffer.from(await body.bytes(MOST));
    return { status, code: undefined, headers, body: bytes, retryAfter: undefined };
  } catch (error) {
    if (!isStoreError(error) || error.detail.status === undefined) throw error;
    const { status, code, retryAfter } = error.detail;
    return { status, code, headers: {}, body: Buffer.alloc(0), retryAfter };
  }
}

/** What blobs of trials hold. */
export const TRIAL_BYTES = Buffer.from('prove');

/** What trials of either cloud need of their ground. */
interface Puts {
  /** A blob to begin with, and its revision. @throws NotTried */
  given(name: string, body?: Uint8Array): Promise<string>;
}

/** A trial that puts a blob and then asks something of it. @param ask is told the blob's revision */
export function ofBlob<Ground extends Puts>(
  name: string,
  ask: (ground: Ground, revision: string) => Promise<ServiceAnswer>,
): (ground: Ground) => Promise<string> {
  return async (ground) => saidOf(await ask(ground, await ground.given(name)));
}

/** The same of a blob that has changed since. @param ask is told the blob's earlier revision */
export function ofChangedBlob<Ground extends Puts>(
  name: string,
  ask: (ground: Ground, earlier: string) => Promise<ServiceAnswer>,
): (ground: Ground) => Promise<string> {
  return async (ground) => {
    const earlier = await ground.given(name);
    await ground.given(name, Buffer.from('newer bytes'));
    return saidOf(await ask(ground, earlier));
  };
}

/** Names that the orders of UTF-8 and UTF-16 put differently: U+FFFD, and one beyond U+FFFF. */
export const [REPLACEMENT, BEYOND] = ['\ufffd', '\u{1f600}'];

/** What the MD5 (Base64) in an answer is of; empty or absent where there is none. */
export function md5Words(found: string | undefined): string {
  if (found === undefined || found === '') return 'none';
  return found === md5Of(TRIAL_BYTES) ? 'of these bytes' : 'another one';
}

/** Base64. */
export function md5Of(bytes: string | Uint8Array): string {
  return createHash('md5').update(bytes).digest('base64');
}
export const OTHER_MD5 = md5Of('other bytes');

/** Of a read of an object under a customer's key, without that key. */
export const WITHOUT_KEY =
  'another refusal is InternalError for the client; where keys are ignored, SSE-C protects nothing';

/** Headers of a key of our own. @param prefix of the cloud's headers */
export function customerKey(prefix: 'x-ms' | 'x-goog'): string[] {
  const key = randomBytes(32);
  const digest = createHash('sha256').update(key).digest('base64');
  const name = `${prefix}-encryption`;
  return [`${name}-algorithm`, 'AES256', `${name}-key`, key.toString('base64'), `${name}-key-sha256`, digest];
}

/** `412 ConditionNotMet`. */
export function saidOf({ status, code }: Pick<ServiceAnswer, 'status' | 'code'>): string {
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** A header of an answer; empty where there is none. */
export function valueOf({ headers }: ServiceAnswer, name: string): string {
  return headerText(headers, name) ?? '';
}

/** The answer, if it is a success: what a trial needs before it begins. @throws NotTried */
export function done(answer: ServiceAnswer, what: string): ServiceAnswer {
  if (answer.status >= 300) throw new NotTried(`${what} was answered ${saidOf(answer)}`);
  return answer;
}

/** Outcomes of a batch of three deletions: of a blob, of one that has changed since, of one that is not there. */
export async function removalsOf(store: BlobStore, container: string, call: Call): Promise<string> {
  const put = async (name: string) =>
    (await store.write({ container, name }, Buffer.from(name), { metadata: {} }, call)).revision;
  const [good, stale] = [await put('batch/good'), await put('batch/changed')];
  await store.write({ container, name: 'batch/changed' }, Buffer.from('newer'), { metadata: {} }, call);
  const outcomes = await store.removeMany(
    container,
    [{ name: 'batch/good', revision: good }, { name: 'batch/changed', revision: stale }, { name: 'batch/nothing' }],
    call,
  );
  return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : reasonOf(outcome))).join(', ');
}
