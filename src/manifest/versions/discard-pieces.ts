import { removePieces } from '../heads/pieces.ts';
import type { Encryption } from '../records/encryption.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { Settler } from './settle.ts';

/** Removes, soon, the encrypted bytes of an object that a committed change has let go of for good. */
export function discardPieces(settler: Settler, place: KeyRef, encryption: Encryption | undefined): void {
  if (encryption === undefined) return;
  const { token } = encryption;
  settler.later(`pieces ${place.bucket.uid}/${token}`, (call) => removePieces(place, token, call));
}
