import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { ExchangeOutcome } from '../../../../../adapters/shared/http1/exchange.ts';
import { Http1Client } from '../../../../../adapters/shared/http1/http1-client.ts';
import { Random } from '../../../../support/random.ts';

/*
 * A peer that answers before the body has come, closes or resets the connection at any time, or does not read for a
 * while, under many requests at a time whose bodies all differ. What it has read whole is what one of them said, and
 * each hears the answer to its own.
 */
const REQUESTS = 600;
const AT_ONCE = 48;
const HEAD = /^PUT \/(\d+) HTTP\/1\.1\r\nContent-Length: (\d+)\r\n\r\n/;

/** Says everywhere whose it is. */
function bodyOf(id: number, size: number): Buffer {
  return Buffer.alloc(size, `<${id}>`);
}

/** Sizes around what goes out in one write with its head. */
function sizeOf(id: number, random: Random): number {
  return id % 5 === 0 ? random.below(40_000) : random.below(16 * 1024 + 2);
}

class HostilePeer {
  /** Requests that came whole. */
  whole = 0;
  readonly wrong: string[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly serve = (socket: Socket): void => {
    let unread = Buffer.alloc(0);
    let answered = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      for (;;) {
        const head = HEAD.exec(unread.toString('latin1', 0, 100));
        if (head === null) break;
        if (!answered) answered = this.#meet(socket, head[1] ?? '');
        if (socket.destroyed) return;
        const end = head[0].length + Number(head[2]);
        if (unread.length < end) return;
        this.#check(Number(head[1]), unread.subarray(head[0].length, end));
        unread = unread.subarray(end);
        if (!answered) this.#answer(socket, head[1] ?? '');
        answered = false;
      }
      if (unread.length > 0 && !'PUT '.startsWith(unread.toString('latin1', 0, 4))) {
        this.wrong.push(`no request: ${unread.toString('latin1', 0, 40)}`);
        socket.destroy();
      }
    });
  };

  /** @returns whether it has answered */
  #meet(socket: Socket, id: string): boolean {
    const mood = this.#random.below(12);
    if (mood === 0) socket.resetAndDestroy();
    if (mood === 1) socket.destroy();
    if (mood === 2) {
      socket.pause();
      setImmediate(() => socket.resume());
    }
    if (mood > 5) return false;
    if (mood > 2) this.#answer(socket, id);
    if (mood === 3) socket.end();
    return mood > 2;
  }

  #answer(socket: Socket, id: string): void {
    const status = this.#random.pick(['201 Created', '417 Expectation Failed', '503 Service Unavailable']);
    socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nX-Id: ${id}\r\n\r\n`);
  }

  #check(id: number, body: Buffer): void {
    this.whole += 1;
    if (!body.equals(bodyOf(id, body.length))) this.wrong.push(`bytes of another request in ${id}`);
  }
}

/** @returns the id that the answer says; undefined: there was none */
function sent(client: Http1Client, id: number, body: Buffer, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const outcome: ExchangeOutcome = {
      onResponse: ({ headers, body: nothing }) => {
        nothing.discard();
        resolve(String(headers['x-id']));
      },
      onFailure: () => resolve(undefined),
    };
    const head = `PUT /${id} HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`;
    client.send(
      { method: 'PUT', head, body, responseTimeout: 30_000, began: performance.now(), signal, hold: undefined },
      outcome,
    );
  });
}

it.each([1, 2, 3, 4])('no bytes and no answer go astray, seed %i', async (seed) => {
  const random = new Random(seed);
  const peer = new HostilePeer(random);
  const server = createServer({ noDelay: true }, peer.serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { connectTimeout: 30_000, idleTimeout: 30_000, keepAlive: 30_000, maxIdle: 12 };
  const client = new Http1Client({ origin, ...limits });
  let next = 0;
  let heard = 0;
  const strays: string[] = [];
  const worker = async (): Promise<void> => {
    while (next < REQUESTS) {
      const id = (next += 1);
      const leaving = new AbortController();
      const answer = sent(client, id, bodyOf(id, sizeOf(id, random)), leaving.signal);
      if (random.oneIn(8)) setImmediate(() => leaving.abort());
      const told = await answer;
      if (told === undefined) continue;
      heard += 1;
      if (told !== String(id)) strays.push(`${id} heard what ${told} should`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  client.close();
  server.close();
  expect([...peer.wrong, ...strays]).toEqual([]);
  expect(heard).toBeGreaterThan(REQUESTS / 4);
  expect(peer.whole).toBeGreaterThan(REQUESTS / 4);
});
