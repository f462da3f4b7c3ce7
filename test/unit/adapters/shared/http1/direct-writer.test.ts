import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../../../adapters/shared/http1/connection.ts';
import { DirectWriter } from '../../../../../adapters/shared/http1/direct-writer.ts';
import { SlabPool } from '../../../../../adapters/shared/http1/slab.ts';
import { StoreError } from '../../../../../src/store/store-error.ts';

const LARGE = 512 * 1024;
const LEAN = 32 * 1024;

/** A connection that always has bytes, and a client that takes them when told to. */
class Scene {
  /** Where the next read goes. */
  buffer: Buffer = Buffer.alloc(0);
  paused = false;
  /** Callbacks of writes that the kernel has not taken yet. */
  readonly writes: (() => void)[] = [];
  readonly closed: (() => void)[] = [];
  readonly sink = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void this.writes.push(done),
  });
  readonly writer: DirectWriter;

  constructor(slabs: SlabPool) {
    const connection = {
      options: { slabs },
      readInto: (buffer: Buffer) => (this.buffer = buffer),
      pause: () => (this.paused = true),
      resume: () => (this.paused = false),
      whenClosed: (tell: () => void) => void this.closed.push(tell),
    };
    this.writer = new DirectWriter(this.sink, connection as unknown as Connection, {
      clock: undefined,
      patient: false,
    });
    this.writer.finished.catch(() => undefined);
    this.writer.afterRead();
  }

  /** Fills one slab, and the kernel takes it after a while. @returns bytes of the slab */
  async move(milliseconds: number): Promise<number> {
    const { length } = this.buffer;
    this.writer.data(this.buffer);
    this.writer.afterRead();
    vi.advanceTimersByTime(milliseconds);
    while (this.writes.length > 0) {
      this.writes.shift()?.();
      await Promise.resolve();
      await new Promise(process.nextTick);
    }
    return length;
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('a client that takes slowly gets by with small slabs, and others have the large ones', async () => {
  const slabs = new SlabPool(2 * LARGE);
  const slow = new Scene(slabs);
  const early: number[] = [];
  // Both large slabs are on their way before anything is waited for.
  slow.writer.data(slow.buffer);
  slow.writer.afterRead();
  for (let turn = 0; turn < 6; turn += 1) early.push(await slow.move(2000));
  expect(early[0]).toBe(LARGE);
  expect(early.slice(-3)).toEqual([LEAN, LEAN, LEAN]);
  const quick = new Scene(slabs);
  const sizes: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) sizes.push(await quick.move(1));
  expect(sizes).toEqual([LARGE, LARGE, LARGE, LARGE]);
});

test('one that has become quick gets large slabs again, while there are some', async () => {
  const slabs = new SlabPool(2 * LARGE);
  const scene = new Scene(slabs);
  scene.writer.data(scene.buffer);
  scene.writer.afterRead();
  for (let turn = 0; turn < 6; turn += 1) await scene.move(2000);
  let bytes = 0;
  let moved = 0;
  for (; moved !== LARGE && bytes < 8 * 1024 * 1024; bytes += moved) moved = await scene.move(1);
  expect(bytes).toBeGreaterThan(1024 * 1024);
  expect(moved).toBe(LARGE);
});

test('a body that broke off gives its memory back when both sockets are closed', async () => {
  const slabs = new SlabPool(2 * LARGE);
  const scene = new Scene(slabs);
  const first = scene.buffer.buffer;
  await scene.move(1);
  scene.writer.fail(new StoreError('unavailable'));
  const others = [slabs.take(false), slabs.take(false)];
  expect(others.map(({ buffer }) => buffer)).not.toContain(first);
  for (const slab of others) slabs.giveBack(slab);
  scene.sink.emit('close');
  expect(scene.closed).toHaveLength(1);
  for (const tell of scene.closed) tell();
  const all = Array.from({ length: 2 }, () => slabs.take(false).buffer);
  expect(all.includes(first) || first.byteLength === 0).toBe(true);
});
