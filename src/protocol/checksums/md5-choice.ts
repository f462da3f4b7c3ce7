import { BLOCK, VECTOR_LANES } from './md5-module.ts';

/** As many streams as go together in words, and in vectors of four words. */
const [IN_WORDS, IN_VECTORS] = [3, 4] as const;
/** From so many streams on two vectors are faster than words, or than one vector, although some lanes are idle. */
const ENOUGH = { [IN_WORDS]: 7, [IN_VECTORS]: 6 } as const;
/** Each of both is timed so often. V8 has optimised it by then, and the best time tells of no other process. */
const TRIALS = 256;
/** Blocks of a call that is worth timing. */
const WORTH_TIMING = 16_384 / BLOCK;

type Few = typeof IN_WORDS | typeof IN_VECTORS;

/**
 * How many streams go together while few have bytes. On processors on which an instruction on vectors takes one cycle
 * four streams in a vector are a third faster than three in words, where it takes two they are a third slower. So both
 * are tried in turn and timed, and the faster one stays.
 */
export class Md5Choice {
  readonly #now: () => number;
  readonly #best = { [IN_WORDS]: Number.POSITIVE_INFINITY, [IN_VECTORS]: Number.POSITIVE_INFINITY };
  readonly #trials = { [IN_WORDS]: 0, [IN_VECTORS]: 0 };
  #few: Few | undefined;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** So many streams are worth waiting for. */
  get few(): Few {
    return this.#few ?? IN_VECTORS;
  }

  /** @param ready streams that have blocks. @returns how many of them go together */
  together(ready: number): number {
    if (ready >= ENOUGH[this.few]) return Math.min(ready, VECTOR_LANES);
    const few = this.#few ?? (this.#trials[IN_VECTORS] < this.#trials[IN_WORDS] ? IN_VECTORS : IN_WORDS);
    return Math.min(ready, few);
  }

  /** Does the work, which goes through so many blocks of each of so many streams. */
  run(streams: number, blocks: number, work: () => void): void {
    if (this.#few !== undefined || blocks < WORTH_TIMING || (streams !== IN_WORDS && streams !== IN_VECTORS)) {
      work();
      return;
    }
    const began = this.#now();
    work();
    this.#best[streams] = Math.min(this.#best[streams], (this.#now() - began) / (streams * blocks));
    this.#trials[streams] += 1;
    if (Math.min(this.#trials[IN_WORDS], this.#trials[IN_VECTORS]) < TRIALS) return;
    this.#few = this.#best[IN_VECTORS] < this.#best[IN_WORDS] ? IN_VECTORS : IN_WORDS;
  }
}
