import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer as createTcpServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { LeanTransport } from '../../../../../adapters/shared/wire/lean-transport.ts';
import type { LeanTransportOptions } from '../../../../../adapters/shared/wire/lean-transport.ts';
import type { WireMethod, WireResponse } from '../../../../../adapters/shared/wire/transport.ts';
import { makeCertificate } from '../../../../support/azurite.ts';
import { ok, rawPeer } from '../http1/raw-peer.ts';
import type { RawPeer } from '../http1/raw-peer.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function peer(answer: (socket: Socket, count: number, connection: number) => void): Promise<RawPeer> {
  const made = await rawPeer(answer);
  cleanups.push(() => made.close());
  return made;
}

function transport(origin: string, options: Partial<LeanTransportOptions> = {}): LeanTransport {
  const made = new LeanTransport({ origin, maxConnections: 4, connectTimeout: 1_000, idleTimeout: 5_000, keepAlive: 5_000, ...options });
  cleanups.push(() => made.close());
  return made;
}

interface SendOptions {
  readonly body?: Uint8Array;
  readonly headers?: string[];
  readonly responseTimeout?: number;
  readonly signal?: AbortSignal;
}

function send(to: LeanTransport, method: WireMethod, { signal, ...options }: SendOptions = {}): Promise<WireResponse> {
  return to.send({ method, path: '/c/b?x=y', headers: [], responseTimeout: 5_000, ...options }, signal ?? NEVER);
}

const NEVER = new AbortController().signal;

async function text(response: WireResponse): Promise<string> {
  return Buffer.from(await response.body.bytes(1_000_000)).toString();
}

/** `size` bytes that are not all the same, so that buffers mixed up or sent twice show. */
function content(size: number): Buffer {
  return randomBytes(size);
}

