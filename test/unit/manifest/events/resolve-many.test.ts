import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ListedIntent, committedOf, undoneOf } from '../../../../src/manifest/events/resolve.ts';
import type { ChangeIntent } from '../../../../src/manifest/records/change-intent.ts';
import '../../../support/property-seed.ts';

const NOTHING = '0';

/** The definition, word for word and without any haste: `resolve.ts` says the reasons. */
function plainCommitted(intents: readonly ListedIntent[], head: readonly string[]): ListedIntent[] {
  return intents.filter((one) => {
    const { seen, leavesNothing } = one.intent;
    if (isProven(one, intents, head)) return true;
    const removed = seen[0] ?? NOTHING;
    if (leavesNothing !== true || removed === NOTHING || head.includes(removed)) return false;
    const others = intents.filter((other) => other !== one && !seen.includes(other.intent.nonce));
    const wasReplaced = others.some((other) => {
      const place = other.intent.seen.indexOf(removed);
      return place > 0 || (place === 0 && isProven(other, intents, head) && !isAmendment(other, intents, head));
    });
    const beganAnew = others.some(
      (other) => isLater(other, one) && isProven(other, intents, head) && other.intent.seen.at(-1) === NOTHING,
    );
    return !wasReplaced && (beganAnew || head.at(-1) === NOTHING);
  });
}

function plainUndone(intents: readonly ListedIntent[], head: readonly string[]): ListedIntent[] {
  const rings = [head, ...intents.map(({ intent }) => intent.seen)];
  return intents.filter(({ intent: { seen, leavesNothing } }) => {
    const removed = seen[0] ?? NOTHING;
    const wasReplaced = rings.some((ring) => ring.lastIndexOf(removed) > 0);
    const wasChanged = intents.some(
      (other) =>
        other.intent.leavesNothing !== true &&
        isProven(other, intents, head) &&
        other.intent.seen.join(' ') === seen.join(' '),
    );
    return leavesNothing === true && removed !== NOTHING && (wasReplaced || wasChanged);
  });
}

function isProven({ intent }: ListedIntent, intents: readonly ListedIntent[], head: readonly string[]): boolean {
  const { nonce, seen, isDone } = intent;
  const isIn = (ring: readonly string[]): boolean => {
    const place = ring.indexOf(nonce);
    const [version = NOTHING, ...amendments] = seen;
    const expected = ring.slice(0, Math.max(place, 0)).includes(version) ? amendments : seen;
    return place >= 0 && ring.slice(place + 1).every((each, at) => at >= expected.length || each === expected[at]);
  };
  return isDone === true || [head, ...intents.map((other) => other.intent.seen)].some(isIn);
}

function isAmendment({ intent }: ListedIntent, intents: readonly ListedIntent[], head: readonly string[]): boolean {
  const [version = NOTHING] = intent.seen;
  return [head, ...intents.map((other) => other.intent.seen)].some((ring) =>
    ring.slice(0, Math.max(ring.indexOf(intent.nonce), 0)).includes(version),
  );
}

function isLater(one: ListedIntent, other: ListedIntent): boolean {
  const [first, second] = [one, other].map(({ intent }) => intent.events?.[0]?.sequencer ?? '') as [string, string];
  return one.lastModified === other.lastModified ? first > second : one.lastModified > other.lastModified;
}

/** So few nonces that they meet in every way. */
const NONCE = fc.constantFrom('a', 'b', 'c', 'd', 'e');

function ringOf(most: number): fc.Arbitrary<readonly string[]> {
  return fc
    .tuple(fc.array(NONCE, { maxLength: most }), fc.boolean())
    .map(([ring, isWhole]) => (isWhole || ring.length === 0 ? [...ring, NOTHING] : ring));
}

const LISTED: fc.Arbitrary<ListedIntent> = fc
  .record({
    nonce: NONCE,
    seen: ringOf(3),
    removes: fc.boolean(),
    isDone: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    lastModified: fc.integer({ min: 0, max: 2 }),
    sequencer: fc.constantFrom(undefined, '1', '2'),
  })
  .map(({ nonce, seen, removes, isDone, lastModified, sequencer }) => {
    const events = sequencer === undefined ? [] : ([{ sequencer }] as unknown as ChangeIntent['events'] & object);
    const more = { ...(removes && { leavesNothing: true as const }), ...(isDone && { isDone: true as const }) };
    return { intent: { bucket: 'b', key: 'k', nonce, seen, events, ...more }, lastModified };
  });

test('whatever intents and head say, what is resolved quickly is what the definition says', () => {
  const found = { removals: 0, others: 0, undone: 0 };
  fc.assert(
    fc.property(fc.array(LISTED, { maxLength: 7 }), ringOf(4), (intents, head) => {
      const committed = committedOf(intents, head);
      const undone = undoneOf(intents, head);
      expect(committed).toEqual(plainCommitted(intents, head));
      expect(undone).toEqual(plainUndone(intents, head));
      const removals = committed.filter((one) => one.intent.leavesNothing && !isProven(one, intents, head));
      found.removals += removals.length;
      found.others += committed.length - removals.length;
      found.undone += undone.length;
    }),
    { numRuns: 5_000 },
  );
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(100);
});

const MANY = 2_000;
/** Nonces that are looked at for each intent. A ring has eight. */
const MOST_READS = 250;

/** Intents that say how often their rings are read. @throws Error in whoever reads too often */
function counted(intents: readonly ListedIntent[]): ListedIntent[] {
  let reads = 0;
  const get = (ring: readonly string[], name: string | symbol): unknown => {
    reads += 1;
    if (reads > MOST_READS * intents.length) throw new Error('too many reads');
    return Reflect.get(ring, name);
  };
  return intents.map(({ intent, lastModified }) => ({
    intent: { ...intent, seen: new Proxy(intent.seen, { get }) },
    lastModified,
  }));
}

const RING = ['h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'];

describe('many intents of one key are resolved in about as many steps', () => {
  const removals = Array.from({ length: MANY }, (_, at) => ({
    intent: { bucket: 'b', key: 'k', nonce: `r${at}`, seen: RING, leavesNothing: true as const },
    lastModified: at,
  }));

  test('removals of one object', () => {
    expect(committedOf(counted(removals), [NOTHING])).toHaveLength(MANY);
    expect(undoneOf(counted(removals), [NOTHING])).toEqual([]);
  });

  test('removals of as many objects, and the changes that made these', () => {
    const puts = removals.map(({ lastModified }, at) => ({
      intent: { bucket: 'b', key: 'k', nonce: `p${at}`, seen: [NOTHING] },
      lastModified,
    }));
    const each = removals.map((one, at) => ({ ...one, intent: { ...one.intent, seen: [`p${at}`, NOTHING] } }));
    expect(committedOf(counted([...puts, ...each]), [NOTHING])).toHaveLength(2 * MANY);
  });

  test('changes of which none is proven', () => {
    const puts = removals.map(({ lastModified }, at) => ({
      intent: { bucket: 'b', key: 'k', nonce: `p${at}`, seen: [`v${at}`, ...RING.slice(1)] },
      lastModified,
    }));
    expect(committedOf(counted(puts), ['x', 'y'])).toEqual([]);
  });
});
