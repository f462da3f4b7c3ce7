import type { Call } from '../../observe/call.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { NULL_VERSION, recordIsHere } from '../heads/head.ts';
import { readHead } from '../heads/object-read.ts';
import { namedNull, namedVersion, saysNull } from '../records/record.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { ListingRequest } from './listing-entry.ts';
import { type ListingStart, startOf } from './listing-start.ts';

export interface VersionsRequest extends ListingRequest {
  /**
   * Version of the key `after` behind which the page begins, which need not exist any more; absent: behind all of them.
   */
  readonly afterVersion?: string;
  /** Versions are listed with their views. */
  readonly withViews?: boolean;
}

/** How far the versions of a key were listed. */
export interface KeyStart {
  /**
   * All up to this place were; a head that is a version itself stands before all places. Absent: none that has a blob
   * of its own.
   */
  readonly behind?: VersionToken;
  readonly nullListed: boolean;
}

export interface VersionStart extends ListingStart {
  /** Set when the page begins amid the versions of the key. */
  readonly within?: KeyStart;
}

/** Where a page of versions begins. One call, if behind a null version: only the head knows the place of that. */
export async function versionStartOf(
  bucket: Bucket,
  request: VersionsRequest,
  call: Call,
): Promise<VersionStart | 'end' | undefined> {
  const start = startOf(request);
  const { after, afterVersion } = request;
  if (start === undefined || start === 'end' || start.inclusive || afterVersion === undefined) return start;
  const within =
    afterVersion === NULL_VERSION
      ? await behindNull({ bucket, key: after }, call)
      : { behind: afterVersion, nullListed: false };
  return { key: after, inclusive: true, within };
}

/** When the null version is gone, so is its place. The key is listed anew then: better twice than not at all. */
async function behindNull(ref: KeyRef, call: Call): Promise<KeyStart> {
  const head = await readHead(ref, call);
  if (head === undefined || head.record?.kind === 'void') return { nullListed: false };
  if (recordIsHere(head)) return { nullListed: true };
  const behind = saysNull(head.record) ? namedVersion(head.record) : namedNull(head.record);
  return behind === undefined ? { nullListed: false } : { behind, nullListed: true };
}
