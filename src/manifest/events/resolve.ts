import { NOTHING } from '../heads/head-commit.ts';
import type { ChangeIntent } from '../records/change-intent.ts';
import { Proof } from './proof.ts';

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
  const proof = proofIn(intents, head);
  const removals = new Removals(intents, head, proof);
  return intents.filter((one) => {
    const { intent } = one;
    if (proof.has(intent)) return true;
    return intent.leavesNothing === true && removals.wasMade(one);
  });
}

/**
 * Which removals were not made, nor can be: what they saw has been replaced, or another change was made on the very
 * state that they saw. To be forgotten together with that change, because later nothing may tell that the object was
 * not removed then.
 */
export function undoneOf<T extends ListedIntent>(intents: readonly T[], head: readonly string[]): T[] {
  const proof = proofIn(intents, head);
  const others = intents.filter(({ intent }) => intent.leavesNothing !== true && proof.has(intent));
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

function proofIn(intents: readonly ListedIntent[], head: readonly string[]): Proof {
  return new Proof(
    intents.map(({ intent }) => intent),
    head,
  );
}

/**
 * Tells of removals that left no head behind, and of which no nonce is known, whether they have removed what they saw.
 * That one must be gone, and not because another change replaced it: then nothing is there, or what is there began with
 * nothing. What a removal has seen itself, it came after: that speaks neither for nor against it.
 */
class Removals {
  readonly #head: readonly string[];
  /** By what was replaced the nonces of the changes that tell so: they replaced it, or have seen it replaced. */
  readonly #replacing = new Map<string, Set<string>>();
  /**
   * Changes that found nothing, the latest first, the latest of each nonce. Only those that were made have seen for
   * certain that nothing was there: it may have been a guess.
   */
  readonly #beginnings: readonly ListedIntent[];

  constructor(intents: readonly ListedIntent[], head: readonly string[], proof: Proof) {
    this.#head = head;
    for (const { intent } of intents) this.#noteReplaced(intent, proof.has(intent) && !proof.isAmendment(intent));
    const beginnings = intents
      .filter(({ intent }) => beganWithNothing(intent.seen) && proof.has(intent))
      .sort((one, other) => Number(isLater(other, one)) - Number(isLater(one, other)));
    this.#beginnings = [...Map.groupBy(beginnings, ({ intent }) => intent.nonce).values()].flatMap(
      ([last]) => last ?? [],
    );
  }

  wasMade(one: ListedIntent): boolean {
    const { seen } = one.intent;
    const [removed = NOTHING] = seen;
    if (removed === NOTHING || this.#head.includes(removed)) return false;
    // Both searches end soon: the removal has seen few nonces.
    for (const nonce of this.#replacing.get(removed) ?? []) if (!seen.includes(nonce)) return false;
    const last = this.#beginnings.find(({ intent }) => !seen.includes(intent.nonce));
    return (last !== undefined && isLater(last, one)) || beganWithNothing(this.#head);
  }

  #noteReplaced({ nonce, seen }: ChangeIntent, hasReplaced: boolean): void {
    for (const replaced of new Set(hasReplaced ? seen : seen.slice(1))) {
      // Unproven, or an amendment, a change speaks only of what it saw behind the newest: that one is there still.
      if (!hasReplaced && replaced === seen[0]) continue;
      const others = this.#replacing.get(replaced);
      if (others === undefined) this.#replacing.set(replaced, new Set([nonce]));
      else others.add(nonce);
    }
  }
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
