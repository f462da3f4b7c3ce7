import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { patientRead } from '../../../../../adapters/shared/wire/patient-body.ts';
import type { BlobProperties, ReadRequest } from '../../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../../src/store/store-error.ts';
import { NEVER, content, digest, fairTransport, peer, send } from './lean-transport/scene.ts';

/** More than the kernel takes for both ends of a connection. */
const SIZE = 24 * 1024 * 1024;
const data = content(SIZE);

/** A service of one blob, whose revision the test may change. */
async function scene(of: { md5?: string; afterChange?: string } = { md5: 'same' }) {
  const state = { revision: 'one', ranges: 0 };
  const server = await peer((socket, count) => {
    const asked = /range: bytes=(\d+)-(\d+)/.exec(server.requests[count - 1] ?? '');
    const [first, last] = [Number(asked?.[1] ?? 0), Number(asked?.[2] ?? SIZE - 1)];
    if (asked !== null) state.ranges += 1;
    const part = data.subarray(first, last + 1);
    socket.write(`HTTP/1.1 206 Partial Content\r\nContent-Length: ${part.length}\r\n\r\n`);
    socket.write(part);
  });
  const transport = fairTransport(server.origin);
  const properties = (): BlobProperties => {
    const md5 = state.revision === 'one' ? of.md5 : (of.afterChange ?? of.md5);
    return { size: SIZE, revision: state.revision, md5, lastModified: 0, metadata: {} } as unknown as BlobProperties;
  };
  const read = async ({ range, revision }: ReadRequest, isPiece: boolean) => {
    if (revision !== undefined && revision !== state.revision) throw new StoreError('conditionFailed');
    const headers = range === undefined ? [] : ['range', `bytes=${range.first}-${range.last ?? ''}`];
    const request = { method: 'GET', path: '/b', headers, responseTimeout: 5_000 } as const;
    const { body } = await transport.send({ ...request, reading: isPiece ? 'piece' : 'stream' }, NEVER);
    return { properties: properties(), body };
  };
  const reader = { read, head: async () => properties() };
  return { state, transport, body: (await patientRead(reader, {})).body };
}

/** Answers one client with `body`. */
async function serve(body: Awaited<ReturnType<typeof scene>>['body']) {
  const { promise: piped, resolve, reject } = Promise.withResolvers<undefined>();
  piped.catch(() => undefined);
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { 'content-length': body.size, connection: 'close' });
    body.pipeTo(answer, NEVER).then(() => resolve(undefined), reject);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  await once(socket, 'readable');
  return { socket, piped };
}

async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

describe('a client that stops reading', () => {
  it('holds no connection after a while, and gets the right bytes when it goes on', async () => {
    const { state, transport, body } = await scene();
    const { socket, piped } = await serve(body);
    const inUse = (): number[] => transport.lanes().map((lane) => lane.inUse);
    expect(inUse()).toEqual([0, 1, 0, 0]);
    await expect.poll(inUse, { timeout: 10_000 }).toEqual([0, 0, 0, 0]);
    await sleep(500);
    expect(state.ranges).toBeLessThanOrEqual(1);
    expect(digest(await readAll(socket))).toBe(digest(data));
    await piped;
    expect(inUse()).toEqual([0, 0, 0, 0]);
  });

  it('may leave then', async () => {
    const { transport, body } = await scene();
    const { socket, piped } = await serve(body);
    await expect.poll(() => transport.lanes().map((lane) => lane.inUse), { timeout: 10_000 }).toEqual([0, 0, 0, 0]);
    socket.destroy();
    await expect(piped).rejects.toMatchObject({ kind: 'aborted' });
  });

  it.each([
    ['goes on when only the metadata was changed', { md5: 'same' }, true],
    ['is cut off when the content was changed', { md5: 'same', afterChange: 'other' }, false],
    ['is cut off when nobody can tell', {}, false],
  ])('%s', async (_what, of, whole) => {
    const { state, transport, body } = await scene(of);
    const { socket, piped } = await serve(body);
    await expect.poll(() => transport.lanes().map((lane) => lane.inUse), { timeout: 10_000 }).toEqual([0, 0, 0, 0]);
    state.revision = 'two';
    const received = await readAll(socket).catch(() => Buffer.alloc(0));
    if (whole) {
      expect(digest(received)).toBe(digest(data));
    } else {
      expect(received.length).toBeLessThan(SIZE);
      await expect(piped).rejects.toMatchObject({ kind: 'conditionFailed' });
    }
  });
});

it('a body that nobody reads is discarded as any other', async () => {
  const { transport, body } = await scene();
  body.discard();
  await expect.poll(() => transport.lanes().map((lane) => lane.inUse)).toEqual([0, 0, 0, 0]);
  await send(transport, 'GET').then(({ body: other }) => other.discard());
});
