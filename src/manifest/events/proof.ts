import { NOTHING } from '../heads/head-commit.ts';
import type { ChangeIntent } from '../records/change-intent.ts';

/** The nonces of a head, or those that an intent has seen there, the newest first. */
type Ring = readonly string[];

/**
 * What proves the changes of a key. Rings are looked up by the nonces in them, and each state that changes have seen is
 * judged once: a client can leave thousands of intents of one key behind.
 */
export class Proof {
  /** By nonce the rings that have it, and where it comes first. Of equal rings one. */
  readonly #places: ReadonlyMap<string, readonly { readonly ring: Ring; readonly place: number }[]>;
  readonly #known = new Map<string, boolean>();

  constructor(intents: readonly ChangeIntent[], head: Ring) {
    const rings = [...distinct([head, ...intents.map(({ seen }) => seen)])];
    const places = rings.flatMap((ring) => [...new Set(ring)].map((nonce) => ({ ring, place: ring.indexOf(nonce) })));
    this.#places = Map.groupBy(places, ({ ring, place }) => ring[place] ?? NOTHING);
  }

  /** Whether a change was made: its nonce is on the head, or another intent has seen it there. */
  has({ nonce, seen, isDone }: ChangeIntent): boolean {
    if (isDone === true) return true;
    const places = this.#places.get(nonce);
    if (places === undefined) return false;
    const state = `${nonce} ${seen.join(' ')}`;
    const known = this.#known.get(state);
    if (known !== undefined) return known;
    const isProven = places.some(({ ring, place }) => isMadeOn(seen, { ring, place }));
    this.#known.set(state, isProven);
    return isProven;
  }

  /** Whether a change left in its place what it saw there: it says more of a version, and replaces none. */
  isAmendment({ nonce, seen: [version = NOTHING] }: ChangeIntent): boolean {
    return (this.#places.get(nonce) ?? []).some(({ ring, place }) => ring.slice(0, place).includes(version));
  }
}

/**
 * Whether a ring has before a nonce what the change has seen. If the change has seen something else, it was tried again
 * since its intent was listed, and is told by the intent that it has written then.
 */
function isMadeOn(seen: Ring, { ring, place }: { readonly ring: Ring; readonly place: number }): boolean {
  const [version = NOTHING, ...amendments] = seen;
  const before = ring.slice(place + 1);
  // A head that is amended keeps the nonce of its version in front of that of the amendment.
  const isAmended = ring.slice(0, place).includes(version);
  return agree(before, isAmended ? amendments : seen);
}

/** As far as both go: rings are cut. */
function agree(one: Ring, other: Ring): boolean {
  return one.every((nonce, at) => at >= other.length || nonce === other[at]);
}

function distinct(rings: readonly Ring[]): Iterable<Ring> {
  return new Map(rings.map((ring) => [ring.join(' '), ring])).values();
}
