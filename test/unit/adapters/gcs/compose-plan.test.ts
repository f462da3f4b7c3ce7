import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAN_IN, groupsOf, intermediateComposes } from '../../../../adapters/gcs/compose-plan.ts';

/**
 * The tree walked as `assemble` does: composes of each level that makes intermediates, and what is left for the last
 * one.
 */
function walk(count: number): { levels: number[]; last: number[][] } {
  const levels: number[] = [];
  let level = Array.from({ length: count }, (_, part) => [part]);
  while (level.length > FAN_IN) {
    const groups = groupsOf(level);
    levels.push(groups.filter((group) => group.length > 1).length);
    level = groups.map((group) => group.flat());
  }
  return { levels, last: level };
}

describe('the compose tree', () => {
  test.each([
    [1, []],
    [32, []],
    [33, [1]],
    [64, [2]],
    [65, [2]],
    [1_000, [32]],
    [1_024, [32]],
    [1_025, [32, 1]],
    [10_000, [313, 10]],
  ])('%i parts take %j composes before the last', (parts, levels) => {
    expect(intermediateComposes(parts)).toEqual(levels);
  });

  test('any number of parts: the arithmetic is what the walk does, and every part comes once, in order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (parts) => {
        const { levels, last } = walk(parts);
        expect(levels).toEqual(intermediateComposes(parts));
        expect(last.length).toBeLessThanOrEqual(FAN_IN);
        expect(last.flat()).toEqual(Array.from({ length: parts }, (_, part) => part));
      }),
      { numRuns: 200 },
    );
  });

  test('groups are full but for the last, and none is empty', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 200 }), (items) => {
        const groups = groupsOf(items);
        expect(groups.flat()).toEqual(items);
        for (const [index, group] of groups.entries()) {
          expect(group.length).toBeGreaterThan(0);
          expect(group.length === FAN_IN || index === groups.length - 1).toBe(true);
        }
      }),
    );
  });
});
