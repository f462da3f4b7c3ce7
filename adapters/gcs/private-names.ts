import { createHash, randomBytes } from 'node:crypto';
import type { BlobRef, PartToken, StagedNames } from '../../src/store/blob-store.ts';

/**
 * Parts lie beside their staging blob, in the same bucket, because compose reaches no other. No listing of the layers
 * above looks here.
 */
const PARTS = '~parts/';
/** Marks what is neither a part nor the whole, but on the way: names no token. */
const INTERMEDIATE = '~';

/** All that is staged for one blob. Hashed, so that the names of busy times do not lie side by side, and are short. */
export function stagedPrefix(staging: BlobRef): string {
  return `${PARTS}${createHash('sha256').update(staging.name).digest('hex')}/`;
}

/** For sweepers: finds staged objects that belong to no upload any more. */
export const STAGED_NAMES: StagedNames = { prefix: PARTS, prefixOf: stagedPrefix };

/** 144 random bits: attempts and writers stage beside each other, and no name is used twice. */
export function newPartToken(): PartToken {
  return randomBytes(18).toString('base64url');
}

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

/** @returns undefined for what cannot be a token of ours */
export function stagedPartName(staging: BlobRef, token: PartToken): string | undefined {
  return TOKEN.test(token) ? stagedPrefix(staging) + token : undefined;
}

export function newIntermediateName(staging: BlobRef): string {
  return stagedPrefix(staging) + INTERMEDIATE + newPartToken();
}
