import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import type { ObjectBody } from '../../../../src/protocol/body/object-body.ts';
import { bulkPacer } from '../../../../src/streams/bulk-pacer.ts';
import { Crowd, nextTurn } from '../../streams/crowd.ts';
import { type TestBody, STREAMED, plain, requestBody } from './bodies.ts';

const MEBIBYTE = 1024 * 1024;
const PIECE = 64 * 1024;
const SIZE = 4 * MEBIBYTE;
const CONTENT = Buffer.from(Array.from({ length: SIZE }, (_, at) => (at * 7919) % 251));

interface Upload {
  readonly source: PassThrough;
  readonly opened: Extract<ObjectBody, { kind: 'streamed' }>;
  readonly received: () => Buffer;
}

/** An upload of which all has come and nothing has been read, whose reader begins at once. */
async function begun(signal?: AbortSignal, body: TestBody = plain(CONTENT)): Promise<Upload> {
  const source = new PassThrough({ highWaterMark: 2 * SIZE });
  for (let at = 0; at < SIZE; at += PIECE) source.write(CONTENT.subarray(at, at + PIECE));
  source.end();
  const opened = await requestBody(body, { source, ...(signal && { signal }) }).open(STREAMED);
  if (opened.kind !== 'streamed') throw new Error('the body was held');
  const pieces = collected(opened.stream);
  return { source, opened, received: () => Buffer.concat(pieces) };
}

function collected(stream: Readable): Buffer[] {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => undefined);
  return pieces;
}

it('a large upload waits for its turn, and comes out as it was', async () => {
  const crowd = new Crowd();
  const { source, opened, received } = await begun();
  await crowd.untilOthersWait();
  expect(source.isPaused()).toBe(true);
  expect(received().length).toBeLessThan(MEBIBYTE);
  crowd.end();
  await once(opened.stream, 'end');
  await opened.facts;
  expect(received().equals(CONTENT)).toBe(true);
  expect(bulkPacer.waiting).toBe(0);
});

it('one that waits for its turn and for the backend goes on when neither keeps it', async () => {
  const crowd = new Crowd();
  const { source, opened, received } = await begun();
  await crowd.untilOthersWait();
  opened.stream.pause();
  crowd.end();
  while (
    !source.readableEnded &&
    received().length < SIZE &&
    opened.stream.readableLength < opened.stream.readableHighWaterMark
  ) {
    await nextTurn();
  }
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
  expect(received().length).toBeLessThan(MEBIBYTE);
  expect(source.isPaused()).toBe(true);
  opened.stream.resume();
  await opened.facts;
  await once(opened.stream, 'end');
  expect(received().equals(CONTENT)).toBe(true);
});

it.each([
  ['the backend gives up', ({ opened }: Upload) => opened.stream.destroy(new Error('gone')), { message: 'gone' }],
  ['the client hangs up', ({ source }: Upload) => source.destroy(), { code: 'IncompleteBody' }],
])('nothing waits for its turn any more when %s', async (_, leave, failure) => {
  const crowd = new Crowd();
  const upload = await begun();
  await crowd.untilOthersWait();
  leave(upload);
  await expect(upload.opened.facts).rejects.toMatchObject(failure);
  expect(crowd.others).toBe(0);
  const before = upload.received().length;
  crowd.end();
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
  expect(upload.source.isPaused()).toBe(true);
  expect(upload.received().length).toBe(before);
});

it('nor when the call is aborted', async () => {
  const crowd = new Crowd();
  const call = new AbortController();
  const { source, opened } = await begun(call.signal);
  await crowd.untilOthersWait();
  const reason = new S3Error('RequestTimeout');
  call.abort(reason);
  await expect(opened.facts).rejects.toBe(reason);
  expect(crowd.others).toBe(0);
  expect(source.isPaused()).toBe(true);
});

it('a body that was found wrong while others went first is refused', async () => {
  const crowd = new Crowd();
  const { opened } = await begun(undefined, plain(CONTENT, { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }));
  await crowd.untilOthersWait();
  crowd.end();
  await expect(opened.facts).rejects.toMatchObject({ code: 'BadDigest' });
  expect(bulkPacer.waiting).toBe(0);
});
