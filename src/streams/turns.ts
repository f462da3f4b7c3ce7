const waiting: (() => void)[] = [];

/**
 * Resolves when it is the caller's turn to go on with long work. In each round of the event loop one of all waiting
 * callers goes on. However many documents are read at once, they take together what one of them would.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** Lets so many pieces of work begin between two turns. */
export class Pace {
  readonly #most: number;
  #begun = 0;
  #turn: Promise<void> | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when the next piece may begin. */
  async begin(): Promise<void> {
    while (this.#begun >= this.#most) await (this.#turn ??= this.#next());
    this.#begun += 1;
  }

  async #next(): Promise<void> {
    await turn();
    this.#begun = 0;
    this.#turn = undefined;
  }
}
