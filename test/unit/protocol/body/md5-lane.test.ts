import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { hashing } from '../../../../src/manifest/heads/copied-bytes.ts';
import type { ObjectBody, OpenBodyOptions } from '../../../../src/protocol/body/object-body.ts';
import type { OwnedRequestBody } from '../../../../src/protocol/body/request-body.ts';
import { md5LanesOpen } from '../../../../src/protocol/checksums/md5.ts';
import { STREAMED, digest, openSource, plain, requestBody } from './bodies.ts';

const SIZE = 2 * 1024 * 1024;
const ALL = Buffer.alloc(SIZE, 'm');
const HALF = ALL.subarray(0, SIZE / 2);
const WANTED: OpenBodyOptions = { ...STREAMED, md5: 'here' };

type Streamed = Extract<ObjectBody, { kind: 'streamed' }>;

async function streamed(body: OwnedRequestBody, options = WANTED): Promise<Streamed> {
  const opened = await body.open(options);
  if (opened.kind !== 'streamed') throw new Error('the body was held');
  opened.stream.on('error', () => undefined);
  return opened;
}

/** A body of which half has come. */
async function halfRead(signal?: AbortSignal): Promise<{ source: ReturnType<typeof openSource>; opened: Streamed }> {
  const source = openSource(HALF);
  const opened = await streamed(requestBody(plain(ALL), { source, ...(signal && { signal }) }));
  opened.stream.on('data', () => undefined);
  while (md5LanesOpen() === 0) await new Promise((resolve) => setImmediate(resolve));
  return { source, opened };
}

async function failed({ facts }: Streamed): Promise<void> {
  await expect(facts).rejects.toThrow();
}

describe('a long body whose MD5 is wanted', () => {
  it('is not read from while its bytes wait for those of another, and then goes on', async () => {
    const bodies = await Promise.all(
      [1, 2].map(async () => {
        const source = openSource();
        let pauses = 0;
        source.on('pause', () => (pauses += 1));
        const opened = await streamed(requestBody(plain(ALL), { source }));
        opened.stream.on('data', () => undefined);
        return { source, opened, pauses: () => pauses };
      }),
    );
    for (const { source } of bodies) source.write(Buffer.from('m'));
    while (md5LanesOpen() < bodies.length) await new Promise((resolve) => setImmediate(resolve));
    for (const { source } of bodies) source.write(HALF);
    while (bodies.some(({ pauses }) => pauses() === 0)) await new Promise((resolve) => setImmediate(resolve));
    for (const { source } of bodies) source.end(HALF.subarray(1));
    for (const { opened } of bodies) {
      await expect(opened.facts).resolves.toEqual({ md5: digest('md5', ALL, 'hex') });
    }
  });
});

describe('the lane of a long body whose MD5 is wanted', () => {
  afterEach(() => {
    expect(md5LanesOpen()).toBe(0);
  });

  it('is held by no body that nobody reads', async () => {
    const opened = await streamed(requestBody(plain(ALL)));
    expect(md5LanesOpen()).toBe(0);
    opened.stream.destroy();
    await failed(opened);
  });

  it('is given back when all has come', async () => {
    const { source, opened } = await halfRead();
    source.end(HALF);
    await expect(opened.facts).resolves.toEqual({ md5: digest('md5', ALL, 'hex') });
  });

  it('is given back when the client hangs up', async () => {
    const { source, opened } = await halfRead();
    source.destroy();
    await failed(opened);
  });

  it('is given back when the body ends too early', async () => {
    const { source, opened } = await halfRead();
    source.end();
    await failed(opened);
  });

  it('is given back when more comes than was announced', async () => {
    const { source, opened } = await halfRead();
    source.write(Buffer.concat([HALF, HALF]));
    await failed(opened);
  });

  it('is given back when the backend has enough', async () => {
    const { opened } = await halfRead();
    opened.stream.destroy(new Error('refused'));
    await failed(opened);
  });

  it('is given back when the request is aborted', async () => {
    const controller = new AbortController();
    const { opened } = await halfRead(controller.signal);
    controller.abort(new Error('drained'));
    await failed(opened);
  });

  it.each([
    ['Content-MD5', { 'content-md5': digest('md5', Buffer.from('other')) }],
    ['a checksum', { 'x-amz-checksum-sha1': digest('sha1', Buffer.from('other')) }],
    ['x-amz-checksum-md5', { 'x-amz-checksum-md5': digest('md5', Buffer.from('other')) }],
  ])('is given back when %s does not fit', async (_, headers) => {
    const opened = await streamed(requestBody(plain(ALL, headers)));
    opened.stream.resume();
    await failed(opened);
  });

  it('is given back when beforeEnd refuses', async () => {
    const beforeEnd = () => Promise.reject(new S3Error('PreconditionFailed'));
    const opened = await streamed(requestBody(plain(ALL)), { ...WANTED, beforeEnd });
    opened.stream.resume();
    await failed(opened);
  });

  it('is not held by a beforeEnd that waits', async () => {
    const gate = Promise.withResolvers<undefined>();
    const waits = Promise.withResolvers<undefined>();
    const beforeEnd = (): Promise<undefined> => {
      setImmediate(() => waits.resolve(undefined));
      return gate.promise;
    };
    const opened = await streamed(requestBody(plain(ALL)), { ...WANTED, beforeEnd });
    opened.stream.resume();
    await waits.promise;
    expect(md5LanesOpen()).toBe(0);
    gate.resolve(undefined);
    await expect(opened.facts).resolves.toEqual({ md5: digest('md5', ALL, 'hex') });
  });

  it.each(['ends', 'fails', 'is given up'])('is given back when a copy %s', async (how) => {
    const source = openSource(HALF);
    const { signal } = new AbortController();
    const { stream, facts } = hashing(source, { size: SIZE, md5: true }, signal);
    stream.on('data', () => undefined);
    while (md5LanesOpen() === 0) await new Promise((resolve) => setImmediate(resolve));
    if (how === 'ends') source.end(HALF);
    else if (how === 'fails') source.destroy(new Error('reset'));
    else stream.destroy();
    const outcome = await facts.catch(() => undefined);
    expect(outcome?.md5).toBe(how === 'ends' ? digest('md5', ALL, 'hex') : undefined);
  });

  it('of a copy that nobody reads is given back when its signal aborts', async () => {
    const controller = new AbortController();
    const { facts } = hashing(Readable.from([HALF, HALF]), { size: SIZE, md5: true }, controller.signal);
    controller.abort();
    await expect(facts).rejects.toThrow();
  });
});
