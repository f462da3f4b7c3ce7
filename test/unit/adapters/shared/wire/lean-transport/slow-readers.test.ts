import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls, createServer as createTlsPeer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WireResponse } from '../../../../../../adapters/shared/wire/transport.ts';
import { tlsMaterial } from '../../../../../support/certificates.ts';
import { ok } from '../../http1/raw-peer.ts';
import { NEVER, content, digest, peer, send, text, transport } from './scene.ts';

/**
 * Real accounts are reached by https, and most clients are slower than a cloud. TLS hands over what it has decrypted
 * even after its socket was paused: bytes that come then must neither be lost nor land in memory that is being written.
 */

const MIB = 1024 * 1024;
let material: { cert: string | Buffer; key: string | Buffer };

beforeAll(async () => {
  material = await tlsMaterial();
});

type Scheme = 'http' | 'https';

/** A service that answers each request with the next of `answers`, and the transport that reaches it. */
async function service(scheme: Scheme, answers: (Buffer | { all: Buffer })[]) {
  let count = 0;
  const answer = (socket: Socket | TLSSocket): void => {
    const next = answers[count++ % answers.length];
    if (next === undefined) return;
    if (Buffer.isBuffer(next)) socket.write(next);
    else socket.end(next.all);
  };
  if (scheme === 'http') {
    const plain = await peer(answer);
    return transport(plain.origin, { maxIdle: 1 });
  }
  const server = createTlsPeer(material, (socket) => {
    socket.on('error', () => undefined).on('data', () => answer(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return transport(origin, { maxIdle: 1, ca: String(material.cert) });
}

/** Answers one client over HTTP with the body of `response`. @returns the client's socket, its request sent */
async function client(scheme: Scheme, response: WireResponse): Promise<{ socket: Socket; piped: Promise<unknown> }> {
  const { promise: piped, resolve, reject } = Promise.withResolvers<undefined>();
  piped.catch(() => undefined);
  const server = scheme === 'http' ? createServer() : createTlsServer(material);
  server.on('request', (_request, answer) => {
    answer.writeHead(200, { connection: 'close' });
    response.body.pipeTo(answer, NEVER).then(() => resolve(undefined), reject);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket =
    scheme === 'http' ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined).write('GET / HTTP/1.0\r\n\r\n');
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { socket, piped };
}

/** Reads all there is, and rests as often and as long as `rest` says. @returns the body */
async function readBy(rest: (bytes: number) => number, socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    const pause = rest((chunk as Buffer).length);
    if (pause > 0) await sleep(pause);
  }
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

/** Milliseconds of rest after each chunk. */
const PACES: Record<string, () => (bytes: number) => number> = {
  'by and by': () => () => 1,
  'in spurts'() {
    let left = 3 * MIB;
    return (bytes) => {
      left -= bytes;
      if (left > 0) return 0;
      left = 3 * MIB;
      return 60;
    };
  },
  'after a long rest'() {
    let first = true;
    return () => {
      if (!first) return 0;
      first = false;
      return 400;
    };
  },
};

const SCHEMES: Scheme[] = ['http', 'https'];
const WAYS = SCHEMES.flatMap((backend) => SCHEMES.map((front) => ({ backend, front })));

describe.each(WAYS)('a service by $backend, a client by $front', ({ backend, front }) => {
  it.each(Object.keys(PACES))('gets the right bytes when it reads %s', async (pace) => {
    const data = content(12 * MIB + 17);
    const to = await service(backend, [ok(data)]);
    const { socket, piped } = await client(front, await send(to, 'GET'));
    expect(digest(await readBy((PACES[pace] as () => (bytes: number) => number)(), socket))).toBe(digest(data));
    await piped;
  });

  it('leaves a connection that reads: the next answers come at once', async () => {
    // The last bytes of some of these come while the writer makes the connection wait.
    const data = Array.from({ length: 12 }, (_, at) => content(MIB + at * 17_000));
    const to = await service(backend, [...data.map(ok), ok('next')]);
    for (const one of data) {
      const { socket, piped } = await client(front, await send(to, 'GET', { responseTimeout: 3_000 }));
      expect(digest(await readBy(() => 3, socket))).toBe(digest(one));
      await piped;
    }
    expect(await text(await send(to, 'GET', { responseTimeout: 3_000 }))).toBe('next');
  });

  it('gets all of a body whose service has closed the connection meanwhile', async () => {
    const data = content(4 * MIB);
    const head = 'HTTP/1.1 200 OK\r\nConnection: close\r\n';
    const counted = { all: Buffer.concat([Buffer.from(`${head}Content-Length: ${data.length}\r\n\r\n`), data]) };
    const to = await service(backend, [counted]);
    const { socket, piped } = await client(front, await send(to, 'GET'));
    expect(digest(await readBy(() => 1, socket))).toBe(digest(data));
    await piped;
  });

  it('gets a body in chunks', async () => {
    const parts = [10, 70_000, 1, 900_000, 16_384, 2 * MIB].map(content);
    const chunks = parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const to = await service(backend, [Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')])]);
    const { socket, piped } = await client(front, await send(to, 'GET'));
    expect(digest(await readBy(() => 1, socket))).toBe(digest(Buffer.concat(parts)));
    await piped;
  });

  it('does not spoil the body of another one when it leaves', async () => {
    const data = content(6 * MIB);
    const to = await service(backend, [ok(data)]);
    for (let turn = 0; turn < 4; turn += 1) {
      const { socket, piped } = await client(front, await send(to, 'GET'));
      await once(socket, 'data');
      socket.pause();
      await sleep(30);
      socket.destroy();
      await expect(piped).rejects.toMatchObject({ kind: 'aborted' });
      const other = await client(front, await send(to, 'GET'));
      expect(digest(await readBy(() => 1, other.socket))).toBe(digest(data));
    }
  });
});

describe.each(SCHEMES)('a stream from a service by %s', (backend) => {
  it('is right for a slow reader, and leaves a connection that reads', async () => {
    const data = content(4 * MIB);
    const to = await service(backend, [ok(data), ok('next')]);
    const chunks: Buffer[] = [];
    for await (const chunk of (await send(to, 'GET')).body.stream()) {
      chunks.push(chunk as Buffer);
      await sleep(1);
    }
    expect(digest(Buffer.concat(chunks))).toBe(digest(data));
    expect(await text(await send(to, 'GET', { responseTimeout: 3_000 }))).toBe('next');
  });

  it('leaves a connection that reads when its end came while it was paused', async () => {
    const bodies = Array.from({ length: 16 }, (_, at) => content(133_000 + at * 5_000));
    const to = await service(
      backend,
      bodies.flatMap((body) => [ok(body), ok('next')]),
    );
    for (const body of bodies) {
      const stream = (await send(to, 'GET')).body.stream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) {
        chunks.push(chunk as Buffer);
        await sleep(5);
      }
      expect(digest(Buffer.concat(chunks))).toBe(digest(body));
      expect(await text(await send(to, 'GET', { responseTimeout: 3_000 }))).toBe('next');
    }
  });

  it('is right when nobody reads for a while', async () => {
    const data = content(2 * MIB);
    const to = await service(backend, [ok(data)]);
    const response = await send(to, 'GET');
    await sleep(150);
    expect(digest(Buffer.from(await response.body.bytes(data.length)))).toBe(digest(data));
  });
});
