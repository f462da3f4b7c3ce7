import { RawConnection } from './raw-http.ts';

/** One connection to each port, kept from request to request as a client keeps it. */
export class KeptConnections {
  readonly #open = new Map<number, RawConnection>();

  /** The one from before, or a new one when there is none or the server has ended it. */
  async to(port: number): Promise<RawConnection> {
    const kept = this.#open.get(port);
    if (kept?.ended === false) return kept;
    const opened = await RawConnection.open(port);
    this.#open.set(port, opened);
    return opened;
  }

  drop(port: number): void {
    this.#open.get(port)?.close();
    this.#open.delete(port);
  }

  close(): void {
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }
}
