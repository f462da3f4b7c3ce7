import { type KeyState, keyState } from './key-state.ts';
import type { Operation } from './operation.ts';
import type { World } from './world.ts';

/** Could be a version's id, and is none. */
const NO_VERSION = `1${'e'.repeat(31)}`;

/** The state of each key as the store says it, and the ids of all versions that it ever had. */
export class KnownKeys {
  readonly #world: World;
  readonly #ids = new Map<string, string[]>();
  #states: ReadonlyMap<string, KeyState> = new Map();

  constructor(world: World) {
    this.#world = world;
  }

  get states(): ReadonlyMap<string, KeyState> {
    return this.#states;
  }

  /** Reads the store. */
  async look(keys: readonly string[]): Promise<void> {
    this.#states = new Map(
      await Promise.all([...new Set(keys)].map(async (key) => [key, await keyState(this.#world, key)] as const)),
    );
    for (const [key, { versions }] of this.#states) {
      const known = this.#ids.get(key) ?? [];
      for (const { id } of [...versions].reverse()) if (id !== 'null' && !known.includes(id)) known.push(id);
      this.#ids.set(key, known);
    }
  }

  /** The version that an operation names. */
  pick({ version, key }: Operation): string | undefined {
    if (typeof version !== 'number') return version;
    const ids = this.#ids.get(key) ?? [];
    return ids[version % Math.max(ids.length, 1)] ?? NO_VERSION;
  }
}
