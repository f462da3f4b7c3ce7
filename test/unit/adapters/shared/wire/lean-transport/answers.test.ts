import { describe, expect, it } from 'vitest';
import { ok } from '../../http1/raw-peer.ts';
import { gone, peer, send, text, transport } from './scene.ts';

describe('an answer', () => {
  it('is the same wherever the network cuts it', async () => {
    const wire = Buffer.from(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    );
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

  describe.each([
    ['GET', '304 Not Modified', 'Content-Length: 5', 'hello'],
    ['GET', '204 No Content', 'Content-Length: 5', 'hello'],
    ['GET', '304 Not Modified', 'Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
    ['HEAD', '304 Not Modified', 'Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
  ] as const)('%s, %s with %s and a body behind it', (method, status, framing, body) => {
    const head = `HTTP/1.1 ${status}\r\n${framing}\r\n\r\n`;

    it.each([
      ['in one piece', [head + body]],
      ['byte by byte', Array.from(head + body)],
      ['cut behind the head', [head, body]],
      ['cut within the body', [head + body.slice(0, 2), body.slice(2)]],
      ['without the body', [head]],
    ])('is taken, and its connection closed: %s', async (_name, pieces) => {
      const [first = '', ...rest] = pieces;
      const server = await peer((socket, _count, connection) => {
        if (connection > 1) {
          socket.write(ok('second'));
          return;
        }
        socket.setNoDelay(true);
        socket.write(first);
        for (const [at, piece] of rest.entries()) setTimeout(() => socket.write(piece), 1 + at);
      });
      const to = transport(server.origin);
      const response = await send(to, method);
      expect([response.status, await text(response)]).toEqual([Number(status.slice(0, 3)), '']);
      // At once: what was announced may still be on its way.
      expect(await text(await send(to, 'GET'))).toBe('second');
      expect(server.connections).toHaveLength(2);
    });
  });

  it.each([
    ['GET', '304 Not Modified', 'ETag: "1"'],
    ['GET', '304 Not Modified', 'Content-Length: 0'],
    ['GET', '204 No Content', 'Content-Length: 0'],
    ['HEAD', '404 Not Found', 'Content-Length: 223'],
  ] as const)('%s, %s with %s keeps its connection', async (method, status, field) => {
    const server = await peer((socket) => socket.write(`HTTP/1.1 ${status}\r\n${field}\r\n\r\n`));
    const to = transport(server.origin);
    for (let i = 0; i < 2; i++) expect(await text(await send(to, method))).toBe('');
    expect(server.connections).toHaveLength(1);
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
    const server = await peer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'),
    );
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
