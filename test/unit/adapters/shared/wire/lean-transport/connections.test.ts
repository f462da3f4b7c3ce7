import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import tls, { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LeanTransport } from '../../../../../../adapters/shared/wire/lean-transport.ts';
import { UndiciTransport } from '../../../../../../adapters/shared/wire/undici-transport.ts';
import { certificateFiles } from '../../../../../support/certificates.ts';
import { ok, rawPeer } from '../../http1/raw-peer.ts';
import { NEVER, fairTransport, gone, peer, send, text, transport } from './scene.ts';

/** Without a turn of the event loop. */
function letKernelDeliver(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
}

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

  it('does not take for an answer what came before its request had been sent', async () => {
    const server = await peer((socket, count) => socket.write(ok(`answer ${count}`)));
    const to = transport(server.origin);
    expect(await text(await send(to, 'GET'))).toBe('answer 1');
    // From here on the bytes of the peer are read before what the next request writes leaves.
    await nextTurn();
    server.connections[0]?.write(ok('of nobody'));
    letKernelDeliver();
    expect(await text(await send(to, 'GET'))).toBe('answer 2');
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
    await expect(send(transport(server.origin), 'PUT')).rejects.toMatchObject({
      message: 'no answer: network (ECONNREFUSED)',
      failure: 'network',
      sent: false,
    });
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
    const to = fairTransport(server.origin, { maxConnections: 3 });
    await Promise.all(Array.from({ length: 20 }, async () => text(await send(to, 'GET'))));
    expect(most).toBe(3);
    expect(server.connections).toHaveLength(3);
  });

  it('that closes makes room for those who wait', async () => {
    const server = await peer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx'),
    );
    const to = fairTransport(server.origin, { maxConnections: 1 });
    await expect(Promise.all(Array.from({ length: 5 }, async () => text(await send(to, 'GET'))))).resolves.toEqual([
      'x',
      'x',
      'x',
      'x',
      'x',
    ]);
  });
});

describe('connections over TLS', () => {
  it.each([
    ['our own', LeanTransport],
    ["undici's", UndiciTransport],
  ])('read the certificates that they trust once for all of them: %s', async (_name, Made) => {
    const { folder, certFile, keyFile } = await certificateFiles();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const cert = readFileSync(certFile, 'utf8');
    const asking: Socket[] = [];
    const server = createTlsServer({ key: readFileSync(keyFile), cert }, (socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => {
          // Nobody is answered before all have asked, so that each has a connection of his own.
          if (asking.push(socket) === 4) for (const each of asking) each.write(ok('answer'));
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    // What `tls.connect` makes of certificates by itself, it makes with this.
    const readings = vi.spyOn(tls, 'createSecureContext');
    onTestFinished(() => readings.mockRestore());
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const times = { connectTimeout: 5_000, idleTimeout: 5_000, keepAlive: 5_000 };
    const to = new Made({ origin, maxConnections: 4, maxIdle: 4, ca: cert, ...times });
    onTestFinished(() => to.close());
    readings.mockClear();
    const ask = { method: 'GET', path: '/c/b', responseTimeout: 10_000 } as const;
    const answers = await Promise.all([1, 2, 3, 4].map(() => to.send({ ...ask, headers: [] }, NEVER)));
    expect(await Promise.all(answers.map(text))).toEqual(['answer', 'answer', 'answer', 'answer']);
    expect(new Set(asking).size).toBe(4);
    expect(readings).not.toHaveBeenCalled();
  });
});
