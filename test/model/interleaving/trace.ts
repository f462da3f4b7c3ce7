import { shortenNames } from './readable.ts';

/** Something that must never be, with how it came about. */
export class Violation extends Error {
  readonly why: string;
  readonly steps: readonly string[];

  constructor(why: string, steps: readonly string[], cause?: unknown) {
    super(`${shortenNames(why)}\n${steps.map((step) => `    ${step}`).join('\n')}`, { cause });
    this.name = 'Violation';
    this.why = why;
    this.steps = steps;
  }
}

/** What happened, a line for each backend call, for people to read. */
export class Trace {
  readonly #steps: string[] = [];
  #broken: Violation | undefined;

  get text(): string {
    return this.#steps.join('\n');
  }

  step(who: string, what: string, outcome: string): void {
    this.#steps.push(shortenNames(`${who}  ${what}${outcome === '' ? '' : ` -> ${outcome}`}`));
  }

  remark(text: string): void {
    this.#steps.push(shortenNames(`       ${text}`));
  }

  /** @throws Violation */
  breakWith(why: string, cause?: unknown): never {
    this.breakLater(why, cause);
    throw this.#broken ?? new Error(why);
  }

  /** Where nobody would catch it: the next look throws. */
  breakLater(why: string, cause?: unknown): void {
    this.#broken ??= new Violation(why, this.#steps, cause);
  }

  throwIfBroken(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }
}
