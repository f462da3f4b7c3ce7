import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ok } from '../../http1/raw-peer.ts';
import { echoPort, fairTransport, gone, peer, send, text, throughHttp, transport } from './scene.ts';

describe('a time limit', () => {
  it('ends the wait for an answer', async () => {
    const server = await peer(() => undefined);
    await expect(send(transport(server.origin), 'GET', { responseTimeout: 60 })).rejects.toMatchObject({
      failure: 'timeout',
      sent: true,
    });
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
    const response = await send(transport(server.origin), 'PUT', {
      body: Buffer.alloc(50 * 1024 * 1024),
      responseTimeout: 5_000,
    });
    expect(response.status).toBe(200);
  });
});

describe('an abort', () => {
  const aborting = (after: number) => AbortSignal.timeout(after);

  it('before the request sends nothing', async () => {
    const server = await peer((socket) => socket.write(ok('')));
    await expect(send(transport(server.origin), 'GET', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      failure: 'aborted',
      sent: false,
    });
    expect(server.connections).toHaveLength(0);
  });

  it('in the queue leaves the queue', async () => {
    const server = await peer((socket) => setTimeout(() => socket.write(ok('x')), 100));
    const to = fairTransport(server.origin, { maxConnections: 1 });
    const first = send(to, 'GET');
    await expect(send(to, 'GET', { signal: aborting(20) })).rejects.toMatchObject({ failure: 'aborted', sent: false });
    expect(await text(await first)).toBe('x');
    await sleep(20);
    expect(server.requests).toHaveLength(1);
  });

  it('before the answer closes the connection', async () => {
    const server = await peer(() => undefined);
    await expect(send(transport(server.origin), 'GET', { signal: aborting(30) })).rejects.toMatchObject({
      failure: 'aborted',
      sent: true,
    });
    await gone(server);
  });

  it.each([['pipeTo'], ['stream'], ['bytes'], ['nothing']])(
    'within the body closes the connection and fails the reader: %s',
    async (how) => {
      const server = await peer((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`),
      );
      const leaving = new AbortController();
      const response = await send(transport(server.origin), 'GET', { signal: leaving.signal });
      setTimeout(() => leaving.abort(), 60);
      if (how === 'pipeTo') {
        await expect((await throughHttp(response)).piped).rejects.toMatchObject({ kind: 'aborted' });
      } else if (how === 'bytes') {
        await expect(response.body.bytes(1_000_000)).rejects.toMatchObject({ kind: 'aborted' });
      } else if (how === 'stream') {
        await expect(once(response.body.stream().resume(), 'end')).rejects.toMatchObject({ kind: 'aborted' });
      } else {
        await gone(server);
        await expect(response.body.bytes(1_000_000)).rejects.toMatchObject({ kind: 'aborted' });
      }
      await gone(server);
    },
  );

  it('of pipeTo alone does the same', async () => {
    const server = await peer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`),
    );
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
    const to = fairTransport(server.origin, { maxConnections: 1 });
    const calls = [send(to, 'GET'), send(to, 'GET')];
    await sleep(20);
    await to.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ failure: 'aborted' });
    await expect(send(to, 'GET')).rejects.toMatchObject({ failure: 'aborted', sent: false });
  });
});
