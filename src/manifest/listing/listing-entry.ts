import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { classOf, isLive, listedRecord, shownOf } from '../heads/head.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { Restore } from '../records/restore.ts';
import type { LooseRecord } from '../records/record.ts';

/** What of a bucket is to be listed. Keys and prefixes are S3's, never names of blobs. */
export interface ListingRequest {
  /** Empty: all keys. */
  readonly prefix: string;
  /** Any text; keys that hold it behind the prefix are rolled up. Empty: none. */
  readonly delimiter: string;
  /**
   * Only what lies behind this key, which need not exist; empty: from the start. A rolled-up prefix
   * that this key starts with counts as listed already.
   */
  readonly after: string;
  /** Most entries, rolled-up prefixes included; 0 lists nothing. */
  readonly limit: number;
}

export interface ListedObject {
  readonly kind: 'object';
  readonly key: string;
  /** Without quotes. */
  readonly etag: string;
  readonly size: number;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  /** Canonical id. */
  readonly ownerId: string;
  /** Absent: STANDARD. */
  readonly storageClass?: string;
  readonly checksum?: Checksum;
  /** The bytes are in an offline tier. */
  readonly archived: boolean;
  /** Of an archived object. */
  readonly restore?: Restore;
}

export interface ListedPrefix {
  readonly kind: 'prefix';
  /** Ends with the delimiter. */
  readonly key: string;
}

export type ListedEntry = ListedObject | ListedPrefix;

export interface ListingPage<Entry> {
  /** By the UTF-8 bytes of their keys, prefixes among the rest. */
  readonly entries: readonly Entry[];
  /**
   * `after` of the next page; absent: there is no more. Nearly always the last key of `entries`;
   * beyond it when much that is not shown lay behind it (such a page may be short, even empty).
   */
  readonly next?: string;
}

/**
 * The object of a head as the list call gave it, a spilled record included; undefined for a key without a live object.
 */
export function listedObject({ bucket, key }: KeyRef, entry: BlobEntry): ListedObject | undefined {
  const record = listedRecord(entry);
  const head = { properties: entry, record };
  if (!isLive(head)) return undefined;
  const { checksum, restore }: Partial<LooseRecord> = record ?? {};
  const { etag, size, mtime, ownerId, archived } = shownOf(head, bucket);
  // Member by member: a page has a thousand of them, and spreading takes longer than all the rest.
  const listed: Draft<ListedObject> = { kind: 'object', key, etag, size, mtime, ownerId, archived };
  const storageClass = classOf(head, bucket);
  if (storageClass !== undefined) listed.storageClass = storageClass;
  if (checksum !== undefined) listed.checksum = checksum;
  if (restore !== undefined) listed.restore = restore;
  return listed;
}

type Draft<T> = { -readonly [Field in keyof T]: T[Field] };

/** What a listing shows of an object. */
export function objectEntry({
  key,
  etag,
  size,
  mtime,
  ownerId,
  storageClass,
  checksum,
  archived,
  restore,
}: ObjectView): ListedObject {
  return {
    kind: 'object',
    key,
    etag,
    size,
    mtime,
    ownerId,
    archived,
    ...(storageClass !== undefined && { storageClass }),
    ...(checksum !== undefined && { checksum }),
    ...(restore !== undefined && { restore }),
  };
}

/** What stands for a key that holds the delimiter behind the prefix: everything up to its first occurrence. */
export function rollUp(key: string, { prefix, delimiter }: ListingRequest): string | undefined {
  if (delimiter === '') return undefined;
  const found = key.indexOf(delimiter, prefix.length);
  return found < 0 ? undefined : key.slice(0, found + delimiter.length);
}
