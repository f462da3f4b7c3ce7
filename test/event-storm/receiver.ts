import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';

/** Of messages that are taken, those whose answer is lost. One in so many. */
const ANSWERS_LOST = 40;

/** A record, as far as it is looked at. */
export interface ToldEvent {
  readonly eventName: string;
  readonly responseElements: { readonly 'x-amz-request-id': string };
  readonly s3: {
    readonly bucket: { readonly name: string };
    readonly object: { readonly key: string; readonly versionId?: string; readonly sequencer?: string };
  };
}

/** A webhook that dies for a while, now and then, and keeps what it has taken. */
export class MortalReceiver {
  readonly told: ToldEvent[] = [];
  downs = 0;
  #isDown = false;
  readonly #random: Random;
  readonly #server = createServer((request, response) => {
    if (this.#isDown) {
      request.socket.destroy();
      return;
    }
    void this.#take(request).then((isAnswered) => {
      if (isAnswered) response.writeHead(204).end();
      else request.socket.destroy();
    });
  });

  constructor(random: Random) {
    this.#random = random;
  }

  /** @returns its URL */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Dies for so long, again and again, with as long a life in between, until the signal ends it; then it lives. */
  async die(ms: number, signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await sleep(ms, undefined, { signal }).catch(() => undefined);
      if (isOver()) break;
      this.#isDown = true;
      this.downs += 1;
      await sleep(ms, undefined, { signal }).catch(() => undefined);
      this.#isDown = false;
    }
  }

  async #take(request: IncomingMessage): Promise<boolean> {
    const { Records = [] } = JSON.parse(await text(request)) as { Records?: ToldEvent[] };
    this.told.push(...Records);
    return Records.length === 0 || !this.#random.oneIn(ANSWERS_LOST);
  }
}