function digest(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A real HTTP server whose answers are what `pipeTo` writes, and a client that reads one of them. */
async function throughHttp(response: WireResponse, onClient?: (socket: Socket) => void): Promise<{ received: Buffer; piped: Promise<void> }> {
  const { promise: piped, resolve, reject } = Promise.withResolvers<undefined>();
  piped.catch(() => undefined);
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { 'content-length': response.body.size });
    response.body.pipeTo(answer, NEVER).then(() => resolve(undefined), reject);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  cleanups.push(async () => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  onClient?.(socket);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  const all = Buffer.concat(chunks);
  return { received: all.subarray(all.indexOf('\r\n\r\n') + 4), piped };
}

describe('a request', () => {
  it('is one head with host, headers and the length that belongs to it', async () => {
    const server = await peer((socket) => socket.write(ok('')));
    const to = transport(server.origin);
    await text(await send(to, 'GET', { headers: ['x-ms-version', '1', 'a', 'b'] }));
    await text(await send(to, 'PUT'));
    await text(await send(to, 'PUT', { body: Buffer.from('body') }));
    await text(await send(to, 'DELETE'));
    const host = server.origin.slice('http://'.length);
    expect(server.requests).toEqual([
      `GET /c/b?x=y HTTP/1.1\r\nhost: ${host}\r\nx-ms-version: 1\r\na: b\r\n\r\n`,
      `PUT /c/b?x=y HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\n\r\n`,
      `PUT /c/b?x=y HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 4\r\n\r\nbody`,
      `DELETE /c/b?x=y HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
    ]);
    expect(server.connections).toHaveLength(1);
  });

  it.each([1, 256, 16_384, 16_385, 2_000_000])('has a body of %d bytes, all of them as they are', async (size) => {
    const body = content(size).subarray(0, size);
    let received = Buffer.alloc(0);
    const server = await peer((socket) => {
      received = Buffer.from(server.requests.join(''), 'latin1');
      const body = received.subarray(received.indexOf('\r\n\r\n') + 4);
      if (body.length >= size) socket.write(ok(''));
    });
    await text(await send(transport(server.origin), 'PUT', { body }));
    expect(digest(received.subarray(received.indexOf('\r\n\r\n') + 4))).toBe(digest(body));
  });

  it.each([
    [{ headers: ['a', 'b\r\nc: d'] }],
    [{ headers: ['a', 'b\nc: d'] }],
    [{ headers: ['a', '\u0100'] }],
  ])('cannot be split by a header value: %j', async (options) => {
    const server = await peer((socket) => socket.write(ok('')));
    await expect(send(transport(server.origin), 'GET', options)).rejects.toMatchObject({ failure: 'malformed', sent: false });
    expect(server.connections).toHaveLength(0);
  });

  it('cannot be split by its target', async () => {
    const to = transport('http://127.0.0.1:1');
    for (const path of ['/a b', '/a\r\nb: c', 'http://x/', '/\u00e9']) {
      await expect(to.send({ method: 'GET', path, headers: [], responseTimeout: 100 }, NEVER)).rejects.toMatchObject({ sent: false });
    }
  });
});

describe('an answer', () => {
  it('is the same wherever the network cuts it', async () => {
    const wire = Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n');
    let cut = 0;
    const server = await peer((socket) => {
      socket.setNoDelay(true);
      socket.write(wire.subarray(0, cut));
      setTimeout(() => socket.write(wire.subarray(cut)), 2);
    });
    const to = transport(server.origin);
    for (cut = 1; cut < wire.length; cut++) {
      const response = await send(to, 'GET');
      expect(response.status).toBe(200);
      expect(await text(response)).toBe('hello');
    }
    expect(server.connections).toHaveLength(1);
  });

  it('to a HEAD has a length and no body', async () => {
    const server = await peer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'));
    const to = transport(server.origin);
    for (let i = 0; i < 2; i++) {
      const response = await send(to, 'HEAD');
      expect(response.headers['content-length']).toBe('5');
      expect(response.body.size).toBe(0);
      expect(await text(response)).toBe('');
    }
    expect(server.connections).toHaveLength(1);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-x\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n a: b\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)],
  ])('that is %s fails, and its connection is closed', async (_name, wire) => {
    const server = await peer((socket) => socket.write(wire));
    await expect(send(transport(server.origin), 'GET')).rejects.toMatchObject({ failure: 'network', sent: true });
    await gone(server);
  });

  it('followed by bytes nobody asked for is good; its connection is not', async () => {
    const server = await peer((socket) => socket.write(Buffer.concat([ok('first'), ok('forged')])));
    const to = transport(server.origin);
    expect(await text(await send(to, 'GET'))).toBe('first');
    expect(await text(await send(to, 'GET'))).toBe('first');
    expect(server.connections).toHaveLength(2);
  });

  it('that comes before it was asked for closes the connection', async () => {
    const server = await peer((socket, count) => {
      socket.write(ok(`answer ${count}`));
      if (count === 1) setTimeout(() => socket.write(ok('forged')), 20);
    });
    const to = transport(server.origin);
    expect(await text(await send(to, 'GET'))).toBe('answer 1');
    await gone(server);
    expect(await text(await send(to, 'GET'))).toBe('answer 2');
    expect(server.connections).toHaveLength(2);
  });

  it('with Connection: close ends its connection', async () => {
    const server = await peer((socket) => socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'));
    const to = transport(server.origin);
    expect(await text(await send(to, 'GET'))).toBe('ok');
    expect(await text(await send(to, 'GET'))).toBe('ok');
    expect(server.connections).toHaveLength(2);
  });

  it('of a proxy in trouble may end with its connection', async () => {
    const server = await peer((socket) => socket.end('HTTP/1.0 502 Bad Gateway\r\n\r\nsorry'));
    expect(await text(await send(transport(server.origin), 'GET'))).toBe('sorry');
  });
});

describe('a body', () => {
  const SIZES = [0, 1, 4096, 65_536, 65_537, 1_000_003, 9_000_001];

  it.each(SIZES)('of %d bytes comes whole through pipeTo into an HTTP answer', async (size) => {
    const data = content(size);
    const server = await peer((socket) => socket.write(ok(data)));
    const response = await send(transport(server.origin), 'GET');
    expect(response.body.size).toBe(size);
    const { received, piped } = await throughHttp(response);
    expect(digest(received)).toBe(digest(data));
    await piped;
  });

  it.each(SIZES)('of %d bytes comes whole as a stream, and into memory', async (size) => {
    const data = content(size);
    const server = await peer((socket) => socket.write(ok(data)));
    const to = transport(server.origin);
    const chunks: Buffer[] = [];
    for await (const chunk of (await send(to, 'GET')).body.stream()) chunks.push(chunk as Buffer);
    expect(digest(Buffer.concat(chunks))).toBe(digest(data));
    expect(digest(Buffer.from(await (await send(to, 'GET')).body.bytes(size)))).toBe(digest(data));
    expect(server.connections).toHaveLength(1);
  });

  it('in chunks comes whole through pipeTo', async () => {
    const parts = [10, 70_000, 1, 600_000, 16_384, 300_000].map(content);
    const server = await peer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (const part of parts) socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
      socket.write('0\r\n\r\n');
    });
    const sink = connect(await echoPort());
    const received = collect(sink);
    await (await send(transport(server.origin), 'GET')).body.pipeTo(sink, NEVER);
    expect(digest(await received)).toBe(digest(Buffer.concat(parts)));
  });

  it('is never overwritten in a sink that keeps what it was given', async () => {
    const data = content(3_000_000);
    const server = await peer((socket) => socket.write(ok(data)));
    const kept: Buffer[] = [];
    const through = new PassThrough({ highWaterMark: 8_000_000 });
    // Looks at the chunks only when all have been passed on.
    const piped = (await send(transport(server.origin), 'GET')).body.pipeTo(through, NEVER);
    await piped;
    for await (const chunk of through) kept.push(chunk as Buffer);
    expect(digest(Buffer.concat(kept))).toBe(digest(data));
  });

  it('waits for a slow reader: the peer cannot get rid of more than the buffers hold', async () => {
    const data = content(32 * 1024 * 1024);
    const server = await peer((socket) => socket.write(ok(data)));
    const response = await send(transport(server.origin, { idleTimeout: 150 }), 'GET');
    let unsent = 0;
    const { received, piped } = await throughHttp(response, (client) => {
      client.pause();
      // Longer than the idle timeout: silence that the reader causes is none of the peer's.
      setTimeout(() => {
        unsent = server.connections[0]?.writableLength ?? 0;
        client.resume();
      }, 600);
    });
    await piped;
    expect(unsent).toBeGreaterThan(8 * 1024 * 1024);
    expect(digest(received)).toBe(digest(data));
  });

  it.each([['pipeTo'], ['stream'], ['bytes']])('that ends early is an error: %s', async (how) => {
    const server = await peer((socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(150_000)}`));
    const response = await send(transport(server.origin), 'GET');
    if (how === 'pipeTo') {
      const { received, piped } = await throughHttp(response);
      await expect(piped).rejects.toMatchObject({ kind: 'unavailable' });
      expect(received.length).toBeLessThanOrEqual(150_000);
    } else if (how === 'stream') {
      await expect(async () => {
        for await (const _chunk of response.body.stream());
      }).rejects.toMatchObject({ kind: 'unavailable' });
    } else {
      await expect(response.body.bytes(1_000_000)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  it('that stops coming fails after the idle timeout', async () => {
    const server = await peer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'));
    const response = await send(transport(server.origin, { idleTimeout: 60 }), 'GET');
    await expect(response.body.bytes(100)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('above the limit is refused in memory', async () => {
    const server = await peer((socket) => socket.write(ok(content(200_000))));
    await expect((await send(transport(server.origin), 'GET')).body.bytes(100_000)).rejects.toMatchObject({ kind: 'unexpected' });
  });

  it('given up: a small rest is drained and the connection lives, a large one costs it', async () => {
    let size = 30_000;
    const server = await peer((socket) => {
      const answer = ok(content(size));
      socket.write(answer.subarray(0, 1000));
      setTimeout(() => socket.write(answer.subarray(1000)), 10);
    });
    const to = transport(server.origin, { maxConnections: 1 });
    (await send(to, 'GET')).body.discard();
    (await send(to, 'GET')).body.discard();
    expect(server.connections).toHaveLength(1);
    size = 300_000;
    (await send(to, 'GET')).body.discard();
    size = 10;
    await text(await send(to, 'GET'));
    expect(server.connections).toHaveLength(2);
  });

  it('whose sink goes away frees the connection and rejects', async () => {
    const server = await peer((socket) => socket.write(ok(content(64 * 1024 * 1024))));
    const response = await send(transport(server.origin), 'GET');
    const { piped } = await throughHttp(response, (client) => client.once('data', () => client.destroy()));
    await expect(piped).rejects.toMatchObject({ kind: 'aborted' });
    await gone(server);
  });

  it.each([20_000, 9_000_001])('of %d bytes comes whole over TLS', async (size) => {
    const data = content(size);
    const certificate = await makeCertificate();
    cleanups.push(async () => rmSync(certificate.folder, { recursive: true }));
    const cert = readFileSync(certificate.certFile, 'utf8');
    const server = createTlsServer({ key: readFileSync(certificate.keyFile), cert }, (socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(ok(data)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(async () => server.close());
    const to = transport(`https://localhost:${(server.address() as AddressInfo).port}`, { ca: cert });
    const { received, piped } = await throughHttp(await send(to, 'GET'));
    await piped;
    expect(digest(received)).toBe(digest(data));
    expect(digest(Buffer.from(await (await send(to, 'GET')).body.bytes(size)))).toBe(digest(data));
  });
});

describe('a connection', () => {
  it('that the peer closed while it was idle is replaced, unseen, for a GET', async () => {
    const server = await peer((socket, count) => {
      if (count === 2) socket.destroy();
      else socket.write(ok(`answer ${count}`));
    });
    const to = transport(server.origin);
    expect(await text(await send(to, 'GET'))).toBe('answer 1');
    expect(await text(await send(to, 'GET'))).toBe('answer 3');
    expect(server.connections).toHaveLength(2);
  });

  it('that breaks under a change is reported, not repeated', async () => {
    const server = await peer((socket, count) => {
      if (count === 2) socket.destroy();
      else socket.write(ok(''));
    });
    const to = transport(server.origin);
    await text(await send(to, 'PUT'));
    await expect(send(to, 'PUT')).rejects.toMatchObject({ failure: 'network', sent: true });
    await expect(send(to, 'DELETE')).resolves.toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(3);
  });

  it('that breaks twice is a failure', async () => {
    const server = await peer((socket, count) => {
      if (count === 1) socket.write(ok(''));
      else socket.destroy();
    });
    const to = transport(server.origin);
    await text(await send(to, 'GET'));
    await expect(send(to, 'GET')).rejects.toMatchObject({ failure: 'network', sent: true });
    expect(server.requests).toHaveLength(3);
  });

  it('that breaks in the middle of the head is a failure at once', async () => {
    const server = await peer((socket, count) => {
      if (count === 1) socket.write(ok(''));
      else socket.end('HTTP/1.1 200 OK\r\nContent-');
    });
    const to = transport(server.origin);
    await text(await send(to, 'GET'));
    await expect(send(to, 'GET')).rejects.toMatchObject({ failure: 'network' });
    expect(server.requests).toHaveLength(2);
  });

  it('is not used longer than the peer said it keeps it', async () => {
    const server = await peer((socket) => socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n'));
    const to = transport(server.origin);
    await text(await send(to, 'GET'));
    await text(await send(to, 'GET'));
    expect(server.connections).toHaveLength(2);
  });

  it('is closed after it has been idle for long', async () => {
    const server = await peer((socket) => socket.write(ok('')));
    const to = transport(server.origin, { keepAlive: 40 });
    await text(await send(to, 'GET'));
    await gone(server);
  });

  it('that cannot be made says so, and that nothing was sent', async () => {
    const server = await peer(() => undefined);
    await server.close();
    cleanups.length = 0;
    await expect(send(transport(server.origin), 'PUT')).rejects.toMatchObject({ failure: 'network', sent: false });
  });

  it('is one of so many: the rest waits its turn', async () => {
    let busy = 0;
    let most = 0;
    const server = await peer((socket) => {
      most = Math.max(most, ++busy);
      setTimeout(() => {
        busy -= 1;
        socket.write(ok('x'));
      }, 5);
    });
    const to = transport(server.origin, { maxConnections: 3 });
    await Promise.all(Array.from({ length: 20 }, async () => text(await send(to, 'GET'))));
    expect(most).toBe(3);
    expect(server.connections).toHaveLength(3);
  });

  it('that closes makes room for those who wait', async () => {
    const server = await peer((socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx'));
    const to = transport(server.origin, { maxConnections: 1 });
    await expect(Promise.all(Array.from({ length: 5 }, async () => text(await send(to, 'GET'))))).resolves.toEqual(['x', 'x', 'x', 'x', 'x']);
  });
});

describe('a time limit', () => {
  it('ends the wait for an answer', async () => {
    const server = await peer(() => undefined);
    await expect(send(transport(server.origin), 'GET', { responseTimeout: 60 })).rejects.toMatchObject({ failure: 'timeout', sent: true });
  });

  it('does not count the time in which a body goes out', async () => {
    const server = await peer((socket, count) => {
      if (count > 1) return;
      socket.pause();
      setTimeout(() => {
        socket.removeAllListeners('data');
        let left = 50 * 1024 * 1024;
        socket.on('data', (data) => {
          left -= data.length;
          if (left < 100_000 && left > -100_000) socket.write(ok(''));
        });
        socket.resume();
      }, 100);
    });
    const response = await send(transport(server.origin), 'PUT', { body: Buffer.alloc(50 * 1024 * 1024), responseTimeout: 5_000 });
    expect(response.status).toBe(200);
  });
});

describe('an abort', () => {
  const aborting = (after: number) => AbortSignal.timeout(after);

  it('before the request sends nothing', async () => {
    const server = await peer((socket) => socket.write(ok('')));
    await expect(send(transport(server.origin), 'GET', { signal: AbortSignal.abort() })).rejects.toMatchObject({ failure: 'aborted', sent: false });
    expect(server.connections).toHaveLength(0);
  });

  it('in the queue leaves the queue', async () => {
    const server = await peer((socket) => setTimeout(() => socket.write(ok('x')), 100));
    const to = transport(server.origin, { maxConnections: 1 });
    const first = send(to, 'GET');
    await expect(send(to, 'GET', { signal: aborting(20) })).rejects.toMatchObject({ failure: 'aborted', sent: false });
    expect(await text(await first)).toBe('x');
    await sleep(20);
    expect(server.requests).toHaveLength(1);
  });

  it('before the answer closes the connection', async () => {
    const server = await peer(() => undefined);
    await expect(send(transport(server.origin), 'GET', { signal: aborting(30) })).rejects.toMatchObject({ failure: 'aborted', sent: true });
    await gone(server);
  });

  it.each([['pipeTo'], ['stream'], ['bytes'], ['nothing']])('within the body closes the connection and fails the reader: %s', async (how) => {
    const server = await peer((socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`));
    const response = await send(transport(server.origin), 'GET', { signal: aborting(60) });
    if (how === 'pipeTo') await expect((await throughHttp(response)).piped).rejects.toMatchObject({ kind: 'aborted' });
    else if (how === 'bytes') await expect(response.body.bytes(1_000_000)).rejects.toMatchObject({ kind: 'aborted' });
    else if (how === 'stream') await expect(once(response.body.stream().resume(), 'end')).rejects.toMatchObject({ kind: 'aborted' });
    else {
      await gone(server);
      await expect(response.body.bytes(1_000_000)).rejects.toMatchObject({ kind: 'aborted' });
    }
    await gone(server);
  });

  it('of pipeTo alone does the same', async () => {
    const server = await peer((socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`));
    const response = await send(transport(server.origin), 'GET');
    const sink = connect(await echoPort());
    await expect(response.body.pipeTo(sink, aborting(40))).rejects.toMatchObject({ kind: 'aborted' });
    expect(sink.destroyed).toBe(true);
  });

  it('after the end is of no interest to the connection', async () => {
    const server = await peer((socket) => socket.write(ok('x')));
    const to = transport(server.origin);
    const controller = new AbortController();
    await text(await send(to, 'GET', { signal: controller.signal }));
    controller.abort();
    await text(await send(to, 'GET'));
    expect(server.connections).toHaveLength(1);
  });

  it('of everything: close fails what is under way and what waits', async () => {
    const server = await peer(() => undefined);
    const to = transport(server.origin, { maxConnections: 1 });
    const calls = [send(to, 'GET'), send(to, 'GET')];
    await sleep(20);
    await to.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ failure: 'aborted' });
    await expect(send(to, 'GET')).rejects.toMatchObject({ failure: 'aborted', sent: false });
  });
});

/** The peer's first connection is closed. */
async function gone(server: RawPeer): Promise<void> {
  const [socket] = server.connections;
  // `once` of events would reject when the connection ends by a reset.
  if (socket?.closed === false) await new Promise((resolve) => socket.once('close', resolve));
}

/** Port of a server that takes everything and keeps its connections to itself; the last one's bytes are `collected`. */
async function echoPort(): Promise<{ port: number; host: string }> {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(async () => server.close());
  return { port: (server.address() as AddressInfo).port, host: '127.0.0.1' };
}

async function collect(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
