/** Readings in a row that turn a judgement. The very first one counts alone: nothing is known before it. */
const TURNS_AT = 2;
/** A clock that was wrong is right again within this share of the limit. */
const RIGHT_WITHIN = 0.5;

interface ClockGuardOptions {
  /** Milliseconds by which the clock may be off. */
  readonly limitMs: number;
  /** Told when the judgement of a backend turns. */
  readonly onTurn: (backend: string, wrong: boolean, skewMs: number) => void;
}

interface Judgement {
  wrong: boolean;
  skewMs: number;
  /** Readings in a row that say otherwise. */
  against: number;
}

/**
 * Whether this machine's clock can be trusted, by what backends say. It is wrong when all of those that said anything
 * say so: of one alone among several, it may be its own that is.
 */
export class ClockGuard {
  readonly #options: ClockGuardOptions;
  readonly #backends = new Map<string, Judgement>();

  constructor(options: ClockGuardOptions) {
    this.#options = options;
  }

  /** @param skewMs how far our clock is ahead of the backend's for certain; negative: behind */
  read(backend: string, skewMs: number): void {
    const off = Math.abs(skewMs);
    const { limitMs } = this.#options;
    const known = this.#backends.get(backend);
    if (known === undefined) {
      const wrong = off > limitMs;
      this.#backends.set(backend, { wrong, skewMs, against: 0 });
      if (wrong) this.#options.onTurn(backend, true, skewMs);
      return;
    }
    known.skewMs = skewMs;
    const saysOtherwise = known.wrong ? off <= limitMs * RIGHT_WITHIN : off > limitMs;
    known.against = saysOtherwise ? known.against + 1 : 0;
    if (known.against < TURNS_AT) return;
    known.wrong = !known.wrong;
    known.against = 0;
    this.#options.onTurn(backend, known.wrong, skewMs);
  }

  /** Milliseconds by which the clock is wrong, by the backend that says least; undefined while it can be trusted. */
  get wrongBy(): number | undefined {
    const all = [...this.#backends.values()];
    if (all.length === 0 || !all.every(({ wrong }) => wrong)) return undefined;
    return all.map(({ skewMs }) => skewMs).reduce((least, skew) => (Math.abs(skew) < Math.abs(least) ? skew : least));
  }

  /** Last reading of each backend, milliseconds. */
  skews(): (readonly [backend: string, skewMs: number])[] {
    return [...this.#backends].map(([backend, { skewMs }]) => [backend, skewMs] as const);
  }
}
