import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentBuffers } from '../../../../../../adapters/shared/wire/answers.ts';
import { certificateFiles } from '../../../../../support/certificates.ts';
import { ok } from '../../http1/raw-peer.ts';
import {
  NEVER,
  content,
  digest,
  echoPort,
  fairTransport,
  gone,
  peer,
  send,
  text,
  throughHttp,
  transport,
} from './scene.ts';

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
      for (const part of parts) {
        socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
      }
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
    const server = await peer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(150_000)}`),
    );
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

  it.each([100_000, 3_000_000])(
    'of %d bytes in memory: a document is read over no other that is in use',
    async (size) => {
      const data = [content(size), content(size), content(size)];
      const chunk = (bytes: Buffer): Buffer[] => [
        Buffer.from(`${bytes.length.toString(16)}\r\n`),
        bytes,
        Buffer.from('\r\n'),
      ];
      let answers = 0;
      const server = await peer((socket) => {
        const body = data[answers++] ?? Buffer.alloc(0);
        const lines = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
        const chunks = [];
        for (let at = 0; at < size; at += 7001) chunks.push(...chunk(body.subarray(at, at + 7001)));
        socket.write(Buffer.concat([Buffer.from(lines), ...chunks, Buffer.from('0\r\n\r\n')]));
      });
      const to = transport(server.origin);
      const read = async (): Promise<Uint8Array> => (await send(to, 'GET')).body.bytes(10_000_000);
      const [first, second] = [await read(), await read()];
      const digests = data.map(digest);
      const found = (...documents: Uint8Array[]): string[] => documents.map((one) => digest(Buffer.from(one)));
      expect(found(first, second)).toEqual(digests.slice(0, 2));
      documentBuffers.giveBack(first);
      documentBuffers.giveBack(first);
      const third = await read();
      expect(found(second, third)).toEqual(digests.slice(1));
    },
  );

  it('above the limit is refused in memory', async () => {
    const server = await peer((socket) => socket.write(ok(content(200_000))));
    await expect((await send(transport(server.origin), 'GET')).body.bytes(100_000)).rejects.toMatchObject({
      kind: 'unexpected',
    });
  });

  it('given up: a small rest is drained and the connection lives, a large one costs it', async () => {
    let size = 30_000;
    const server = await peer((socket) => {
      const answer = ok(content(size));
      socket.write(answer.subarray(0, 1000));
      setTimeout(() => socket.write(answer.subarray(1000)), 10);
    });
    const to = fairTransport(server.origin, { maxConnections: 1 });
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
    const certificate = await certificateFiles();
    onTestFinished(() => rmSync(certificate.folder, { recursive: true }));
    const cert = readFileSync(certificate.certFile, 'utf8');
    const server = createTlsServer({ key: readFileSync(certificate.keyFile), cert }, (socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(ok(data)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const to = transport(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, { ca: cert });
    const { received, piped } = await throughHttp(await send(to, 'GET'));
    await piped;
    expect(digest(received)).toBe(digest(data));
    expect(digest(Buffer.from(await (await send(to, 'GET')).body.bytes(size)))).toBe(digest(data));
  });
});

async function collect(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
