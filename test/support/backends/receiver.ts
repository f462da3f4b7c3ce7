import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as a receiver of events got it. */
interface ReceivedMessage {
  readonly method: string | undefined;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A receiver of events on the loopback interface, which keeps what it was sent. */
export class LoopbackReceiver {
  readonly messages: ReceivedMessage[] = [];
  /** Status of the answer. */
  answers: (message: ReceivedMessage) => number = () => 200;
  /** JSON of the answer. */
  reply: object = {};
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const message = { method: request.method, target: request.url ?? '', headers, body };
        const status = this.answers(message);
        if (status < 300) this.messages.push(message);
        response
          .writeHead(status, { location: '/elsewhere', 'content-type': 'application/json' })
          .end(JSON.stringify(this.reply));
      });
    });
  }

  /** @returns scheme and host */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Bodies of JSON. */
  get bodies(): readonly unknown[] {
    return this.messages.map(({ body }) => JSON.parse(body) as unknown);
  }
}
