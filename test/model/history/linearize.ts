/** A request as the search sees it. */
export interface Timed {
  readonly began: number;
  readonly ended: number;
  /** Known to have happened; the others may be left out. */
  readonly certain: boolean;
  /** Looks only: wherever it is true, it may as well come at once. */
  readonly looks: boolean;
  /**
   * Of what is not certain: those of the same text do the same, and nobody can tell which of them it was. Absent: like
   * no other.
   */
  readonly like?: string | undefined;
}

export interface Register<State, Op extends Timed> {
  readonly start: State;
  /** Every state that the request may leave; none: it cannot come here. */
  step(state: State, op: Op): readonly State[];
  /** Equal texts: the same future. */
  textOf(state: State): string;
}

type Verdict<State, Op> =
  | { readonly kind: 'order'; readonly order: readonly Op[] }
  /** No order fits; the longest attempt, the state that it came to, and what fits nowhere behind it. */
  | { readonly kind: 'none'; readonly order: readonly Op[]; readonly state: State; readonly stuck: readonly Op[] }
  /** More states than the budget allows: neither shown nor refuted. */
  | { readonly kind: 'undecided'; readonly states: number };

interface Frame<State, Op> {
  readonly state: State;
  readonly done: bigint;
  /** What led here. */
  readonly by: number;
  readonly moves: Iterator<readonly [index: number, state: State]>;
  readonly op?: Op;
}

const DEFAULT_BUDGET = 400_000;

/**
 * Looks for one order of the requests that respects their times and in which each has the outcome that it had
 * (Wing and Gong: Testing and Verifying Concurrent Objects, 1993), remembering which states were met with which
 * requests done (Lowe: Testing for linearizability, 2017).
 */
export function linearize<State, Op extends Timed>(
  ops: readonly Op[],
  register: Register<State, Op>,
  budget = DEFAULT_BUDGET,
): Verdict<State, Op> {
  return new Search(ops, register, budget).run();
}

class Search<State, Op extends Timed> {
  readonly #ops: readonly Op[];
  readonly #register: Register<State, Op>;
  readonly #budget: number;
  readonly #met = new Set<string>();
  readonly #needed: number;
  #stack: Frame<State, Op>[] = [];
  #best: { readonly path: readonly number[]; readonly state: State; readonly done: bigint; readonly count: number };

  constructor(ops: readonly Op[], register: Register<State, Op>, budget: number) {
    this.#ops = [...ops].sort((a, b) => a.ended - b.ended || a.began - b.began);
    this.#register = register;
    this.#budget = budget;
    this.#needed = this.#ops.filter(({ certain }) => certain).length;
    this.#best = { path: [], state: register.start, done: 0n, count: -1 };
  }

  run(): Verdict<State, Op> {
    if (this.#enter(this.#register.start, 0n, -1)) return this.#found();
    while (this.#stack.length > 0) {
      const next = this.#stack.at(-1)?.moves.next();
      if (next === undefined || next.done === true) {
        this.#stack.pop();
        continue;
      }
      if (this.#met.size > this.#budget) return { kind: 'undecided', states: this.#met.size };
      const [index, state] = next.value;
      if (this.#enter(state, (this.#stack.at(-1)?.done ?? 0n) | (1n << BigInt(index)), index)) return this.#found();
    }
    return this.#refuted();
  }

  /** @returns whether all that must have happened is done */
  #enter(state: State, done: bigint, by: number): boolean {
    const id = `${done.toString(36)} ${this.#register.textOf(state)}`;
    if (this.#met.has(id)) return false;
    this.#met.add(id);
    this.#stack.push({ state, done, by, moves: this.#moves(state, done) });
    const count = this.#ops.filter(({ certain }, index) => certain && isIn(done, index)).length;
    if (count > this.#best.count) this.#best = { path: this.#path(), state, done, count };
    return count === this.#needed;
  }

  /**
   * What may come next: one that looks, alone, where it is true; else each change, those known to have happened first.
   * A look behind the time at which something open could last have happened shuts that out, and is one way among
   * others.
   */
  *#moves(state: State, done: bigint): Generator<readonly [number, State], void> {
    const { open, firstChance } = this.#open(done);
    const late: [number, State][] = [];
    for (const index of open) {
      const op = this.#ops[index];
      const [same] = op?.looks === true ? this.#register.step(state, op) : [];
      if (op === undefined || same === undefined) continue;
      if (op.began > firstChance) {
        late.push([index, same]);
        continue;
      }
      yield [index, same];
      return;
    }
    yield* this.#changes(state, open, true);
    yield* late;
    yield* this.#changes(state, open, false);
  }

  *#changes(state: State, open: readonly number[], certain: boolean): Generator<readonly [number, State], void> {
    const tried = new Set<string>();
    for (const index of open) {
      const op = this.#ops[index];
      if (op === undefined || op.looks || op.certain !== certain) continue;
      // Of those alike the one that began first stands for all: where another is in its place, both can change places.
      const like = op.like === undefined ? undefined : `${op.ended} ${op.like}`;
      if (like !== undefined && tried.has(like)) continue;
      if (like !== undefined) tried.add(like);
      // What need not have happened is left out where it changes nothing.
      for (const next of this.#register.step(state, op)) if (certain || next !== state) yield [index, next];
    }
  }

  /** Requests that no other, not done yet, must precede. */
  #open(done: bigint): {
    readonly open: readonly number[] /** Until when all that is uncertain can still happen. */;
    readonly firstChance: number;
  } {
    let firstEnd = Infinity;
    let firstChance = Infinity;
    let lastBegin = -Infinity;
    for (const [index, { certain, began, ended }] of this.#ops.entries()) {
      if (isIn(done, index)) lastBegin = Math.max(lastBegin, began);
      else if (certain) firstEnd = Math.min(firstEnd, ended);
      else if (ended >= lastBegin) firstChance = Math.min(firstChance, ended);
    }
    const open = [...this.#ops.keys()].filter((index) => {
      const op = this.#ops[index];
      return op !== undefined && !isIn(done, index) && op.began <= firstEnd && op.ended >= lastBegin;
    });
    return { open, firstChance };
  }

  #path(): number[] {
    return this.#stack.slice(1).map(({ by }) => by);
  }

  #named(path: readonly number[]): Op[] {
    return path.flatMap((index) => this.#ops[index] ?? []);
  }

  #found(): Verdict<State, Op> {
    return { kind: 'order', order: this.#named(this.#path()) };
  }

  #refuted(): Verdict<State, Op> {
    const { path, state, done } = this.#best;
    const stuck = this.#named(this.#open(done).open).filter(
      (op) => op.certain && this.#register.step(state, op).length === 0,
    );
    return { kind: 'none', order: this.#named(path), state, stuck };
  }
}

function isIn(done: bigint, index: number): boolean {
  return ((done >> BigInt(index)) & 1n) === 1n;
}
