import type { Call } from '../../observe/call.ts';

/** A place at the front of a key's queue. */
export interface KeyTurn {
  readonly key: string;
  /** Others went before: what was read before is out of date. */
  readonly waited: boolean;
}

/** Where the changes of one key that a process makes wait for each other (`heads/key-queue.ts`). */
export interface KeyTurns {
  /** A place in front: at once, if no other change of the key is under way. @throws StoreError throttled, aborted */
  enter(key: string, call: Call): KeyTurn | Promise<KeyTurn>;
  /** Lets the next one in. Once more, or after that one was let past, it does nothing. */
  leave(place: KeyTurn): void;
}
