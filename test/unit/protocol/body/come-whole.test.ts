import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { type Headers, HELD, digest, framed, plain, requestBody, type TestBody } from './bodies.ts';

const A = (size: number) => Buffer.alloc(size, 'a');

/** Sends a body in pieces to a server of Node's, and has `look` at the request when all that was sent has come. */
async function served<T>(pieces: readonly Buffer[], length: number, look: (source: IncomingMessage) => Promise<T>) {
  const found = Promise.withResolvers<T>();
  const server = createServer((source, response) => {
    void (async () => {
      const here = pieces.reduce((sum, { length: bytes }) => sum + bytes, 0);
      await vi.waitFor(() => expect(source.readableLength).toBe(here), { timeout: 30_000, interval: 1 });
      if (here === length) await vi.waitFor(() => expect(source.complete).toBe(true), { timeout: 30_000, interval: 1 });
      await look(source).then(found.resolve, found.reject);
      response.end();
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  try {
    socket.setNoDelay(true);
    socket.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
    for (const piece of pieces) {
      socket.write(piece);
      await sleep(5);
    }
    return await found.promise;
  } finally {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  }
}

async function heldBytes(body: TestBody, source: IncomingMessage): Promise<Buffer> {
  const onFirstRead = vi.fn();
  const opened = await requestBody(body, { source, onFirstRead }).open({ ...HELD, md5: 'here' });
  if (opened.kind !== 'held') throw new Error('the body was streamed');
  expect(onFirstRead).toHaveBeenCalledTimes(1);
  expect(opened.facts.md5).toBe(digest('md5', opened.bytes, 'hex'));
  return opened.bytes;
}

const signedChunks = framed({ kind: 'streaming-signed', chunks: [A(8192), A(20)] });

it.each<[string, readonly Buffer[], TestBody]>([
  ['one piece', [A(4096)], plain(A(4096))],
  ['two pieces', [A(1000), A(96)], plain(A(1096))],
  ['nothing', [], plain(A(0))],
  ['signed chunks', signedChunks.wire, signedChunks],
])('a body that has come whole before it is read is held: %s', async (_, pieces, body) => {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const expected = Number(body.headers['x-amz-decoded-content-length'] ?? length);
  const bytes = await served(pieces, length, (source) => heldBytes(body, source));
  expect(bytes).toEqual(A(expected));
});

it('a body of which more is to come is waited for', async () => {
  const body = plain(A(100));
  const gone = await served([A(60)], 100, async (source) => {
    const opened = requestBody(body, { source }).open(HELD);
    source.socket.destroy();
    return opened.catch((error: unknown) => error);
  });
  expect(gone).toMatchObject({ code: 'IncompleteBody' });
});

it.each<[string, Headers, string]>([
  ['its MD5 is another', { 'content-md5': digest('md5', A(5)) }, 'BadDigest'],
  ['its CRC32 is another', { 'x-amz-checksum-crc32': 'AAAAAA==' }, 'BadDigest'],
])('a body that has come whole is refused when %s', async (_, headers, code) => {
  const refused = await served([A(100)], 100, (source) =>
    requestBody(plain(A(100), headers), { source })
      .open(HELD)
      .catch((error: unknown) => error),
  );
  expect(refused).toMatchObject({ code });
});
