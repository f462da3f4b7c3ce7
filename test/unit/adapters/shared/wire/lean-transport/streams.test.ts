import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { StreamBody } from '../../../../../../src/streams/bytes.ts';
import type { WireResponse } from '../../../../../../adapters/shared/wire/transport.ts';
import type { LeanTransport } from '../../../../../../adapters/shared/wire/lean-transport.ts';
import { ok } from '../../http1/raw-peer.ts';
import { NEVER, content, digest, gone, peer, text, transport } from './scene.ts';

const MEBIBYTE = 1024 * 1024;

interface PutOptions {
  readonly responseTimeout?: number;
  readonly signal?: AbortSignal;
  readonly frame?: { readonly before: Uint8Array; readonly after: Uint8Array };
}

function put(to: LeanTransport, body: StreamBody, { signal, ...rest }: PutOptions = {}): Promise<WireResponse> {
  return to.send({ method: 'PUT', path: '/c/b', headers: [], responseTimeout: 5_000, body, ...rest }, signal ?? NEVER);
}

function pieces(bytes: Buffer, size: number): Readable {
  const cut = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    Buffer.from(bytes.subarray(at * size, (at + 1) * size)),
  );
  return Readable.from(cut, { objectMode: false });
}

/** A peer that answers when `size` bytes of a body have come, and keeps them. */
async function keeper(size: number): Promise<{ origin: string; body: () => Buffer; requests: string[] }> {
  const server = await peer((socket) => {
    if (body().length >= size) socket.write(ok(''));
  });
  const all = (): Buffer => Buffer.from(server.requests.join(''), 'latin1');
  const body = (): Buffer => all().subarray(all().indexOf('\r\n\r\n') + 4);
  return { origin: server.origin, requests: server.requests, body };
}

describe('a streamed body', () => {
  it.each([
    [1, 1],
    [5, 2],
    [300_000, 1_000],
    [2 * MEBIBYTE + 1, 64 * 1024],
    [3 * MEBIBYTE, 3 * MEBIBYTE],
  ])('of %d bytes in pieces of %d arrives as it is, with its length', async (size, piece) => {
    const bytes = content(size);
    const server = await keeper(size);
    const response = await put(transport(server.origin), { size, stream: pieces(bytes, piece) });
    await text(response);
    expect(digest(server.body())).toBe(digest(bytes));
    expect(server.requests[0]).toMatch(
      new RegExp(`^PUT /c/b HTTP/1.1\r\nhost: [^\r]*\r\ncontent-length: ${size}\r\n\r\n`),
    );
  });

  it('goes between what frames it', async () => {
    const server = await keeper(9);
    const frame = { before: Buffer.from('<<'), after: Buffer.from('>>>') };
    await text(await put(transport(server.origin), { size: 4, stream: pieces(Buffer.from('body'), 3) }, { frame }));
    expect(server.body().toString()).toBe('<<body>>>');
    expect(server.requests[0]).toContain('content-length: 9\r\n');
  });

  it('leaves its connection to the next', async () => {
    const server = await peer((socket) => {
      if (server.requests.at(-1)?.endsWith('body') === true) socket.write(ok(''));
    });
    const to = transport(server.origin);
    for (let sent = 1; sent <= 3; sent += 1) {
      await text(await put(to, { size: 4, stream: pieces(Buffer.from('body'), 4) }));
    }
    expect(server.requests).toHaveLength(3);
    expect(server.connections).toHaveLength(1);
  });

  it('is read no faster than the peer takes it', async () => {
    const server = await peer((socket) => socket.pause());
    let read = 0;
    const stream = new Readable({
      read() {
        read += 64 * 1024;
        this.push(Buffer.alloc(64 * 1024));
      },
    });
    const stop = new AbortController();
    const sent = put(transport(server.origin), { size: 1024 * MEBIBYTE, stream }, { signal: stop.signal });
    sent.catch(() => undefined);
    const stands = async (): Promise<boolean> => {
      const before = read;
      await sleep(50);
      return read === before && read > MEBIBYTE / 2;
    };
    await expect.poll(stands).toBe(true);
    // The kernel's buffers on both sides of a loopback connection, and half a MiB here.
    expect(read).toBeLessThan(24 * MEBIBYTE);
    stop.abort();
    await expect(sent).rejects.toMatchObject({ failure: 'body' });
    expect(stream.destroyed).toBe(true);
  });
});

