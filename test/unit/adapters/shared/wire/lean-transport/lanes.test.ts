import { type Socket, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { wireFailureError } from '../../../../../../adapters/shared/wire/wire-failure.ts';
import type { StoreError } from '../../../../../../src/store/store-error.ts';
import { ok } from '../../http1/raw-peer.ts';
import { NEVER, content, digest, echoPort, fairTransport, peer, send, text } from './scene.ts';

/** More than the kernel takes for both ends of a connection. */
const LARGE = 24 * 1024 * 1024;
const body = content(LARGE);

async function service() {
  return peer((socket) => socket.write(ok(body)));
}

async function words() {
  return peer((socket) => socket.write(ok('word')));
}

/** A sink that takes nothing until it is told to. */
async function stalled(): Promise<Socket> {
  const socket = connect(await echoPort());
  socket.on('error', () => undefined).pause();
  return socket;
}

describe('large answers', () => {
  it('leave the lane of calls: small requests go on beside readers who read nothing', async () => {
    const server = await peer((socket, count) => socket.write(count <= 4 ? ok(body) : ok('word')));
    const to = fairTransport(server.origin, { maxConnections: 1, maxTransfers: 4 });
    const readers = [];
    for (let at = 0; at < 4; at += 1) {
      const response = await send(to, 'GET', { reading: 'stream', holder: 'slow' });
      const sink = await stalled();
      readers.push({ sink, piped: response.body.pipeTo(sink, NEVER).catch((error: unknown) => error) });
    }
    expect(await text(await send(to, 'GET', { responseTimeout: 1_000 }))).toBe('word');
    expect(to.lanes()).toMatchObject([
      { lane: 'calls', inUse: 0 },
      { lane: 'downloads', places: 4, inUse: 4, holders: [{ holder: 'slow', inUse: 4, waiting: 0 }] },
      { lane: 'uploads', inUse: 0 },
      { lane: 'pieces', inUse: 0 },
    ]);
    for (const { sink } of readers) sink.destroy();
    await Promise.all(readers.map(({ piped }) => piped));
    expect(to.lanes().map(({ inUse }) => inUse)).toEqual([0, 0, 0, 0]);
  });

  it('give their places to others when they can go on without', async () => {
    const server = await service();
    const to = fairTransport(server.origin, { maxTransfers: 2 });
    const read = () => send(to, 'GET', { reading: 'stream', holder: 'same' });
    const patient = [];
    for (let at = 0; at < 2; at += 1) {
      const { body: source } = await read();
      const sink = await stalled();
      patient.push({ sink, poured: source.pour(sink, NEVER) });
    }
    await sleep(50);
    const unread = [await read(), await read()];
    expect(to.lanes()[1]?.inUse).toBe(2);
    for (const { sink } of patient) sink.resume();
    for (const { poured } of patient) {
      const moved = await poured;
      expect(moved).toBeGreaterThan(0);
      expect(moved).toBeLessThan(LARGE);
    }
    // Nobody reads these yet, so they cannot go on elsewhere.
    await expect(read()).rejects.toMatchObject({ failure: 'crowded' });
    for (const { body: source } of unread) expect(digest(Buffer.from(await source.bytes(LARGE)))).toBe(digest(body));
  });

  it('stay calls while they are read into memory', async () => {
    const server = await service();
    const to = fairTransport(server.origin, { maxTransfers: 1 });
    const documents = await Promise.all(
      Array.from({ length: 4 }, async () => (await send(to, 'GET')).body.bytes(LARGE)),
    );
    for (const each of documents) expect(digest(Buffer.from(each))).toBe(digest(body));
  });

  it('of unknown length are large when they turn out to be', async () => {
    const chunk = Buffer.concat([Buffer.from(`${LARGE.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
    const server = await peer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write(chunk);
    });
    const to = fairTransport(server.origin, { maxConnections: 1, maxTransfers: 1 });
    const response = await send(to, 'GET', { reading: 'stream' });
    const sink = await stalled();
    const piped = response.body.pipeTo(sink, NEVER).catch((error: unknown) => error);
    await expect.poll(() => to.lanes().map(({ inUse }) => inUse)).toEqual([0, 1, 0, 0]);
    sink.destroy();
    await piped;
  });
});

describe('bodies that are sent', () => {
  it('wait for each other and for nobody else', async () => {
    const server = await words();
    const to = fairTransport(server.origin, { maxConnections: 1, maxTransfers: 1 });
    const streams = [new PassThrough(), new PassThrough()];
    const sent = streams.map((stream) =>
      to.send(
        { method: 'PUT', path: '/c/b', headers: [], body: { size: 4, stream }, responseTimeout: 5_000, holder: 'slow' },
        NEVER,
      ),
    );
    expect(await text(await send(to, 'GET', { responseTimeout: 1_000 }))).toBe('word');
    expect(to.lanes()).toMatchObject([{}, {}, { lane: 'uploads', inUse: 1, waiting: 1 }, {}]);
    for (const stream of streams) stream.end('body');
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('give way to those of others, the slowest first, and nothing of them is in doubt', async () => {
    // Answers when a whole body has come.
    const server = await peer((socket, count) => {
      if (server.requests[count - 1]?.endsWith('END.') === true) socket.write(ok('word'));
    });
    const to = fairTransport(server.origin, { maxTransfers: 2 });
    const upload = (stream: PassThrough, size: number, holder: string): Promise<unknown> =>
      to
        .send(
          { method: 'PUT', path: '/c/b', headers: [], body: { size, stream }, responseTimeout: 5_000, holder },
          NEVER,
        )
        .then(({ status }) => status)
        .catch((error: unknown) => wireFailureError({ call: 'write', effect: 'change' }, error));
    const [slow, slower, other] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const own = [upload(slow, 200_000, 'greedy'), upload(slower, 200_000, 'greedy')];
    slow.write(Buffer.alloc(100_000));
    await sleep(1_200);
    const sent = upload(other, 4, 'other');
    other.end('END.');
    expect(await sent).toBe(200);
    const refused = await own[1];
    expect(refused).toMatchObject({ kind: 'throttled' });
    expect((refused as StoreError).detail.lost).toBeUndefined();
    expect(slower.destroyed).toBe(true);
    slow.end(Buffer.concat([Buffer.alloc(99_996), Buffer.from('END.')]));
    expect(await own[0]).toBe(200);
  });

  it('that wait in vain are given up, with their streams', async () => {
    const server = await words();
    const to = fairTransport(server.origin, { maxTransfers: 1 });
    const streams = [new PassThrough(), new PassThrough()].map((stream) => stream.on('error', () => undefined));
    const [first, second] = streams.map((stream, at) => {
      const responseTimeout = at === 0 ? 5_000 : 80;
      return to.send({ method: 'PUT', path: '/c/b', headers: [], body: { size: 4, stream }, responseTimeout }, NEVER);
    });
    await expect(second).rejects.toMatchObject({ failure: 'timeout', sent: false });
    expect(streams[1]?.destroyed).toBe(true);
    streams[0]?.end('body');
    await first;
  });
});
