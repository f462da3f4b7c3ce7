import { CHECKSUM_ALGORITHMS } from '../../protocol/checksums/algorithms.ts';
import type { Check } from './fields.ts';
import { RETRIEVAL_TIERS } from './restore.ts';
import { isVersionToken } from './version-token.ts';

/*
 * What the fields of records may hold. Other tools can write the blobs of buckets, so a reader believes no field that
 * could not be ours: a number of parts that no memory holds, a version's name that leads elsewhere, a time that is
 * none.
 */
/** Most parts of an object (S3's). */
const MAX_PARTS = 10_000;
/** Milliseconds that a `Date` can be made of. */
const LAST_MOMENT = 8.64e15;
const HEX = /^[0-9a-f]{1,64}$/;

export const isText: Check = (value) => typeof value === 'string';
export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isMoment: Check = (value) => typeof value === 'number' && Math.abs(value) <= LAST_MOMENT;
export const isMark: Check = (value) => value === 1;
export const isToken: Check = (value) => typeof value === 'string' && isVersionToken(value);
export const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const isTextMap: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText);
export const isPair: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isText);
export const isDigest: Check = (value) => typeof value === 'string' && HEX.test(value);

const ALGORITHMS: ReadonlySet<unknown> = new Set(CHECKSUM_ALGORITHMS);
/** Base64, of composite ones with the number of parts. */
const SUM = /^[A-Za-z0-9+/]+={0,2}(?:-\d{1,5})?$/;
const isSum: Check = (value) => typeof value === 'string' && SUM.test(value);
export const isChecksum: Check = (value) =>
  Array.isArray(value) &&
  ALGORITHMS.has(value[0]) &&
  isSum(value[1]) &&
  (value[2] === 'COMPOSITE' || value[2] === 'FULL_OBJECT');

export function isParts(value: unknown): boolean {
  const { r: runs, h: checksums } = (value ?? {}) as { readonly r?: unknown; readonly h?: unknown };
  if (!isListOf(isListOf(isCount))(runs) || (checksums !== undefined && !isListOf(isSum)(checksums))) return false;
  let parts = 0;
  for (const run of runs as readonly number[][]) parts += run.length === 3 ? (run[1] ?? 0) : Infinity;
  return parts <= MAX_PARTS;
}

const TOKEN = /^[0-9a-f]{32}$/;
const PIECE = /^[0-9a-f]{12}$/;
/** An upload's parts, of which the largest take two. */
const MAX_PIECES = 2 * MAX_PARTS;

/** What a later release may say behind the size and the token is the decoder's to refuse. */
export function isEncryption(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [size, token, ...by] = value as readonly unknown[];
  return isCount(size) && typeof token === 'string' && TOKEN.test(token) && by.length > 0 && by.every(isText);
}

/** Names are made of these. */
export function isPieces(value: unknown): boolean {
  const isPiece: Check = (piece) =>
    Array.isArray(piece) && piece.length === 2 && PIECE.test(String(piece[0])) && isCount(piece[1]);
  return isListOf(isPiece)(value) && (value as readonly unknown[]).length <= MAX_PIECES;
}

export const isRestore: Check = (value) =>
  Array.isArray(value) &&
  value.length === 5 &&
  RETRIEVAL_TIERS.some((tier) => tier === value[0]) &&
  isCount(value[1]) &&
  isMoment(value[2]) &&
  (value[3] === null || isToken(value[3])) &&
  (value[4] === null || isMoment(value[4]));

export const isLock: Check = (value) =>
  Array.isArray(value) &&
  value.length === 3 &&
  [null, 'g', 'c'].includes(value[0] as string | null) &&
  (value[1] === null || isMoment(value[1])) &&
  [null, 0, 1].includes(value[2] as number | null);
