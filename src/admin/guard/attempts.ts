import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenCheck, TokenVerdict } from './token-check.ts';
import { keepNewest, keepNewestName } from '../../observe/bounded-map.ts';

/** `braked`: not looked at, as too many wrong ones came before. */
export type LoginVerdict = TokenVerdict | 'braked';

interface AttemptLimits {
  /** Wrong tokens of one source, and of all sources together, that are looked at without a pause. */
  readonly burst: number;
  readonly burstOfAll: number;
  /** Milliseconds between those after that. */
  readonly pauseMs: number;
  readonly pauseOfAllMs: number;
  /** Longest wait for a turn; a caller that would wait longer is turned away. */
  readonly maxWaitMs: number;
}

const LIMITS: AttemptLimits = { burst: 10, burstOfAll: 100, pauseMs: 1000, pauseOfAllMs: 50, maxWaitMs: 3000 };
const MAX_SOURCES = 1024;
const MAX_RIGHT = 256;

/**
 * A brake on guessing. Each wrong token takes a turn of its source and of all sources; who has none left waits for the
 * next, a few at a time, and is turned away beyond that. A token that was right here before never waits, and turns come
 * back by themselves: no caller is locked out for good. What is kept is bounded, and so is what an attempt costs.
 */
export class Attempts {
  readonly #limits: AttemptLimits;
  /** Time from which the source's turns would all be there again. */
  readonly #sources = new Map<string, number>();
  #all = 0;
  readonly #right = new Set<string>();

  constructor(limits: Partial<AttemptLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @param address where the request comes from */
  async verify(check: TokenCheck, token: string, address: string | undefined): Promise<LoginVerdict> {
    const source = sourceOf(address);
    const digest = hash('sha256', token, 'hex');
    const isKnown = this.#right.has(digest);
    if (!isKnown && !(await this.#turn(source))) return 'braked';
    const verdict = await check.verify(token, source);
    if (verdict === 'right') keepNewestName(this.#right, digest, MAX_RIGHT);
    else if (verdict === 'wrong') this.#right.delete(digest);
    if (!isKnown && verdict !== 'wrong') this.#giveBack(source);
    return verdict;
  }

  /** Takes a turn, when it comes within the longest wait. */
  async #turn(source: string): Promise<boolean> {
    const { burst, burstOfAll, pauseMs, pauseOfAllMs, maxWaitMs } = this.#limits;
    // The monotonic clock: after one that is set back, all callers would wait for as long.
    const now = performance.now();
    const own = Math.max(now, this.#sources.get(source) ?? 0) + pauseMs;
    // A caller at the machine itself is not kept out by all the others.
    const all = source === LOOPBACK ? this.#all : Math.max(now, this.#all) + pauseOfAllMs;
    const wait = Math.max(own - burst * pauseMs, source === LOOPBACK ? 0 : all - burstOfAll * pauseOfAllMs) - now;
    if (wait > maxWaitMs) return false;
    keepNewest(this.#sources, source, own, MAX_SOURCES);
    this.#all = all;
    if (wait > 0) await sleep(wait);
    return true;
  }

  #giveBack(source: string): void {
    const { pauseMs, pauseOfAllMs } = this.#limits;
    const own = this.#sources.get(source);
    if (own !== undefined) this.#sources.set(source, own - pauseMs);
    if (source !== LOOPBACK) this.#all -= pauseOfAllMs;
  }
}

const LOOPBACK = 'loopback';

/** A client with one address of IPv6 has the 2^64 beside it. */
function sourceOf(address = ''): string {
  const plain = address.replace(/^::ffff:/i, '');
  if (plain === '::1' || plain.startsWith('127.')) return LOOPBACK;
  return isIPv6(plain)
    ? (new URL(`http://[${plain.split('%')[0] ?? ''}]`).hostname
        .slice(1, -1)
        .split('::')[0]
        ?.split(':')
        .slice(0, 4)
        .join(':') ?? plain)
    : plain;
}
