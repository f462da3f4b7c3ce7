import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Brake } from '../../../src/streams/brake.ts';
import '../../support/property-seed.ts';

const REASONS = ['reader', 'turn', 'hashes'] as const;

test('a flow stands as long as a reason holds it, and nobody else does once it was let go', () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(fc.constantFrom('hold', 'release'), fc.constantFrom(...REASONS)) },
    { weight: 1, arbitrary: fc.constant(['letGo', 'reader'] as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let [flows, calls, isLetGo] = [true, 0, false];
      const turn = (to: boolean) => () => {
        expect([flows, isLetGo]).toEqual([!to, false]);
        flows = to;
        calls += 1;
      };
      const brake = new Brake<(typeof REASONS)[number]>({ pause: turn(false), resume: turn(true) });
      const held = new Set<string>();
      for (const [what, reason] of steps) {
        if (what === 'hold') held.add(reason);
        if (what === 'release') held.delete(reason);
        if (what === 'letGo') isLetGo = true;
        const before = calls;
        if (what === 'letGo') brake.letGo();
        else brake[what](reason);
        expect(REASONS.map((one) => brake.isHeld(one))).toEqual(REASONS.map((one) => held.has(one)));
        if (isLetGo) expect(calls).toBe(before);
        else expect(flows).toBe(held.size === 0);
      }
    }),
  );
});

test('says for how long a reason has held', async () => {
  const brake = new Brake<'reader'>({ pause: () => undefined, resume: () => undefined });
  expect(brake.heldFor('reader')).toBe(0);
  brake.hold('reader');
  await new Promise((resolve) => setTimeout(resolve, 5));
  brake.hold('reader');
  expect(brake.heldFor('reader')).toBeGreaterThan(3);
  brake.release('reader');
  expect(brake.heldFor('reader')).toBe(0);
});
