import { createXXHash128, createXXHash3, createXXHash64, type IHasher } from 'hash-wasm';
import type { ChecksumHasher } from './algorithms.ts';

/**
 * A WebAssembly instance that all bodies of one algorithm share: each takes its own state along (some hundred bytes)
 * when another one wants it, so that no body has an instance and memory of its own, nor has to wait for one to be made.
 */
class Engine {
  readonly #wasm: IHasher;
  #holder: XxHasher | undefined;

  constructor(wasm: IHasher) {
    this.#wasm = wasm;
  }

  update(hasher: XxHasher, bytes: Uint8Array): void {
    this.#give(hasher);
    this.#wasm.update(bytes);
  }

  digest(hasher: XxHasher): Buffer {
    this.#give(hasher);
    this.#holder = undefined;
    return Buffer.from(this.#wasm.digest('binary'));
  }

  #give(hasher: XxHasher): void {
    if (this.#holder === hasher) return;
    if (this.#holder !== undefined) this.#holder.state = this.#wasm.save();
    if (hasher.state === undefined) this.#wasm.init();
    else this.#wasm.load(hasher.state);
    this.#holder = hasher;
  }
}

class XxHasher implements ChecksumHasher {
  /** While another one has the engine. */
  state: Uint8Array | undefined;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  update(bytes: Uint8Array): void {
    this.#engine.update(this, bytes);
  }

  digest(): Buffer {
    return this.#engine.digest(this);
  }
}

const [xxh64, xxh3, xxh128] = await Promise.all([createXXHash64(), createXXHash3(), createXXHash128()]).then((made) =>
  made.map((wasm) => new Engine(wasm)),
);

function hasherOf(engine: Engine | undefined): () => ChecksumHasher {
  if (engine === undefined) throw new Error('no instance was made');
  return () => new XxHasher(engine);
}

/** All with seed 0, digests most significant byte first. */
export const XX_HASHERS = { XXHASH64: hasherOf(xxh64), XXHASH3: hasherOf(xxh3), XXHASH128: hasherOf(xxh128) } as const;
