import { StoreError } from '../../store/store-error.ts';

/** What a turn answers when another request changed the state in between: begin the next turn. */
export const AGAIN = Symbol('again');

/**
 * How many turns of reading, judging and changing a piece of work may take while others change the same state, and the
 * error when these do not suffice.
 */
interface TurnPolicy {
  readonly most: number;
  /** Call and code of that error. */
  readonly call: string;
  readonly code: 'Contention' | 'ObjectKeepsChanging' | 'SourceKeepsChanging';
}

/** The policies of all kinds of work. */
export const TURNS = {
  /** Writers of one key, in any number of processes. */
  head: { most: 24, call: 'write', code: 'Contention' },
  /** An object that moves between the head and a blob of its own while it is amended. */
  amend: { most: 8, call: 'setMetadata', code: 'Contention' },
  remove: { most: 8, call: 'remove', code: 'Contention' },
  stamp: { most: 8, call: 'setMetadata', code: 'Contention' },
  /**
   * A version may be replaced, deleted or moved between the head and its own blob; each turn follows one such change.
   */
  read: { most: 6, call: 'read', code: 'ObjectKeepsChanging' },
  list: { most: 4, call: 'list', code: 'ObjectKeepsChanging' },
  /**
   * The source of a copy may be replaced between the look at it and the copy of the state that was seen. The first turn
   * may go by what the process remembers.
   */
  copy: { most: 5, call: 'copy', code: 'SourceKeepsChanging' },
  copyPart: { most: 5, call: 'stagePartFrom', code: 'SourceKeepsChanging' },
  /** Complete and Abort of one upload. */
  claim: { most: 5, call: 'assemble', code: 'Contention' },
  bucketRecord: { most: 16, call: 'write', code: 'Contention' },
  bucketCreation: { most: 12, call: 'createContainer', code: 'Contention' },
} as const satisfies Readonly<Record<string, TurnPolicy>>;

/**
 * Takes turns until one comes to an end.
 * @param spent what to throw when none did, instead of `throttled`; a turn may have left something in doubt
 * @throws what a turn throws; StoreError throttled
 */
export async function inTurns<T>(
  policy: TurnPolicy,
  turn: (turn: number) => Promise<T | typeof AGAIN>,
  spent?: () => Error | undefined,
): Promise<T> {
  for (let n = 0; n < policy.most; n++) {
    const result = await turn(n);
    if (result !== AGAIN) return result;
  }
  throw spent?.() ?? new StoreError('throttled', { call: policy.call, code: policy.code });
}
