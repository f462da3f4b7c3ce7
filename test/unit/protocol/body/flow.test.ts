import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { HoldBudget } from '../../../../src/protocol/body/hold-budget.ts';
import type { ObjectBody, OpenBodyOptions } from '../../../../src/protocol/body/object-body.ts';
import { digest, HELD, openSource, plain, requestBody, STREAMED } from './bodies.ts';

const A = (size: number) => Buffer.alloc(size, 'a');
type Streamed = Extract<ObjectBody, { kind: 'streamed' }>;

async function openStreamed(
  body: ReturnType<typeof requestBody>,
  options: OpenBodyOptions = STREAMED,
): Promise<Streamed> {
  const opened = await body.open(options);
  if (opened.kind !== 'streamed') {
    throw new Error('the body was held');
  }
  return opened;
}

/** Collects what a stream has let through so far. */
function watch(stream: Readable): { readonly received: () => number } {
  let received = 0;
  stream.on('data', (bytes: Buffer) => (received += bytes.length)).on('error', () => undefined);
  return { received: () => received };
}

describe('a streamed body', () => {
  it('asks for the first byte only when it is read', async () => {
    const onFirstRead = vi.fn();
    const opened = await openStreamed(requestBody(plain(A(10)), { onFirstRead }));
    await sleep(5);
    expect(onFirstRead).not.toHaveBeenCalled();
    opened.stream.resume();
    await opened.facts;
    expect(onFirstRead).toHaveBeenCalledTimes(1);
  });

  it('holds its last bytes back until everything is verified and beforeEnd is through', async () => {
    const gate = Promise.withResolvers<undefined>();
    const beforeEnd = vi.fn(() => gate.promise);
    const source = openSource(A(100), A(50));
    const body = plain(A(150), { 'content-md5': digest('md5', A(150)) });
    const opened = await openStreamed(requestBody(body, { source }), { ...STREAMED, beforeEnd });
    const { received } = watch(opened.stream);
    await sleep(5);
    expect(received()).toBe(100);
    source.end();
    await sleep(5);
    expect(beforeEnd).toHaveBeenCalledWith({ md5: digest('md5', A(150), 'hex') });
    expect(received()).toBe(100);
    expect(opened.stream.readableEnded).toBe(false);
    gate.resolve(undefined);
    await once(opened.stream, 'end');
    expect(received()).toBe(150);
    await expect(opened.facts).resolves.toEqual({ md5: digest('md5', A(150), 'hex') });
  });

  it('is broken off by beforeEnd', async () => {
    const refusal = new S3Error('PreconditionFailed');
    const opened = await openStreamed(requestBody(plain(A(150))), {
      ...STREAMED,
      beforeEnd: () => Promise.reject(refusal),
    });
    const { received } = watch(opened.stream);
    await expect(opened.facts).rejects.toBe(refusal);
    expect(received()).toBeLessThan(150);
    expect(opened.stream.errored).toBe(refusal);
  });

  it('tells what the headers declare before the first byte', async () => {
    const headers = { 'content-md5': digest('md5', A(5)), 'x-amz-checksum-sha1': digest('sha1', A(5)) };
    const opened = await openStreamed(requestBody(plain(A(5), headers)));
    expect(opened.declared).toEqual({
      md5: digest('md5', A(5), 'hex'),
      checksum: { algorithm: 'SHA1', value: digest('sha1', A(5)) },
    });
    opened.stream.destroy();
    await expect(opened.facts).rejects.toThrow();
  });

  it('lets a slow backend slow the client down', async () => {
    const total = 16 * 1024 * 1024;
    let produced = 0;
    const source = Readable.from(
      (function* () {
        for (; produced < total; produced += 65536) yield A(65536);
      })(),
      { objectMode: false, highWaterMark: 65536 },
    );
    const opened = await openStreamed(
      requestBody(plain(Buffer.alloc(0), { 'content-length': String(total) }), { source }),
    );
    let stored = 0;
    let lead = 0;
    const slow = new Writable({
      write(bytes: Buffer, _encoding, callback) {
        stored += bytes.length;
        lead = Math.max(lead, produced - stored);
        setImmediate(callback);
      },
    });
    await pipeline(opened.stream, slow);
    expect(stored).toBe(total);
    expect(lead).toBeLessThan(1024 * 1024);
  });

  it.each([
    ['closed', undefined],
    ['broken', new Error('ECONNRESET')],
  ])('is incomplete when the request is %s in the middle', async (_, cause) => {
    const source = openSource(A(10));
    const opened = await openStreamed(requestBody(plain(A(1000)), { source }));
    watch(opened.stream);
    await sleep(5);
    source.destroy(cause);
    await expect(opened.facts).rejects.toMatchObject({ code: 'IncompleteBody', cause });
  });

  it('is incomplete when the request was gone before it was read', async () => {
    const source = openSource(A(10));
    source.destroy();
    await expect(requestBody(plain(A(1000)), { source }).open(HELD)).rejects.toMatchObject({ code: 'IncompleteBody' });
  });

  it('lets go of the request when the backend gives up', async () => {
    const source = openSource(A(100), A(100));
    const opened = await openStreamed(requestBody(plain(A(1000)), { source }));
    watch(opened.stream);
    await sleep(5);
    opened.stream.destroy(new Error('backend is gone'));
    await expect(opened.facts).rejects.toThrow('backend is gone');
    expect(source.isPaused()).toBe(true);
    expect(source.destroyed).toBe(false);
    expect(source.listenerCount('data')).toBe(0);
  });

  it('ends with the reason of the call', async () => {
    const call = new AbortController();
    const opened = await openStreamed(requestBody(plain(A(1000)), { source: openSource(A(10)), signal: call.signal }));
    watch(opened.stream);
    await sleep(5);
    const reason = new S3Error('RequestTimeout');
    call.abort(reason);
    await expect(opened.facts).rejects.toBe(reason);
  });

  it('does not start under an aborted call', async () => {
    const reason = new S3Error('RequestTimeout');
    const onFirstRead = vi.fn();
    const body = requestBody(plain(A(10)), { signal: AbortSignal.abort(reason), onFirstRead });
    await expect(body.open(HELD)).rejects.toBe(reason);
    expect(onFirstRead).not.toHaveBeenCalled();
  });
});

