import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { type Outcome, mannerOf, readOnce } from './reader.ts';

const KIB = 1024;
/** How long the gateway may take behind the last byte. Milliseconds. */
const LONGEST_WAIT = 10_000;
/** What a client sends at a time. */
const CHUNK = 32 * KIB;
/** A slow client sends what gets through in so many milliseconds. */
const MOST_MS = 4_000;
const MOST_BYTES = 24 * 1024 * KIB;

/** URLs of a key that one client alone writes. */
export interface OwnKey {
  readonly put: string;
  readonly get: string;
}

/** Writes its own key over and over, and reads back what is there. */
export class Writer {
  readonly #key: OwnKey;
  readonly #contentOf: (size: number, salt: number) => Buffer;
  #stored: Buffer | undefined;
  #salt: number;

  /** @param salt no two writers have the same */
  constructor(key: OwnKey, contentOf: (size: number, salt: number) => Buffer, salt: number) {
    this.#key = key;
    this.#contentOf = contentOf;
    this.#salt = salt;
  }

  /** One PUT, slow, stuttering, or broken off in the middle; then the object is what was stored whole last. */
  async writeOnce(random: Random): Promise<Outcome> {
    const most = mannerOf(random, MOST_BYTES);
    const size = 1 + random.below(Math.min(MOST_BYTES, Math.floor(most.rate * MOST_MS)));
    const leavesAfter = most.leavesAfter === undefined ? undefined : random.below(size);
    this.#salt += 1009;
    const bytes = this.#contentOf(size, this.#salt);
    try {
      const status = await send(this.#key.put, bytes, { ...most, leavesAfter });
      if (status === 200) this.#stored = bytes;
      else if (status !== undefined) return { fault: `PUT of ${size} bytes: status ${status}`, bytes: 0 };
    } catch (error) {
      // It may have been stored, or be stored later: what is there is known again after the next.
      this.#stored = undefined;
      return { fault: `PUT of ${size} bytes: ${String(error)}`, bytes: 0 };
    }
    return this.#readBack();
  }

  async #readBack(): Promise<Outcome> {
    const expected = this.#stored;
    if (expected === undefined) return { fault: undefined, bytes: 0 };
    const fast = { rate: Infinity, rests: undefined, leavesAfter: undefined };
    return readOnce({ url: this.#key.get, range: undefined, expected, manner: fast });
  }
}

type Pace = Pick<ReturnType<typeof mannerOf>, 'rate' | 'rests' | 'leavesAfter'>;

/** @returns the status; undefined: the client left in the middle */
async function send(url: string, bytes: Buffer, { rate, rests, leavesAfter }: Pace): Promise<number | undefined> {
  const options = {
    method: 'PUT',
    headers: { 'content-length': bytes.length },
    agent: false,
    rejectUnauthorized: false,
  } as RequestOptions;
  const sent = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
  const answered = Promise.withResolvers<IncomingMessage>();
  sent.on('response', answered.resolve).on('close', () => answered.reject(new Error('no answer')));
  sent.on('error', () => undefined);
  let resting = rests?.every ?? Infinity;
  for (let at = 0; at < bytes.length; at += CHUNK) {
    if (leavesAfter !== undefined && at >= leavesAfter) {
      answered.promise.catch(() => undefined);
      sent.destroy();
      return undefined;
    }
    const chunk = bytes.subarray(at, at + CHUNK);
    // An answer that comes before the end says what is wrong.
    if (!(await written(sent, chunk))) break;
    resting -= chunk.length;
    if (resting <= 0) {
      resting = rests?.every ?? Infinity;
      await sleep(rests?.ms ?? 0);
    }
    const due = chunk.length / rate;
    if (due >= 1) await sleep(due);
  }
  if (!sent.destroyed) sent.end();
  const late = setTimeout(() => sent.destroy(new Error(`no answer ${LONGEST_WAIT} ms behind the body`)), LONGEST_WAIT);
  try {
    const answer = await answered.promise;
    answer.resume();
    return answer.statusCode;
  } finally {
    clearTimeout(late);
  }
}

/** @returns false when the peer takes no more */
function written(sent: ClientRequest, chunk: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    sent.write(chunk, (error) => resolve(error === undefined || error === null));
  });
}
