import { createHash, randomBytes } from 'node:crypto';
import { mtimeOfSeq } from './clock.ts';
import type { KeyRef } from './key-ref.ts';
import { type VersionToken, tokenOfUpload } from './version-token.ts';

/** 14 hex digits hold every seq up to 2^53, so ids of one key sort by initiation. */
const SEQ_DIGITS = 14;
/** Binds the id to bucket and key: an id that belongs elsewhere is known without a call. */
const BINDING_LENGTH = 8;
const SECRET_BYTES = 18;
const UPLOAD_ID = /^[0-9a-f]{14}[A-Za-z0-9_-]{32}$/;

export const UPLOAD_ID_LENGTH = SEQ_DIGITS + BINDING_LENGTH + (SECRET_BYTES * 4) / 3;

/** Opaque to clients, `[A-Za-z0-9_-]`: initiation seq, mark of bucket and key, 144 random bits. */
export function newUploadId(ref: KeyRef, seq: number): string {
  return seq.toString(16).padStart(SEQ_DIGITS, '0') + binding(ref) + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Has the form of an id; says nothing about its existence. */
export function isUploadId(text: string): boolean {
  return UPLOAD_ID.test(text);
}

/** False for ids of other keys and buckets (also of an earlier bucket of this name), and for what is no id. */
export function belongsTo(uploadId: string, ref: KeyRef): boolean {
  return isUploadId(uploadId) && uploadId.startsWith(binding(ref), SEQ_DIGITS);
}

/** Microseconds: decides the place of the completed version among others. */
function seqOfUploadId(uploadId: string): number {
  return Number.parseInt(uploadId.slice(0, SEQ_DIGITS), 16);
}

/** Names the version that the upload becomes. Its parts are staged beside that version's own blob. */
export function versionOfUpload(uploadId: string): VersionToken {
  return tokenOfUpload(seqOfUploadId(uploadId), uploadId);
}

/** Milliseconds, whole seconds. */
export function initiatedAt(uploadId: string): number {
  return mtimeOfSeq(seqOfUploadId(uploadId));
}

/**
 * Nonce of the head write that publishes the upload: the same for every attempt, so that each recognises the others.
 */
export function publishNonce(uploadId: string): string {
  return createHash('sha256').update(uploadId).digest('base64url').slice(0, 11);
}

function binding({ bucket, key }: KeyRef): string {
  return createHash('sha256').update(`${bucket.uid}\n${key}`).digest('base64url').slice(0, BINDING_LENGTH);
}
