import { ApiFailure, getJson } from './api.ts';

/** How far something that comes from the server has come. */
export type Loaded<T> =
  | { readonly state: 'none' }
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly reason: string };

interface ResourceEvents {
  /** Something is to be drawn anew. */
  readonly changed: () => void;
  /** The server asks for a token. */
  readonly refused: () => void;
}

/**
 * One thing shown that is read from the server. What was asked for later wins; the old one stays until the new one is
 * there.
 */
export class Resource<T> {
  readonly #events: ResourceEvents;
  #loaded: Loaded<T> = { state: 'none' };
  #reading: AbortController | undefined;
  #address: string | undefined;
  #isReading = false;

  constructor(events: ResourceEvents) {
    this.#events = events;
  }

  get loaded(): Loaded<T> {
    return this.#loaded;
  }

  get value(): T | undefined {
    return this.#loaded.state === 'ready' ? this.#loaded.value : undefined;
  }

  /** Whether an answer is on its way. */
  get isReading(): boolean {
    return this.#isReading;
  }

  clear(): void {
    this.#reading?.abort();
    this.#isReading = false;
    this.#address = undefined;
    this.#set({ state: 'none' });
  }

  /** Does nothing when just this is there or under way, unless `again`. */
  async load(path: string, parameters?: URLSearchParams, again = false): Promise<void> {
    const address = `${path}?${parameters?.toString() ?? ''}`;
    if (address === this.#address && !again) return;
    this.#address = address;
    this.#reading?.abort();
    const { signal } = (this.#reading = new AbortController());
    this.#isReading = true;
    if (this.#loaded.state !== 'ready') this.#set({ state: 'loading' });
    try {
      const value = await getJson<T>(path, signal, parameters);
      if (signal.aborted) return;
      this.#isReading = false;
      this.#set({ state: 'ready', value });
    } catch (error) {
      if (signal.aborted) return;
      this.#isReading = false;
      this.#address = undefined;
      if (error instanceof ApiFailure && error.status === 401) this.#events.refused();
      this.#set({ state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  #set(loaded: Loaded<T>): void {
    this.#loaded = loaded;
    this.#events.changed();
  }
}
