import { describe, expect, test } from 'vitest';
import { type ListedIntent, committedOf, undoneOf } from '../../../../src/manifest/events/resolve.ts';

const NOTHING = '0';

/** @param seen the nonces that the change found, the newest first */
function intent(nonce: string, seen: readonly string[], more: { removes?: boolean; at?: number } = {}): ListedIntent {
  const { removes = false, at = 0 } = more;
  return {
    intent: { bucket: 'b', key: 'k', nonce, seen, ...(removes && { leavesNothing: true }) },
    lastModified: at,
  };
}

function committed(intents: readonly ListedIntent[], head: readonly string[]): string[] {
  return committedOf(intents, head).map((one) => one.intent.nonce);
}

describe('a change was committed', () => {
  test('if its nonce is on the head, or in its ring', () => {
    const one = intent('a', [NOTHING]);
    expect(committed([one], ['a', NOTHING])).toEqual(['a']);
    expect(committed([one], ['b', 'a', NOTHING])).toEqual(['a']);
    expect(committed([one], ['b', NOTHING])).toEqual([]);
  });

  test('if another has seen it, whatever the head says by now', () => {
    expect(committed([intent('a', [NOTHING]), intent('b', ['a', NOTHING])], ['z'])).toEqual(['a']);
  });

  test('but not by an intent of an earlier turn: the last one tells what became of it', () => {
    expect(committed([intent('b', ['a'])], ['b', 'x', 'a'])).toEqual([]);
    expect(committed([intent('b', ['x', 'a'])], ['b', 'x', 'a'])).toEqual(['b']);
    expect(committed([intent('b', [NOTHING])], ['b', 'x', NOTHING])).toEqual([]);
  });

  test('if it amended a head, behind the nonce of the version', () => {
    expect(committed([intent('tags', ['v', 'r'])], ['v', 'tags', 'r'])).toEqual(['tags']);
  });
});

describe('a removal was committed', () => {
  const removal = intent('gone', ['a', NOTHING], { removes: true, at: 5 });

  test('if nothing is there any more', () => {
    expect(committed([removal], [NOTHING])).toEqual(['gone']);
  });

  test('if what is there began with nothing, and was not what it saw', () => {
    expect(committed([removal], ['b', NOTHING])).toEqual(['gone']);
  });

  test('but not while what it saw is there, or was replaced', () => {
    expect(committed([removal], ['a', NOTHING])).toEqual([]);
    expect(committed([removal], ['b', 'a', NOTHING])).toEqual([]);
    expect(committed([removal, intent('b', ['a', NOTHING])], ['c', 'b'])).toEqual(['b']);
  });

  test('if it saw fewer of the amendments of its version than there were', () => {
    const rings = Array.from({ length: 12 }, (_, n) => ['v', ...Array.from({ length: n }, (_one, at) => `t${n - at}`)]);
    const tags = rings.slice(0, -1).map((seen, n) => intent(`t${n + 1}`, seen.slice(0, 9)));
    const last = intent('gone', (rings.at(-1) ?? []).slice(0, 9), { removes: true, at: 5 });
    expect(committed([...tags, last], [NOTHING])).toContain('gone');
  });

  test('if a change that came later found nothing', () => {
    const later = intent('b', [NOTHING], { at: 9 });
    const now = ['i', 'h', 'g', 'f', 'e', 'd', 'c', 'b'];
    expect(committed([removal, later], now)).toEqual(['gone', 'b']);
  });

  test('but not by a guess that nothing was there', () => {
    expect(committed([removal, intent('guess', [NOTHING], { at: 9 })], ['x', 'y'])).toEqual([]);
  });
});

describe('a removal was overtaken for good', () => {
  const removal = intent('gone', ['a', NOTHING], { removes: true, at: 5 });
  const undone = (intents: readonly ListedIntent[], head: readonly string[]): string[] =>
    undoneOf(intents, head).map((one) => one.intent.nonce);

  test('if another change was made on the state that it saw', () => {
    const replacing = intent('b', ['a', NOTHING]);
    expect(undone([removal, replacing], ['b', 'a', NOTHING])).toEqual(['gone']);
    expect(undone([removal, replacing, intent('c', ['b', 'a', NOTHING])], ['x'])).toEqual(['gone']);
  });

  test('if what it saw was replaced, by whatever', () => {
    expect(undone([removal], ['settled', 'a', NOTHING])).toEqual(['gone']);
    expect(undone([removal, intent('c', ['b', 'a', NOTHING])], ['x'])).toEqual(['gone']);
    expect(undone([removal], ['a', NOTHING])).toEqual([]);
  });

  test('but not if that change is not known to be made, or was made on another state', () => {
    expect(undone([removal, intent('b', ['a', NOTHING])], ['a', NOTHING])).toEqual([]);
    expect(undone([removal, intent('tags', ['a'])], ['a', 'tags', NOTHING])).toEqual([]);
  });

  test('nor by another removal: both are told', () => {
    const other = intent('other', ['a', NOTHING], { removes: true, at: 5 });
    expect(undone([removal, other], [NOTHING])).toEqual([]);
    expect(committed([removal, other], [NOTHING])).toEqual(['gone', 'other']);
  });
});
