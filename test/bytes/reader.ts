import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';

const MIB = 1024 * 1024;
/** A client that waits for longer, although it wants bytes, has been forgotten. Milliseconds. */
const LONGEST_WAIT = 5_000;

/** How one client reads. */
interface Manner {
  /** Bytes per millisecond. */
  readonly rate: number;
  /** After so many bytes it rests for so many milliseconds. */
  readonly rests: { readonly every: number; readonly ms: number } | undefined;
  /** It leaves after so many bytes. */
  readonly leavesAfter: number | undefined;
}

/** From 0.1 to 100 MB/s; one in three stutters, one in six leaves. Slow ones are seldom, since they take long. */
export function mannerOf(random: Random, size: number): Manner {
  const rate = 100 * 1000 ** Math.sqrt(random.next());
  const every = 256 * 1024 + random.below(3 * MIB);
  return {
    rate,
    rests: random.oneIn(3) ? { every, ms: random.oneIn(6) ? 2_500 : random.below(250) } : undefined,
    leavesAfter: random.oneIn(6) ? random.below(size) : undefined,
  };
}

export interface Outcome {
  /** What is wrong; undefined: nothing. */
  readonly fault: string | undefined;
  readonly bytes: number;
}

interface Asked {
  readonly url: string;
  /** First and last byte; undefined: all. */
  readonly range: readonly [number, number] | undefined;
  readonly expected: Buffer;
  readonly manner: Manner;
}

/** One GET, every byte compared. */
export async function readOnce({ url, range, expected, manner }: Asked): Promise<Outcome> {
  const headers = range === undefined ? {} : { range: `bytes=${range[0]}-${range[1]}` };
  let at = 0;
  try {
    const answer = await ask(url, { headers, agent: false, rejectUnauthorized: false } as RequestOptions);
    const status = range === undefined ? 200 : 206;
    if (answer.statusCode !== status) return { fault: `status ${answer.statusCode ?? 0}`, bytes: 0 };
    let resting = manner.rests?.every ?? Infinity;
    let wanted = performance.now();
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const waited = performance.now() - wanted;
      if (waited > LONGEST_WAIT) return { fault: `waited ${Math.round(waited)} ms at ${at}`, bytes: at };
      if (!chunk.equals(expected.subarray(at, at + chunk.length))) return { fault: `wrong bytes at ${at}`, bytes: at };
      at += chunk.length;
      if (manner.leavesAfter !== undefined && at >= manner.leavesAfter) return { fault: undefined, bytes: at };
      resting -= chunk.length;
      if (resting <= 0) {
        resting = manner.rests?.every ?? Infinity;
        await sleep(manner.rests?.ms ?? 0);
      }
      const due = chunk.length / manner.rate;
      if (due >= 1) await sleep(due);
      wanted = performance.now();
    }
  } catch (error) {
    return { fault: `${String(error)} at ${at}`, bytes: at };
  }
  return { fault: at === expected.length ? undefined : `${at} of ${expected.length} bytes`, bytes: at };
}

function ask(url: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const late = setTimeout(() => sent.destroy(new Error(`no answer after ${LONGEST_WAIT} ms`)), LONGEST_WAIT);
    const sent = send(url, options, (answer) => {
      clearTimeout(late);
      resolve(answer);
    });
    sent.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    sent.end();
  });
}
