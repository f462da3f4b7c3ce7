import type { ConnectionMemory, Holding } from './connection-memory.ts';

/** Something of a holding whose bytes change: half a head, or a form whose fields are being read. */
export class ChangingPart {
  readonly #memory: ConnectionMemory;
  readonly #holding: Holding;
  #bytes = 0;

  constructor(memory: ConnectionMemory, holding: Holding) {
    this.#memory = memory;
    this.#holding = holding;
  }

  /** @param bytes that it has from now on @returns false: there is no room for them, and it has what it had */
  has(bytes: number): boolean {
    const more = bytes - this.#bytes;
    if (more > 0 && !this.#memory.take(this.#holding, more)) return false;
    if (more < 0) this.#memory.giveBack(this.#holding, -more);
    this.#bytes = bytes;
    return true;
  }
}
