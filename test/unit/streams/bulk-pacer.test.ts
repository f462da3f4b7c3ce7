import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BulkPacer, type PacedBody, SMALL_BODY, type Stops } from '../../../src/streams/bulk-pacer.ts';
import '../../support/property-seed.ts';

const KIB = 1024;
const READ = 64 * KIB;
/** libuv reads so often from a socket before it looks at the next one. */
const READS_IN_ROW = 32;
const BESIDE_SMALL = { perTurn: 2048 * KIB, share: 512 * KIB };
const AMONG_THEMSELVES = { perTurn: 16_384 * KIB, share: 4096 * KIB };
const UPLOAD_SHARE = 256 * KIB;

const BOTH: readonly Stops[] = ['while others wait', 'beside others'];

/** An event loop that is turned by hand, and bodies that always have more to read. */
class Loop {
  time = 0;
  /** What is to be called after the turn, of which there may be one. */
  #after: (() => void)[] = [];
  readonly pacer = new BulkPacer({
    besideSmall: BESIDE_SMALL,
    amongThemselves: AMONG_THEMSELVES,
    afterTurn: (call) => {
      this.#after.push(call);
    },
    now: () => this.time,
  });
  readonly bodies: Mover[] = [];

  add(count: number, stops: Stops = 'while others wait'): void {
    for (let i = 0; i < count; i += 1) this.bodies.push(new Mover(this.pacer, stops));
  }

  /** @returns bytes that all bodies moved in it */
  turn(): number {
    const before = this.moved;
    for (const body of this.bodies) body.read(READS_IN_ROW);
    this.endTurn();
    return this.moved - before;
  }

  endTurn(): void {
    const after = this.#after;
    this.#after = [];
    for (const call of after) call();
  }

  get idle(): boolean {
    return this.#after.length === 0;
  }

  get moved(): number {
    return this.bodies.reduce((sum, { moved }) => sum + moved, 0);
  }
}

class Mover {
  moved = 0;
  stopped = false;
  over = false;
  calledLate = false;
  readonly #place: PacedBody;

  constructor(pacer: BulkPacer, stops: Stops = 'while others wait') {
    this.#place = pacer.enter(() => {
      if (this.over) this.calledLate = true;
      this.stopped = false;
    }, stops);
  }

  read(times: number, size = READ): void {
    for (let i = 0; i < times && !this.stopped && !this.over; i += 1) {
      this.moved += size;
      this.stopped = !this.#place.mayGoOn(size);
    }
  }

  leave(): void {
    this.over = true;
    this.#place.leave();
  }
}

describe('beside small requests', () => {
  it('64 bodies move no more in a turn than it has bytes, but for the read with which each began', () => {
    const loop = new Loop();
    loop.pacer.smallBegan();
    loop.add(64);
    const first = loop.turn();
    expect(first).toBeLessThanOrEqual(64 * (SMALL_BODY + READ) + BESIDE_SMALL.perTurn);
    for (let i = 0; i < 100; i += 1) {
      const moved = loop.turn();
      expect(moved).toBeLessThanOrEqual(BESIDE_SMALL.perTurn + READ);
      expect(moved).toBeGreaterThanOrEqual(BESIDE_SMALL.perTurn - BESIDE_SMALL.share);
    }
  });

  it('they get the same, in turns', () => {
    const loop = new Loop();
    loop.pacer.smallBegan();
    loop.add(64);
    // The first ones find nobody waiting.
    const before = loop.bodies.map((body) => {
      body.read(READS_IN_ROW);
      return body.moved;
    });
    loop.endTurn();
    for (let i = 0; i < 500; i += 1) loop.turn();
    const moved = loop.bodies.map((body, at) => body.moved - (before[at] ?? 0));
    expect(Math.max(...moved) - Math.min(...moved)).toBeLessThanOrEqual(2 * BESIDE_SMALL.share);
    expect(Math.min(...moved)).toBeGreaterThan(10 * BESIDE_SMALL.share);
  });

  it('what is small never waits, though the bytes of the turn are spent', () => {
    const loop = new Loop();
    loop.pacer.smallBegan();
    loop.add(64);
    loop.turn();
    for (const body of loop.bodies) body.read(READS_IN_ROW);
    const small = new Mover(loop.pacer);
    small.read(SMALL_BODY / READ);
    expect(small.stopped).toBe(false);
    small.read(1);
    expect(small.stopped).toBe(true);
  });

  it('one that comes in the middle of a turn shortens it', () => {
    const loop = new Loop();
    loop.add(4);
    loop.bodies[0]?.read(READS_IN_ROW);
    expect(loop.bodies[0]?.stopped).toBe(false);
    loop.pacer.smallBegan();
    loop.bodies[1]?.read(READS_IN_ROW);
    expect(loop.bodies[1]?.stopped).toBe(true);
    expect(loop.moved).toBeLessThanOrEqual(BESIDE_SMALL.perTurn + SMALL_BODY * 2 + READ);
  });

  it('a body that moves a read in a turn never stops', () => {
    const loop = new Loop();
    loop.pacer.smallBegan();
    loop.add(1);
    for (let i = 0; i < 100; i += 1) {
      loop.bodies[0]?.read(1);
      expect(loop.bodies[0]?.stopped).toBe(false);
      loop.endTurn();
    }
    expect(loop.idle).toBe(true);
  });
});

