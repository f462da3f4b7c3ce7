import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeanTransport } from '../../adapters/shared/wire/lean-transport.ts';
import { answerStream, randomOf } from './answer-streams.ts';

/** `FUZZ_RUNS=100000 PROPERTY_SEED=7 npx vitest run test/fuzz` looks further. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 800);
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
const SECOND = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond';

/** For answers that may never be whole: each of them costs this much. */
const PATIENCE = 60;
/** For answers that come in any case. */
const LONG = 10_000;

type Outcome = { readonly status: number; readonly body: string } | 'refused';

/** What the peer sends to the first request of each connection; to later ones, `SECOND`. */
let script: readonly Buffer[] = [];
/** All of it has gone out. */
let played = Promise.resolve();
let port = 0;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  let requests = 0;
  sockets.add(socket);
  socket
    .on('error', () => undefined)
    .on('close', () => sockets.delete(socket))
    .on('data', () => void (played = reply(socket, ++requests)));
});

async function reply(socket: Socket, count: number): Promise<void> {
  if (count > 1 || script.length === 0) {
    socket.write(SECOND);
    return;
  }
  const pieces = script;
  script = [];
  for (const piece of pieces) {
    socket.write(piece);
    if (pieces.length > 1) await new Promise(setImmediate);
  }
  // What is not whole by now never will be.
  await sleep(4);
  if (socket.writable && !keepsOpen(pieces)) socket.end();
}

/** Answers that are whole keep their connection, so that the next request may come on it. */
function keepsOpen(pieces: readonly Buffer[]): boolean {
  return !Buffer.concat(pieces).includes('\0');
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
});

/**
 * What comes behind an answer comes before the next request, or nobody could tell it from the next answer: the client
 * has had a turn to read it.
 */
async function quiet(): Promise<void> {
  await played;
  await new Promise(setImmediate);
  script = [];
}

const NEVER = new AbortController().signal;

async function ours(transport: LeanTransport, method: 'GET' | 'HEAD', responseTimeout: number): Promise<Outcome> {
  try {
    const answer = await transport.send({ method, path: '/', headers: [], responseTimeout }, NEVER);
    const body = Buffer.from(await answer.body.bytes(1_000_000, responseTimeout)).toString('latin1');
    return { status: answer.status, body };
  } catch {
    return 'refused';
  }
}

/** Node's own parser, llhttp. */
function theirs(agent: Agent, method: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, agent, timeout: LONG });
    let heard: { complete: () => boolean; outcome: () => Outcome } | undefined;
    // Garbage behind a whole answer is an error of the connection: the answer was heard all the same, a moment later.
    const refuse = (): void =>
      void setTimeout(() => resolve(heard?.complete() === true ? heard.outcome() : 'refused'), 5);
    sent
      .on('error', refuse)
      .on('timeout', () => sent.destroy())
      .on('response', (answer) => {
        let body = '';
        heard = { complete: () => answer.complete, outcome: () => ({ status: answer.statusCode ?? 0, body }) };
        answer
          .setEncoding('latin1')
          .on('data', (piece: string) => (body += piece))
          .on('error', refuse)
          .on('aborted', refuse);
        answer.on('end', () => resolve(answer.complete ? { status: answer.statusCode ?? 0, body } : 'refused'));
      })
      .end();
  });
}

test(`${RUNS} generated answers, seed ${SEED}: what llhttp makes of them, or a refusal; and the next request gets its own answer`, async () => {
  const random = randomOf(SEED);
  let accepted = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const { method, pieces } = answerStream(random);
    const transport = new LeanTransport({
      origin: `http://127.0.0.1:${port}`,
      maxIdle: 1,
      connectTimeout: LONG,
      idleTimeout: PATIENCE,
      keepAlive: 5_000,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const what = `run ${run}: ${method} ${JSON.stringify(Buffer.concat(pieces).toString('latin1'))} in ${pieces.length}`;
    script = pieces;
    const mine = await ours(transport, method, PATIENCE);
    await quiet();
    expect(await ours(transport, 'GET', LONG), what).toEqual({ status: 200, body: 'second' });
    if (mine !== 'refused') {
      accepted += 1;
      script = pieces;
      expect(mine, what).toEqual(await theirs(agent, method));
      await quiet();
    }
    await transport.close();
    agent.destroy();
  }
  expect(accepted).toBeGreaterThan(RUNS / 20);
}, 600_000);
