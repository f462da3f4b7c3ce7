import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Md5Choice } from '../../../../src/protocol/checksums/md5-choice.ts';
import { type Md5Lane, Md5Lanes, RING } from '../../../../src/protocol/checksums/md5-lanes.ts';
import { createMd5, md5LanesOpen } from '../../../../src/protocol/checksums/md5.ts';
import { propertySeed } from '../../../support/property-seed.ts';

const READ = 64 * 1024;

/** Four go together, and it is counted how many blocks did with how many others. */
class CountingChoice extends Md5Choice {
  readonly blocks: Record<number, number> = {};

  override together(ready: number): number {
    return Math.min(ready, 4);
  }

  override run(streams: number, blocks: number, work: () => void): void {
    this.blocks[streams] = (this.blocks[streams] ?? 0) + streams * blocks;
    work();
  }
}
const NOISE = Buffer.alloc(4 * RING);
for (let i = 0; i < NOISE.length; i += 1) NOISE[i] = Math.imul(i + 1, 2_654_435_761) >>> 24;

describe('MD5 of streams that wait for each other', () => {
  let lanes: Md5Lanes;
  let taken: Md5Lane[];

  beforeEach(() => {
    lanes = new Md5Lanes();
    taken = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  function take(): Md5Lane {
    const lane = lanes.take();
    if (lane === undefined) throw new Error('no lane');
    taken.push(lane);
    return lane;
  }

  function fill(lane: Md5Lane): Promise<undefined> | undefined {
    const salt = taken.indexOf(lane);
    while (RING - lane.waiting >= READ) lanes.add(lane, NOISE.subarray(lane.came + salt, lane.came + salt + READ));
    return lanes.room(lane);
  }

  function expectDigests(): void {
    for (const [salt, lane] of taken.entries()) {
      const bytes = NOISE.subarray(salt, lane.came + salt);
      expect(lanes.digest(lane).toString('hex')).toBe(createHash('md5').update(bytes).digest('hex'));
    }
  }

  it('has nothing to wait for while a stream is by itself', () => {
    expect(fill(take())).toBeUndefined();
    expectDigests();
  });

  it('has nothing to wait for while there is room for what comes next', () => {
    const [lane] = [take(), take()];
    lanes.add(lane, NOISE.subarray(0, RING - READ));
    expect(lanes.room(lane)).toBeUndefined();
    lanes.add(lane, NOISE.subarray(RING - READ, RING - READ + 1));
    expect(lanes.room(lane)).toBeInstanceOf(Promise);
    expectDigests();
  });

  it.each([2, 3, 4, 5, 8, 16, 25])(
    'works through what %d have sent in one go, and makes room for all',
    async (count) => {
      for (let i = 0; i < count; i += 1) take();
      const rooms = taken.map((lane) => fill(lane));
      expect(taken.map(({ done }) => done)).toEqual(taken.map(() => 0));
      expect(new Set(rooms).size).toBe(1);
      await rooms[0];
      for (const lane of taken) expect(lane.waiting).toBeLessThanOrEqual(RING / 2);
      expectDigests();
    },
  );

  it('works through all that are full together, wherever their rings end', async () => {
    const choice = new CountingChoice();
    lanes = new Md5Lanes(choice);
    const READS = 12;
    const four = [take(), take(), take(), take()];
    // What comes with the head of a request is less than the reads that follow.
    for (const [salt, lane] of four.entries()) lanes.add(lane, NOISE.subarray(salt, salt + READ - 100 * (salt + 1)));
    for (let read = 0; read < READS; read += 1) {
      const rooms = four.map((lane, salt) => {
        lanes.add(lane, NOISE.subarray(lane.came + salt, lane.came + salt + READ));
        return lanes.room(lane);
      });
      for (const room of rooms) await room;
    }
    const all = Object.values(choice.blocks).reduce((sum, blocks) => sum + blocks, 0);
    expect(all).toBeGreaterThan((4 * (READS - 4) * READ) / 64);
    expect((choice.blocks[4] ?? 0) / all).toBeGreaterThan(0.95);
    expectDigests();
  });

  /** Two were full and worked through; then one of them is full again. */
  async function laterRound() {
    const [first, second] = [take(), take()];
    await Promise.all([fill(first), fill(second)]);
    return { first, second, done: first.done, room: fill(first) };
  }

  it('waits in a later round for those that were full in the round before', async () => {
    const { second, done, room } = await laterRound();
    await new Promise((resolve) => setImmediate(resolve));
    void fill(second);
    await room;
    expect(second.done).toBeGreaterThan(done);
    expectDigests();
  });

  it('waits for nobody who does not come, and a second time not at all', async () => {
    const { first, done, room } = await laterRound();
    vi.advanceTimersByTime(2);
    await room;
    expect(first.done).toBeGreaterThan(done);
    const again = fill(first);
    const turns = [1, 2].map(() => new Promise((resolve) => setImmediate(resolve)));
    await expect(Promise.race([again?.then(() => 'room'), Promise.all(turns).then(() => 'late')])).resolves.toBe(
      'room',
    );
    expectDigests();
  });

  it.each(['full itself', 'waited for'])('goes on when a stream that is %s is given up', async (which) => {
    const [first, second, third] = [take(), take(), take()];
    await Promise.all([fill(first), fill(second), fill(third)]);
    const room = fill(first);
    if (which === 'full itself') void fill(second);
    lanes.give(second);
    lanes.give(third);
    await room;
    taken = [first];
    expect(first.waiting).toBeLessThanOrEqual(RING / 2);
    expectDigests();
  });

  it('goes on when the one that waits has ended or is given up', async () => {
    const [first, second] = [take(), take()];
    const room = fill(first);
    expectDigests();
    lanes.give(first);
    lanes.give(second);
    await room;
    const next = take();
    expect([next.came, next.done, lanes.open]).toEqual([0, 0, 1]);
  });
});

describe('MD5 of bodies that heed what they are told about room', () => {
  afterEach(() => {
    expect(md5LanesOpen()).toBe(0);
  });

  const body = fc.record({
    size: fc.nat(1_200_000),
    pieces: fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 30_000, max: 300_000 })), {
      minLength: 1,
      maxLength: 5,
    }),
    /** Whoever does not heed it sends on. */
    heeds: fc.boolean(),
    slow: fc.boolean(),
    gaveUpAt: fc.option(fc.nat(1_000_000), { nil: undefined, freq: 5 }),
  });

  async function send({ size, pieces, heeds, slow, gaveUpAt }: typeof body extends fc.Arbitrary<infer B> ? B : never) {
    const md5 = createMd5(16 * 1024 * 1024);
    const hash = createHash('md5');
    // Pieces of a few bytes only where they are few.
    const bytes = NOISE.subarray(0, Math.min(NOISE.length, Math.max(...pieces) > 1000 ? size : size % 5000));
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      if (gaveUpAt !== undefined && at >= gaveUpAt) {
        md5.release?.();
        return;
      }
      const piece = bytes.subarray(at, at + (pieces[turn % pieces.length] ?? 1));
      md5.update(piece);
      hash.update(piece);
      at += piece.length;
      const room = md5.room?.();
      if (heeds) await room;
      else if (slow) await sleep(1);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    expect(md5.digest().toString('hex')).toBe(hash.digest('hex'));
  }

  it('is right, whoever waits, sends on, or gives up', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 10 }), async (bodies) => {
        await Promise.all(bodies.map((sent) => send(sent)));
        expect(md5LanesOpen()).toBe(0);
      }),
      { seed: propertySeed, numRuns: 30 },
    );
  });
});
