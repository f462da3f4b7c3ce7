import type { HeaderReader } from '../request.ts';

/**
 * Reads headers from Node's raw pairs. `IncomingMessage.headers` drops some repeated headers;
 * here all of them are joined by `,` in the order they came, as the signature has them too.
 * Values are latin1 strings: one character per byte on the wire.
 */
export class RawHeaders implements HeaderReader {
  readonly #values = new Map<string, string>();

  /** @param raw `IncomingMessage.rawHeaders`: name, value, name, value... */
  constructor(raw: readonly string[]) {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = (raw[i] as string).toLowerCase();
      const value = raw[i + 1] as string;
      const earlier = this.#values.get(name);
      this.#values.set(name, earlier === undefined ? value : `${earlier},${value}`);
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  startingWith(prefix: string): Iterable<readonly [name: string, value: string]> {
    const found: (readonly [name: string, value: string])[] = [];
    this.#values.forEach((value, name) => {
      if (name.startsWith(prefix)) found.push([name, value]);
    });
    return found;
  }
}
