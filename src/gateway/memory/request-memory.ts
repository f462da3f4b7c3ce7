import { ChangingPart } from './changing-part.ts';
import type { ConnectionMemory, Holding } from './connection-memory.ts';
import { halfForm } from './prices.ts';

/** What a request holds before it is known who sent it, as part of its connection or by itself. */
export class RequestMemory {
  readonly #memory: ConnectionMemory;
  readonly #holding: Holding;
  readonly #form: ChangingPart;
  #over = false;

  constructor(memory: ConnectionMemory, holding: Holding) {
    this.#memory = memory;
    this.#holding = holding;
    this.#form = new ChangingPart(memory, holding);
  }

  /**
   * @param bytes of a form whose fields are being read; 0: none is
   * @returns false: there is no room for them, and the connection has ended
   */
  readonly holdsFields = (bytes: number): boolean => {
    if (this.#over) return false;
    this.#memory.settle(this.#holding, bytes === 0);
    const fits = this.#form.has(halfForm(bytes));
    if (!fits) this.#holding.drop(this.#holding);
    return fits;
  };

  /** The request is over. */
  end(): void {
    this.#over = true;
    this.#form.has(0);
  }
}
