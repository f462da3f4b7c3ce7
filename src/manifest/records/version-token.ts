import { createHash } from 'node:crypto';
import { randomHex } from '../../observe/random-id.ts';

/**
 * Names one version of a key, for ever: 14 hex digits of the inverse of its seq and 18 of its own. It is the
 * version id that clients see and the end of the name of the version's blob, so neither is ever searched for.
 * Tokens sort newest first. The first own digit tells where the version comes from.
 */
export type VersionToken = string;

const SEQ_DIGITS = 14;
const OWN_DIGITS = 18;
const MAX_SEQ = Number.MAX_SAFE_INTEGER;
const TOKEN = /^[01][0-9a-f]{31}$/;
/**
 * First own digits. A null version's is the least, so that it stands above whatever has the same seq: what entered the
 * history below an inline null version stays below it when that is copied out.
 */
const NULL_DIGITS = '0';
const OTHER_DIGITS = '1234567';
const UPLOAD_DIGITS = '89ab';

export const TOKEN_LENGTH = SEQ_DIGITS + OWN_DIGITS;

/** A name that was never used, by 71 random bits. */
export function newToken(seq: number): VersionToken {
  return inverse(seq) + marked(randomHex(OWN_DIGITS / 2), OTHER_DIGITS);
}

/**
 * The name of what an upload becomes, known from its beginning: its parts are staged there. All attempts to complete
 * the upload share it.
 */
export function tokenOfUpload(seq: number, uploadId: string): VersionToken {
  return inverse(seq) + marked(digest(uploadId), UPLOAD_DIGITS);
}

/**
 * Another place for an upload's version. The name was never used, by 70 random bits: two attempts to complete the
 * upload may need a place of the same seq, and each of them removes what it made and did not publish.
 */
export function newUploadToken(seq: number): VersionToken {
  return inverse(seq) + marked(randomHex(OWN_DIGITS / 2), UPLOAD_DIGITS);
}

/** The name that the null version gets when it stops being current: each state of it has one of its own. */
export function tokenOfNull(seq: number, revision: string): VersionToken {
  return inverse(seq) + marked(digest(revision), NULL_DIGITS);
}

/** Such a blob may carry an upload's claim, which says how the upload ended: it must not go without a trace. */
export function isUploadToken(token: VersionToken): boolean {
  return UPLOAD_DIGITS.includes(token.charAt(SEQ_DIGITS));
}

/** Has the form of a token; says nothing about its existence. */
export function isVersionToken(text: string): boolean {
  return TOKEN.test(text);
}

export function seqOfToken(token: VersionToken): number {
  return MAX_SEQ - Number.parseInt(token.slice(0, SEQ_DIGITS), 16);
}

/** The order of a key's history; the only one. */
export function isNewer(token: VersionToken, other: VersionToken): boolean {
  return token < other;
}

function digest(proof: string): string {
  return createHash('sha256').update(proof).digest('hex').slice(0, OWN_DIGITS);
}

function marked(own: string, digits: string): string {
  return digits.charAt(Number.parseInt(own.charAt(0), 16) % digits.length) + own.slice(1);
}

function inverse(seq: number): string {
  return (MAX_SEQ - seq).toString(16).padStart(SEQ_DIGITS, '0');
}