describe('a held body', () => {
  it('is held up to the limit, streamed above', async () => {
    const limit = { ...HELD, holdBytes: 100 };
    expect((await requestBody(plain(A(100))).open(limit)).kind).toBe('held');
    const above = await openStreamed(requestBody(plain(A(101))), limit);
    watch(above.stream);
    await above.facts;
  });

  it('waits for beforeEnd, which may refuse it', async () => {
    const holdBudget = new HoldBudget(100);
    const refusal = new S3Error('PreconditionFailed');
    const body = requestBody(plain(A(60)), { holdBudget });
    await expect(body.open({ ...HELD, beforeEnd: () => Promise.reject(refusal) })).rejects.toBe(refusal);
    expect(holdBudget.freeBytes).toBe(100);
  });

  it('takes from a budget that it gives back when the request is answered', async () => {
    const holdBudget = new HoldBudget(100);
    const first = requestBody(plain(A(60)), { holdBudget });
    expect((await first.open(HELD)).kind).toBe('held');
    expect(holdBudget.freeBytes).toBe(40);
    const second = await openStreamed(requestBody(plain(A(60)), { holdBudget }), HELD);
    watch(second.stream);
    await second.facts;
    first.release();
    first.release();
    expect(holdBudget.freeBytes).toBe(100);
    expect((await requestBody(plain(A(60)), { holdBudget }).open(HELD)).kind).toBe('held');
  });

  it('gives back at once what it could not verify', async () => {
    const holdBudget = new HoldBudget(100);
    const body = requestBody(plain(A(60), { 'content-md5': digest('md5', A(1)) }), { holdBudget });
    await expect(body.open(HELD)).rejects.toMatchObject({ code: 'BadDigest' });
    expect(holdBudget.freeBytes).toBe(100);
  });

  it('is read only once', async () => {
    const body = requestBody(plain(A(3)));
    await body.open(HELD);
    await expect(body.readAll(10)).rejects.toThrow(TypeError);
  });
});

describe('a body in pieces of a byte', () => {
  const SIZE = 200_000;
  const wire = Buffer.from(Array.from({ length: SIZE }, (_, index) => index % 251));
  const source = (): Readable =>
    Readable.from(
      (function* () {
        for (let at = 0; at < SIZE; at += 1) yield wire.subarray(at, at + 1);
      })(),
      { objectMode: false, highWaterMark: 64 * 1024 },
    );

  it('is looked at in few, and comes out as it was', async () => {
    const opened = await openStreamed(requestBody(plain(wire), { source: source() }), STREAMED);
    const pieces: Buffer[] = [];
    opened.stream.on('data', (piece: Buffer) => pieces.push(piece));
    await opened.facts;
    await once(opened.stream, 'end');
    expect(Buffer.concat(pieces).equals(wire)).toBe(true);
    expect(pieces.length).toBeLessThan(SIZE / 100);
  });

  it('is held in one buffer, of no more than twice its size', async () => {
    const holdBudget = new HoldBudget(64 * 1024 * 1024);
    const body = requestBody({ ...plain(wire), headers: {} }, { source: source(), holdBudget });
    expect((await body.readAll(1024 * 1024)).equals(wire)).toBe(true);
    expect(holdBudget.usedBytes()).toBeLessThanOrEqual(2 * SIZE);
    body.release();
    expect(holdBudget.usedBytes()).toBe(0);
  });

  it('ends where the client leaves', async () => {
    const open = new PassThrough();
    const read = requestBody(plain(wire), { source: open }).readAll(SIZE);
    for (let at = 0; at < 100; at += 1) open.write(wire.subarray(at, at + 1));
    await sleep(5);
    open.destroy();
    await expect(read).rejects.toMatchObject({ code: 'IncompleteBody' });
  });
});