describe('a streamed body that fails', () => {
  it('before its end breaks the request off, short of its length', async () => {
    const server = await keeper(Number.POSITIVE_INFINITY);
    const stream = new PassThrough();
    const sent = put(transport(server.origin), { size: 10, stream });
    stream.write('12345');
    stream.write('67890');
    await expect.poll(() => server.body().toString()).toBe('12345');
    const reason = new Error('checksum');
    stream.destroy(reason);
    await expect(sent).rejects.toMatchObject({ failure: 'body', cause: reason });
    expect(server.body().toString()).toBe('12345');
  });

  it.each([
    ['is short', 4],
    ['goes on', 2],
  ])('since it %s never reaches its length', async (_what, size) => {
    const server = await keeper(Number.POSITIVE_INFINITY);
    const sent = put(transport(server.origin), { size, stream: pieces(Buffer.from('abc'), 1) });
    await expect(sent).rejects.toMatchObject({ failure: 'body' });
    expect(server.body().length).toBeLessThan(size);
  });

  it('is told from a request that was given up when all of it was on its way', async () => {
    const server = await keeper(Number.POSITIVE_INFINITY);
    const to = transport(server.origin);
    const stop = new AbortController();
    const whole = put(to, { size: 3, stream: pieces(Buffer.from('abc'), 3) }, { signal: stop.signal });
    whole.catch(() => undefined);
    await expect.poll(() => server.body().toString()).toBe('abc');
    stop.abort();
    await expect(whole).rejects.toMatchObject({ failure: 'aborted', sent: true });
  });

  it('before there is a connection for it says so', async () => {
    const server = await keeper(Number.POSITIVE_INFINITY);
    const stream = new PassThrough();
    const reason = new Error('checksum');
    const sent = put(transport(server.origin), { size: 10, stream });
    stream.destroy(reason);
    await expect(sent).rejects.toMatchObject({ failure: 'body', cause: reason });
    expect(server.body()).toHaveLength(0);
  });

  it('is not touched before there is a connection for it', async () => {
    const stream = new PassThrough();
    const read = vi.spyOn(stream, 'resume');
    const sent = put(transport('http://127.0.0.1:1'), { size: 3, stream });
    await expect(sent).rejects.toMatchObject({ failure: 'network', sent: false });
    expect(read).not.toHaveBeenCalled();
    expect(stream.destroyed).toBe(true);
  });
});

describe('the time limit for an answer', () => {
  it('does not count while a client sends nothing', async () => {
    const server = await keeper(6);
    const stream = new PassThrough();
    const sent = put(transport(server.origin), { size: 6, stream }, { responseTimeout: 1_000 });
    stream.write('abc');
    stream.write('d');
    // The limit is long enough for a busy machine, and the pause longer than the limit.
    await sleep(1_500);
    stream.end('ef');
    expect((await sent).status).toBe(200);
  });

  it('begins with the last byte', async () => {
    const server = await keeper(Number.POSITIVE_INFINITY);
    const sent = put(
      transport(server.origin),
      { size: 3, stream: pieces(Buffer.from('abc'), 3) },
      { responseTimeout: 60 },
    );
    await expect(sent).rejects.toMatchObject({ failure: 'timeout', sent: true });
  });

  it('ends an upload that the peer does not take', async () => {
    const server = await peer((socket) => socket.pause());
    const stream = new Readable({
      read() {
        this.push(Buffer.alloc(64 * 1024));
      },
    });
    const sent = put(transport(server.origin), { size: 1024 * MEBIBYTE, stream }, { responseTimeout: 150 });
    await expect(sent).rejects.toMatchObject({ failure: 'timeout' });
    expect(stream.destroyed).toBe(true);
  });
});

describe('an answer before the end of a streamed body', () => {
  it('is given, ends the body, and its connection is not used again', async () => {
    const answered: Socket[] = [];
    const server = await peer((socket) => {
      if (!answered.includes(socket)) socket.write('HTTP/1.1 412 Precondition Failed\r\nContent-Length: 2\r\n\r\nno');
      answered.push(socket);
    });
    const to = transport(server.origin);
    const stream = new PassThrough();
    const sent = put(to, { size: 1_000_000, stream });
    stream.write('abc');
    stream.write('def');
    const response = await sent;
    expect(response.status).toBe(412);
    expect(await text(response)).toBe('no');
    if (!stream.destroyed) await once(stream, 'close');
    await gone(server);
    await text(await put(to, { size: 3, stream: pieces(Buffer.from('abc'), 3) }));
    expect(server.connections).toHaveLength(2);
  });
});
