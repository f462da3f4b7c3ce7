/**
 * Makes a gateway run with an old fault, to see that the test finds it: `--import` of this with `PLANTED_FAULT` in the
 * environment replaces a piece of the sources as they are loaded.
 */
import { registerHooks } from 'node:module';

const PLANTS = {
  /** A slab is filled again although it is still being written. */
  'old-next-slab': {
    file: 'adapters/shared/http1/slab.ts',
    text: 'return this.#writes > 0;',
    with: 'return false;',
  },
  /** The memory of a body goes to others before the kernel has taken what is in it. */
  'premature-give-back': {
    file: 'adapters/shared/http1/direct-writer.ts',
    text: 'if (this.#slabs.every((slab) => !slab.isBeingWritten)) this.#finish(undefined);',
    with: 'if (this.#slabs.length > 0) this.#finish(undefined);',
  },
};

const plant = PLANTS[process.env['PLANTED_FAULT'] ?? ''];
if (plant !== undefined) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(plant.file)) return loaded;
      const source = Buffer.from(loaded.source ?? '').toString();
      if (!source.includes(plant.text)) throw new Error(`nothing to plant in ${plant.file}`);
      return { ...loaded, source: source.replace(plant.text, plant.with) };
    },
  });
}
