import { describe, expect, it } from 'vitest';
import { ok, rawPeer } from '../../http1/raw-peer.ts';
import { gone, peer, send, text, transport } from './scene.ts';

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
    const server = await peer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n'),
    );
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
    const server = await rawPeer(() => undefined);
    await server.close();
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
    const server = await peer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx'),
    );
    const to = transport(server.origin, { maxConnections: 1 });
    await expect(Promise.all(Array.from({ length: 5 }, async () => text(await send(to, 'GET'))))).resolves.toEqual([
      'x',
      'x',
      'x',
      'x',
      'x',
    ]);
  });
});
