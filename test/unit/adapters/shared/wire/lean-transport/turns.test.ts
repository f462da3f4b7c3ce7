import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WireResponse } from '../../../../../../adapters/shared/wire/transport.ts';
import { bulkPacer } from '../../../../../../src/streams/bulk-pacer.ts';
import { tlsMaterial } from '../../../../../support/certificates.ts';
import { Crowd, nextTurn } from '../../../../streams/crowd.ts';
import type { RawPeer } from '../../http1/raw-peer.ts';
import { NEVER, content, digest, echoPort, gone, peer, send, throughHttp, transport } from './scene.ts';

const SIZE = 24 * 1024 * 1024;

interface Scene {
  readonly server: RawPeer;
  readonly response: WireResponse;
  readonly bytes: Buffer;
}

/** An answer with a large body, of which the peer sends `sent` bytes. */
async function largeAnswer({ signal = NEVER, sent = SIZE } = {}): Promise<Scene> {
  const bytes = content(SIZE);
  const server = await peer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
    socket.write(bytes.subarray(0, sent));
  });
  return { server, response: await send(transport(server.origin), 'GET', { signal }), bytes };
}

/** The same over TLS. */
async function largeTlsAnswer(): Promise<Pick<Scene, 'response' | 'bytes'>> {
  const bytes = content(SIZE);
  const { cert, key } = await tlsMaterial();
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
      socket.write(bytes);
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const to = transport(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, { ca: cert });
  return { response: await send(to, 'GET'), bytes };
}

/** A socket whose peer reads whatever comes. */
async function sink(): Promise<Socket> {
  const socket = connect(await echoPort());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  return socket;
}

describe('a large body that is answered with', () => {
  it.each<[string, () => Promise<Pick<Scene, 'response' | 'bytes'>>]>([
    ['waits for its turn', largeAnswer],
    ['waits for its turn over TLS, too', largeTlsAnswer],
  ])('%s, and comes out as it was', async (_name, answered) => {
    const crowd = new Crowd();
    const { response, bytes } = await answered();
    const through = throughHttp(response);
    await crowd.untilOthersWait();
    crowd.end();
    const { received, piped } = await through;
    await piped;
    expect(digest(received)).toBe(digest(bytes));
    expect(bulkPacer.waiting).toBe(0);
  });

  it.each<[string, (client: Socket, call: AbortController) => unknown]>([
    ['the client leaves', (client) => client.destroy()],
    ['the call is aborted', (_client, call) => call.abort(new Error('enough'))],
  ])('waits no more when %s', async (_name, end) => {
    const crowd = new Crowd();
    const { server, response } = await largeAnswer();
    const client = await sink();
    const call = new AbortController();
    const piped = response.body.pipeTo(client, call.signal);
    await crowd.untilOthersWait();
    end(client, call);
    await expect(piped).rejects.toMatchObject({ kind: 'aborted' });
    expect(crowd.others).toBe(0);
    await gone(server);
  });

  it('fails when the service breaks it off meanwhile', async () => {
    const crowd = new Crowd();
    const { server, response } = await largeAnswer({ sent: SIZE / 2 });
    const piped = response.body.pipeTo(await sink(), NEVER);
    const failed = expect(piped).rejects.toMatchObject({ kind: 'unavailable' });
    await crowd.untilOthersWait();
    for (const socket of server.connections) socket.destroy();
    crowd.end();
    await failed;
    expect(bulkPacer.waiting).toBe(0);
  });

  it('leaves its connection to the next, which nobody stops', async () => {
    const { server, response, bytes } = await largeAnswer();
    const crowd = new Crowd();
    const through = throughHttp(response);
    await crowd.untilOthersWait();
    crowd.end();
    await (await through).piped;
    expect(server.connections).toHaveLength(1);
    expect(digest((await through).received)).toBe(digest(bytes));
  });
});

describe('a large body that is read as a stream', () => {
  it('waits for its turn, and comes out as it was', async () => {
    const crowd = new Crowd();
    const { response, bytes } = await largeAnswer();
    const read = buffer(response.body.stream());
    await crowd.untilOthersWait();
    crowd.end();
    expect(digest(await read)).toBe(digest(bytes));
    expect(bulkPacer.waiting).toBe(0);
  });

  it('waits no more when its reader leaves', async () => {
    const crowd = new Crowd();
    const { server, response } = await largeAnswer();
    const stream = response.body.stream();
    stream.on('error', () => undefined).pipe(new PassThrough({ highWaterMark: SIZE }));
    await crowd.untilOthersWait();
    stream.destroy();
    await nextTurn();
    expect(crowd.others).toBe(0);
    await gone(server);
  });
});
