import { NOTHING } from '../heads/head-commit.ts';
import type { ChangeIntent } from '../records/change-intent.ts';

/** An intent as it was listed. */
export interface ListedIntent {
  readonly intent: ChangeIntent;
  /** By the service's clock, milliseconds. */
  readonly lastModified: number;
}

/**
 * Which of a key's changes were committed. What proves a change is its nonce: on the head, or among those that another
 * intent has seen there, since each change is announced before it replaces a head. Of the others nothing is known: they
 * may be under way.
 * @param intents all that there are of the key; of the latest changes some may be missing
 * @param head the nonces of the head (`noncesOf`), read after the intents were listed
 */
export function committedOf<T extends ListedIntent>(intents: readonly T[], head: readonly string[]): T[] {
  const isProven = proofIn(intents, head);
  return intents.filter((one) => {
    const { intent } = one;
    if (isProven(intent)) return true;
    return intent.leavesNothing === true && removedIt(one, { intents, head, isProven });
  });
}

/**
 * Which removals were not made, nor can be: what they saw has been replaced, or another change was made on the very
 * state that they saw. To be forgotten together with that change, because later nothing may tell that the object was
 * not removed then.
 */
export function undoneOf<T extends ListedIntent>(intents: readonly T[], head: readonly string[]): T[] {
  const isProven = proofIn(intents, head);
  const others = intents.filter(({ intent }) => intent.leavesNothing !== true && isProven(intent));
  const changed = new Set(others.map(stateSeen));
  const replaced = new Set([head, ...intents.map(({ intent }) => intent.seen)].flatMap((ring) => ring.slice(1)));
  return intents.filter((one) => {
    const { seen, leavesNothing } = one.intent;
    const [removed = NOTHING] = seen;
    return leavesNothing === true && removed !== NOTHING && (replaced.has(removed) || changed.has(stateSeen(one)));
  });
}

function stateSeen({ intent }: ListedIntent): string {
  return intent.seen.join(' ');
}

function proofIn(intents: readonly ListedIntent[], head: readonly string[]): (intent: ChangeIntent) => boolean {
  const rings = [head, ...intents.map(({ intent }) => intent.seen)];
  return (intent) => intent.isDone === true || rings.some((ring) => isIn(ring, intent));
}

/**
 * Whether a ring has the nonce of a change, and before it what the intent has seen. If it has seen something else, the
 * change was tried again since the intent was listed, and is told by the intent that it has written then.
 */
function isIn(ring: readonly string[], { nonce, seen }: ChangeIntent): boolean {
  const place = ring.indexOf(nonce);
  if (place < 0) return false;
  const [version = NOTHING, ...amendments] = seen;
  const before = ring.slice(place + 1);
  // A head that is amended keeps the nonce of its version in front of that of the amendment.
  const isAmended = ring.slice(0, place).includes(version);
  return agree(before, isAmended ? amendments : seen);
}

/** As far as both go: rings are cut. */
function agree(one: readonly string[], other: readonly string[]): boolean {
  return one.every((nonce, at) => at >= other.length || nonce === other[at]);
}

interface Known {
  readonly intents: readonly ListedIntent[];
  readonly head: readonly string[];
  readonly isProven: (intent: ChangeIntent) => boolean;
}

/**
 * Whether a removal that left no head behind has removed the one that it saw. That one must be gone, and not because
 * another change replaced it: then nothing is there, or what is there began with nothing.
 */
function removedIt(one: ListedIntent, { intents, head, isProven }: Known): boolean {
  const { intent } = one;
  const [removed = NOTHING] = intent.seen;
  if (removed === NOTHING || head.includes(removed)) return false;
  const others = intents.filter((other) => other !== one && !intent.seen.includes(other.intent.nonce));
  const wasReplaced = others.some(({ intent: other }) => {
    const place = other.seen.indexOf(removed);
    return place > 0 || (place === 0 && isProven(other));
  });
  if (wasReplaced) return false;
  // Only a change that was made has seen for certain that nothing was there: it may have been a guess.
  const beganAnew = others.some(
    (other) => isLater(other, one) && isProven(other.intent) && beganWithNothing(other.intent.seen),
  );
  return beganAnew || beganWithNothing(head);
}

/** There is no head, or all of its history is in its ring. */
function beganWithNothing(seen: readonly string[]): boolean {
  return seen.at(-1) === NOTHING;
}

/** The service's clock counts seconds. */
function isLater(one: ListedIntent, other: ListedIntent): boolean {
  if (one.lastModified !== other.lastModified) return one.lastModified > other.lastModified;
  return (one.intent.events?.[0]?.sequencer ?? '') > (other.intent.events?.[0]?.sequencer ?? '');
}
