import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ExactBody } from '../../../../../adapters/shared/wire/exact-body.ts';

interface Seen {
  readonly sent: string[];
  ended: boolean;
  error: Error | undefined;
}

function watch(body: ExactBody): Seen {
  const seen: Seen = { sent: [], ended: false, error: undefined };
  body.on('data', (chunk: Buffer) => void seen.sent.push(chunk.toString()));
  body.on('end', () => void (seen.ended = true));
  body.on('error', (error: Error) => void (seen.error = error));
  body.resume();
  return seen;
}

async function settled(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await turn();
}

test('a chunk after which more must come does not wait for it', async () => {
  const stream = new Readable({ read: () => undefined });
  const seen = watch(new ExactBody({ size: 4, stream }));
  stream.push('ab');
  await settled();
  expect(seen).toEqual({ sent: ['ab'], ended: false, error: undefined });
});

test('the last chunk waits for the end of the stream', async () => {
  const stream = new Readable({ read: () => undefined });
  const seen = watch(new ExactBody({ size: 4, stream }));
  stream.push('ab');
  stream.push('cd');
  await settled();
  expect(seen).toEqual({ sent: ['ab'], ended: false, error: undefined });
  stream.push(null);
  await settled();
  expect(seen).toEqual({ sent: ['ab', 'cd'], ended: true, error: undefined });
});

test.each([
  ['too little', 5, ['ab', 'cd'], 'ended after 4 of 5'],
  ['nothing', 5, [], 'ended after 0 of 5'],
  ['too much', 3, ['ab', 'cd'], 'longer than its 3'],
])('%s: fails, and less than the length has gone out', async (_what, size, chunks, message) => {
  const body = new ExactBody({ size, stream: Readable.from(chunks.map((chunk) => Buffer.from(chunk))) });
  const seen = watch(body);
  await settled();
  expect(seen.error?.message).toContain(message);
  expect(body.failure).toBe(seen.error);
  expect(seen.ended).toBe(false);
  expect(seen.sent.join('').length).toBeLessThan(size);
});

test('an error after all bytes came still fails it', async () => {
  const stream = new Readable({ read: () => undefined });
  const body = new ExactBody({ size: 2, stream });
  const seen = watch(body);
  stream.push('ab');
  await settled();
  stream.destroy(new Error('late'));
  await settled();
  expect(seen).toMatchObject({ sent: [], ended: false, error: new Error('late') });
  expect(body.failure).toBe(seen.error);
});

test('a stream destroyed without an error, before or after it began, fails it', async () => {
  const before = new Readable({ read: () => undefined });
  before.destroy();
  await settled();
  const early = new ExactBody({ size: 2, stream: before });
  watch(early);
  const after = new Readable({ read: () => undefined });
  const late = new ExactBody({ size: 2, stream: after });
  watch(late);
  after.destroy();
  await settled();
  expect([early.failure, late.failure].every((error) => error instanceof Error)).toBe(true);
});

test('destroyed by the sender: the stream goes too, and that is no failure of it', async () => {
  const stream = new Readable({ read: () => undefined });
  const body = new ExactBody({ size: 2, stream });
  watch(body);
  body.destroy();
  await settled();
  expect(stream.destroyed).toBe(true);
  expect(body.failure).toBeUndefined();
});

test('pause reaches the source', async () => {
  let pulled = 0;
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      pulled += 1;
      this.push(Buffer.alloc(10));
    },
  });
  const body = new ExactBody({ size: 1_000_000, stream });
  body.on('data', () => body.pause());
  body.resume();
  await settled();
  expect(pulled).toBeLessThan(20);
  body.destroy();
});

test('a frame goes around the stream, its end only when the stream has ended well', async () => {
  const frame = { before: Buffer.from('<'), after: Buffer.from('>') };
  const stream = new Readable({ read: () => undefined });
  const body = new ExactBody({ size: 4, stream }, frame);
  const seen = watch(body);
  expect(body.size).toBe(6);
  stream.push('ab');
  stream.push('cd');
  await settled();
  expect(seen).toEqual({ sent: ['<', 'ab'], ended: false, error: undefined });
  stream.push(null);
  await settled();
  expect(seen).toEqual({ sent: ['<', 'ab', 'cd', '>'], ended: true, error: undefined });

  const broken = new ExactBody({ size: 4, stream: Readable.from([Buffer.from('abc')]) }, frame);
  const outcome = watch(broken);
  await settled();
  expect(outcome.error?.message).toContain('ended after 3 of 4');
  expect(outcome.sent.join('')).not.toContain('>');
});