describe('without small requests', () => {
  it('a turn has more bytes, 100 ms after the last of them', () => {
    const loop = new Loop();
    loop.add(64);
    loop.pacer.smallBegan();
    loop.turn();
    loop.pacer.smallOver('small');
    loop.time = 99;
    loop.turn();
    expect(loop.turn()).toBeLessThanOrEqual(BESIDE_SMALL.perTurn + READ);
    loop.time = 101;
    loop.turn();
    for (let i = 0; i < 10; i += 1) {
      // libuv's own bound makes each of the four that go on stop before it has its share.
      expect(loop.turn()).toBeGreaterThan(3 * BESIDE_SMALL.perTurn);
    }
  });

  it('one that turned out large keeps nobody back', () => {
    const loop = new Loop();
    loop.add(4);
    loop.pacer.smallBegan();
    loop.pacer.smallOver('large');
    loop.endTurn();
    expect(loop.turn()).toBe(4 * READS_IN_ROW * READ);
    expect(loop.pacer.waiting).toBe(0);
  });
});

describe('uploads among themselves', () => {
  it('stop at their share in each turn, so that none of which little comes falls far behind', () => {
    const loop = new Loop();
    loop.add(4, 'beside others');
    const [slow, ...quick] = loop.bodies;
    for (let i = 0; i < 100; i += 1) {
      slow?.read(2);
      for (const body of quick) body.read(READS_IN_ROW);
      loop.endTurn();
    }
    const [least = 0, ...others] = loop.bodies.map(({ moved }) => moved);
    for (const moved of others) expect(moved / least).toBeLessThan(2.5);
  });

  it('one by itself never stops, nor does one whose neighbours are small or have left', () => {
    const loop = new Loop();
    loop.add(3, 'beside others');
    const [one, small, left] = loop.bodies;
    small?.read(SMALL_BODY / READ);
    left?.read(SMALL_BODY / READ + 1);
    left?.leave();
    for (let i = 0; i < 10; i += 1) {
      one?.read(READS_IN_ROW);
      expect(one?.stopped).toBe(false);
      loop.endTurn();
    }
  });

  it('go on in the next turn, as many as have room in it', () => {
    const loop = new Loop();
    loop.add(4, 'beside others');
    // The first one found no others.
    for (let i = 0; i < 2; i += 1) loop.turn();
    for (let i = 0; i < 10; i += 1) expect(loop.turn()).toBe(4 * UPLOAD_SHARE);
    loop.add(200, 'beside others');
    for (let i = 0; i < 4; i += 1) loop.turn();
    expect(loop.turn()).toBe(AMONG_THEMSELVES.perTurn);
  });
});

describe('a body that leaves while it waits', () => {
  it('is not called, and the others go on', () => {
    const loop = new Loop();
    loop.pacer.smallBegan();
    loop.add(10);
    loop.turn();
    loop.turn();
    const waiting = loop.bodies.filter(({ stopped }) => stopped);
    expect(waiting.length).toBeGreaterThan(4);
    for (const body of waiting) body.leave();
    expect(loop.pacer.waiting).toBe(0);
    loop.endTurn();
    expect(loop.idle).toBe(true);
    expect(waiting.some(({ calledLate }) => calledLate)).toBe(false);
    for (const body of loop.bodies.filter(({ over }) => !over)) {
      body.read(1);
      expect(body.stopped).toBe(false);
    }
  });

  it('may do so because another one goes on', () => {
    const loop = new Loop();
    loop.pacer.smallBegan();
    loop.add(20);
    loop.turn();
    const second = new Mover(loop.pacer);
    const first = loop.pacer.enter(() => second.leave(), 'while others wait');
    loop.turn();
    expect(first.mayGoOn(4096 * KIB)).toBe(false);
    second.read(READS_IN_ROW);
    expect(second.stopped).toBe(true);
    for (let i = 0; i < 40; i += 1) loop.endTurn();
    expect(second.over).toBe(true);
    expect(second.calledLate).toBe(false);
    expect(loop.pacer.waiting).toBe(0);
    expect(loop.idle).toBe(true);
  });

  it('whatever comes in between: nobody is forgotten, called late or left behind', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ act: fc.constant('read' as const), who: fc.nat(), times: fc.nat(40) }) },
      { weight: 3, arbitrary: fc.constant({ act: 'turn' as const }) },
      {
        weight: 1,
        arbitrary: fc.record({ act: fc.constant('enter' as const), stops: fc.constantFrom<Stops>(...BOTH) }),
      },
      { weight: 1, arbitrary: fc.record({ act: fc.constant('leave' as const), who: fc.nat() }) },
      { weight: 1, arbitrary: fc.constant({ act: 'small' as const }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constant('over' as const), time: fc.nat(200) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const loop = new Loop();
        for (const stops of BOTH) loop.add(4, stops);
        let small = 0;
        const someone = (who: number): Mover | undefined => loop.bodies[who % loop.bodies.length];
        for (const next of steps) {
          if (next.act === 'read') {
            someone(next.who)?.read(next.times);
          } else if (next.act === 'enter') {
            loop.add(1, next.stops);
          } else if (next.act === 'leave') {
            someone(next.who)?.leave();
          } else if (next.act === 'turn') {
            loop.endTurn();
          } else if (next.act === 'small') {
            small += 1;
            loop.pacer.smallBegan();
          } else if (small > 0) {
            small -= 1;
            loop.time += next.time;
            loop.pacer.smallOver('small');
          }
          const stopped = loop.bodies.filter((body) => body.stopped && !body.over);
          expect(loop.pacer.waiting).toBe(stopped.length);
          // Who waits is looked after.
          expect(stopped.length > 0 && loop.idle).toBe(false);
        }
        const most = loop.bodies.length / Math.floor(BESIDE_SMALL.perTurn / BESIDE_SMALL.share) + 1;
        for (let i = 0; i < most; i += 1) loop.endTurn();
        expect(loop.pacer.waiting).toBe(0);
        loop.endTurn();
        expect(loop.idle).toBe(true);
        expect(loop.bodies.some(({ calledLate }) => calledLate)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});
