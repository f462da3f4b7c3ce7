import { describe, expect, it } from 'vitest';
import { ok } from '../../http1/raw-peer.ts';
import { NEVER, content, digest, peer, send, text, transport } from './scene.ts';

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

  it.each([[{ headers: ['a', 'b\r\nc: d'] }], [{ headers: ['a', 'b\nc: d'] }], [{ headers: ['a', '\u0100'] }]])(
    'cannot be split by a header value: %j',
    async (options) => {
      const server = await peer((socket) => socket.write(ok('')));
      await expect(send(transport(server.origin), 'GET', options)).rejects.toMatchObject({
        failure: 'malformed',
        sent: false,
      });
      expect(server.connections).toHaveLength(0);
    },
  );

  it('cannot be split by its target', async () => {
    const to = transport('http://127.0.0.1:1');
    for (const path of ['/a b', '/a\r\nb: c', 'http://x/', '/\u00e9']) {
      await expect(to.send({ method: 'GET', path, headers: [], responseTimeout: 100 }, NEVER)).rejects.toMatchObject({
        sent: false,
      });
    }
  });
});