describe('documents in memory', () => {
  const MIB = 1024 * 1024;
  const document = (size: number, holdBudget: HoldBudget, holder: string): ReturnType<typeof requestBody> =>
    requestBody(plain(A(size)), { holdBudget, holder });

  it('take what has come, not what was announced', async () => {
    const holdBudget = new HoldBudget(64 * MIB);
    const reading = requestBody(
      { ...plain(Buffer.alloc(0)), headers: { 'content-length': String(8 * MIB) } },
      { holdBudget, source: openSource(A(1000)) },
    ).readAll(8 * MIB);
    reading.catch(() => undefined);
    await sleep(5);
    expect(holdBudget.usedBytes()).toBeLessThan(100_000);
  });

  it('of one holder are refused before they leave nothing to others, and everything is given back', async () => {
    const holdBudget = new HoldBudget(32 * MIB);
    const reads = Array.from({ length: 40 }, () => {
      const body = requestBody(plain(A(4 * MIB)), {
        holdBudget,
        holder: 'flood',
        source: Readable.from([A(2 * MIB), A(2 * MIB)]),
      });
      return {
        body,
        outcome: body.readAll(8 * MIB).then(
          () => 'read',
          (error: unknown) => (error as S3Error).code,
        ),
      };
    });
    const outcomes = await Promise.all(reads.map(({ outcome }) => outcome));
    expect(outcomes.filter((one) => one === 'read').length).toBeGreaterThan(3);
    expect(outcomes.filter((one) => one === 'SlowDown').length).toBeGreaterThan(30);
    expect(holdBudget.usedBytes('flood')).toBeLessThanOrEqual(24 * MIB);
    const honest = requestBody(plain(A(MIB)), { holdBudget, holder: 'honest' });
    await expect(honest.readAll(8 * MIB)).resolves.toHaveLength(MIB);
    for (const { body } of [...reads, { body: honest }]) body.release();
    expect(holdBudget.usedBytes()).toBe(0);
    expect(holdBudget.usedBytes('flood')).toBe(0);
  });

  it('that are small get through though two others have spent it all', async () => {
    const holdBudget = new HoldBudget(32 * MIB);
    expect(holdBudget.tryTake(24 * MIB, 'one') && holdBudget.tryTake(8 * MIB, 'two')).toBe(true);
    await expect(document(40_000, holdBudget, 'three').readAll(MIB)).resolves.toHaveLength(40_000);
    await expect(document(200_000, holdBudget, 'three').readAll(MIB)).rejects.toMatchObject({
      code: 'SlowDown',
      status: 503,
    });
    await expect(document(40_000, holdBudget, 'one').readAll(MIB)).rejects.toMatchObject({ code: 'SlowDown' });
  });

  it('are read though bodies may hold nothing', async () => {
    await expect(
      requestBody(plain(A(4 * MIB)), { holdBudget: new HoldBudget(0) }).readAll(8 * MIB),
    ).resolves.toHaveLength(4 * MIB);
  });
});

describe('over a socket', () => {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));

  async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
    const server = createServer(handler).listen(0, '127.0.0.1');
    closers.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  it.each([
    ['held', HELD],
    ['streamed', STREAMED],
  ] as const)('a client that hangs up leaves a %s body incomplete', async (_, options) => {
    const outcome = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<undefined>();
    const port = await serve((source) => {
      asked.resolve(undefined);
      const body = requestBody(plain(A(1000)), { source });
      body.open(options).then(
        (opened) => {
          if (opened.kind === 'streamed') {
            opened.stream.resume();
            opened.stream.on('error', (error) => outcome.resolve(error)).on('end', () => outcome.resolve('ended'));
          } else {
            outcome.resolve('held');
          }
        },
        (error: unknown) => outcome.resolve(error),
      );
    });
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(`PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n${'a'.repeat(500)}`);
    // On a busy machine a connection may be reset before anybody has taken it.
    await asked.promise;
    await sleep(30);
    client.destroy();
    expect(await outcome.promise).toMatchObject({ code: 'IncompleteBody', status: 400 });
  });

  it('a body that fails in the middle leaves the socket open for the answer', async () => {
    const port = await serve((source, response) => {
      const body = requestBody(
        {
          headers: { 'x-amz-decoded-content-length': '20' },
          payload: { kind: 'streaming-unsigned-trailer' },
          wire: [],
        },
        { source },
      );
      body.readAll(100).catch((error: unknown) => {
        response
          .writeHead(error instanceof S3Error ? error.status : 500, { connection: 'close' })
          .end(error instanceof S3Error ? error.code : String(error));
      });
    });
    const client = connect(port, '127.0.0.1');
    client.write('PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nno chunk header\r\n');
    let answer = '';
    client.setEncoding('latin1').on('data', (text: string) => (answer += text));
    await once(client, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('IncompleteBody');
  });
});
