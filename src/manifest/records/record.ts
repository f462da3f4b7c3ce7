import type { Acl } from '../../protocol/acl/acl.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { ObjectLock } from '../../protocol/object-lock.ts';
import type { Tag } from '../../protocol/tagging.ts';
import type { BlobMetadata, ContentHeaders } from '../../store/blob-store.ts';
import type { HeadKind, PartEntry } from './object-view.ts';
import { type AclCode, decodeAcl, encodeAcl } from './acl-code.ts';
import { type LockCode, type PartsCode, decodeLock, decodeParts, encodeLock, encodeParts } from './field-codes.ts';
import type { VersionToken } from './version-token.ts';

/** Metadata name under which the record rides on a blob. Everything else on the blob is user metadata. */
export const RECORD_NAME = 's3gw';

/** Metadata name of an upload's claim, on the private blob that its parts were assembled to (`versions/upload-claim.ts`). */
export const CLAIM_NAME = 's3up';

/** Format of the record; a reader refuses a higher one instead of guessing. */
const FORMAT = 1;

/**
 * What S3 knows of a version beyond what the cloud has fields for. It rides on the blob that holds
 * the bytes (an inline head, a version's own blob) or in the head that names them (mlink); a link or tomb
 * head repeats it. Absent = the default, so that a plain PUT costs a few dozen bytes.
 */
export interface ObjectRecord {
  readonly kind: HeadKind;
  /** Hybrid clock in microseconds; decides a version's place. */
  readonly seq: number;
  /** S3's Last-Modified in milliseconds, when it is not `seq` cut to the second. */
  readonly mtime?: number;
  /** Without quotes; absent when it is the MD5 that the service keeps. */
  readonly etag?: string;
  /** Size of what a head names, whose own blob is empty. */
  readonly size?: number;
  /** Names the version's own blob, on a head that does not hold the bytes itself. */
  readonly version?: VersionToken;
  /** It is the null version. Inline heads and mlinks always are; said of links, tombs and versions' own blobs. */
  readonly isNull?: boolean;
  /** Canonical id; absent when it is the bucket's owner. */
  readonly owner?: string;
  /** Absent: private to the owner. */
  readonly acl?: Acl;
  readonly storageClass?: string;
  /** Content headers whose values are not printable ASCII. */
  readonly headers?: ContentHeaders;
  readonly expires?: string;
  readonly websiteRedirect?: string;
  /** User metadata whose names or values the cloud's metadata rules refuse. */
  readonly userMetadata?: Readonly<Record<string, string>>;
  readonly checksum?: Checksum;
  readonly parts?: readonly PartEntry[];
  /** By key; never empty. */
  readonly tags?: readonly Tag[];
  readonly lock?: ObjectLock;
  /** The true key, when the blob's name had to be cut. */
  readonly key?: string;
  /** This write's nonce and those of up to eight head writes before it: proof of a commit whose answer was lost. */
  readonly nonce?: string;
  readonly ring?: readonly string[];
  /** On a version's own blob: it was current once, or committed below the head. Never cleared. */
  readonly stamp?: boolean;
  /** On a version's own blob: when a sweep found that no head of ours names it, and that a tool of the cloud may be the reason. Milliseconds. */
  readonly lostSince?: number;
  /** On a link or tomb: revision of the version's own blob when the head was written, and whether that was stamped. */
  readonly rev?: string;
  /** On a head: the noncurrent null version. The only thing that makes a null version's own blob visible. */
  readonly nullVersion?: VersionToken;
  /** On a head, the log: versions committed below it and perhaps not stamped yet, and versions deleted whose blobs may still be there. */
  readonly adds?: readonly VersionToken[];
  readonly dels?: readonly VersionToken[];
  /**
   * On a head: seq of the last version that was committed under a condition. Nobody may come below it, or he would stand between that version
   * and the state that it was conditional on. Absent: the head's own seq. Null versions that lack it were written by somebody who knew of no versions.
   */
  readonly floor?: number;
  /** SHA-256 of the overflow blob that holds the rest of the record. */
  readonly overflow?: string;
}

const KIND_CODE = { inline: undefined, link: 'l', mlink: 'm', tomb: 't', void: 'v' } as const;
const KIND_OF: Readonly<Record<string, HeadKind>> = { l: 'link', m: 'mlink', t: 'tomb', v: 'void' };

/** Compact JSON form: one or two letters a field, in this order. */
interface RecordJson {
  v: number;
  k?: string | undefined;
  s: number;
  t?: number | undefined;
  e?: string | undefined;
  z?: number | undefined;
  b?: string | undefined;
  o?: string | undefined;
  a?: AclCode | undefined;
  c?: string | undefined;
  g?: ContentHeaders | undefined;
  x?: string | undefined;
  w?: string | undefined;
  m?: Readonly<Record<string, string>> | undefined;
  h?: readonly [Checksum['algorithm'], string, Checksum['type']] | undefined;
  p?: PartsCode | undefined;
  tg?: readonly (readonly [key: string, value: string])[] | undefined;
  l?: LockCode | undefined;
  key?: string | undefined;
  n?: string | undefined;
  r?: readonly string[] | undefined;
  u?: 1 | undefined;
  st?: 1 | undefined;
  ls?: number | undefined;
  rv?: string | undefined;
  nv?: string | undefined;
  ad?: readonly string[] | undefined;
  d?: readonly string[] | undefined;
  fl?: number | undefined;
  ov?: string | undefined;
}

/** The record as ASCII JSON (other characters escaped), fit for a metadata value. */
export function encodeRecord(record: ObjectRecord): string {
  const json: RecordJson = {
    v: FORMAT,
    k: KIND_CODE[record.kind],
    s: record.seq,
    t: record.mtime,
    e: record.etag,
    z: record.size,
    b: record.version,
    o: record.owner,
    a: encodeAcl(record.acl),
    c: record.storageClass,
    g: record.headers,
    x: record.expires,
    w: record.websiteRedirect,
    m: record.userMetadata,
    h: record.checksum && [record.checksum.algorithm, record.checksum.value, record.checksum.type],
    p: record.parts && encodeParts(record.parts),
    tg: record.tags?.map((tag) => [tag.key, tag.value]),
    l: record.lock && encodeLock(record.lock),
    key: record.key,
    n: record.nonce,
    r: record.ring,
    u: record.isNull === true ? 1 : undefined,
    st: record.stamp === true ? 1 : undefined,
    ls: record.lostSince,
    rv: record.rev,
    nv: record.nullVersion,
    ad: record.adds,
    d: record.dels,
    fl: record.floor,
    ov: record.overflow,
  };
  return toAsciiJson(json);
}

/** @returns undefined for a text that is no record of ours; @throws RecordFormatError for one from a later release */
export function decodeRecord(text: string): ObjectRecord | undefined {
  const json = parseJson(text);
  if (json === undefined) return undefined;
  if (json.v > FORMAT) throw new RecordFormatError(json.v);
  return {
    kind: kindOf(json.k),
    seq: json.s,
    ...(json.t !== undefined && { mtime: json.t }),
    ...(json.e !== undefined && { etag: json.e }),
    ...(json.z !== undefined && { size: json.z }),
    ...(json.b !== undefined && { version: json.b }),
    ...(json.o !== undefined && { owner: json.o }),
    ...(json.a !== undefined && { acl: decodeAcl(json.a) }),
    ...(json.c !== undefined && { storageClass: json.c }),
    ...(json.g !== undefined && { headers: json.g }),
    ...(json.x !== undefined && { expires: json.x }),
    ...(json.w !== undefined && { websiteRedirect: json.w }),
    ...(json.m !== undefined && { userMetadata: json.m }),
    ...(json.h !== undefined && { checksum: { algorithm: json.h[0], value: json.h[1], type: json.h[2] } }),
    ...(json.p !== undefined && { parts: decodeParts(json.p) }),
    ...(json.tg !== undefined && { tags: json.tg.map(([key, value]) => ({ key, value })) }),
    ...(json.l !== undefined && { lock: decodeLock(json.l) }),
    ...(json.key !== undefined && { key: json.key }),
    ...(json.n !== undefined && { nonce: json.n }),
    ...(json.r !== undefined && { ring: json.r }),
    ...(json.u !== undefined && { isNull: true }),
    ...(json.st !== undefined && { stamp: true }),
    ...(json.ls !== undefined && { lostSince: json.ls }),
    ...(json.rv !== undefined && { rev: json.rv }),
    ...(json.nv !== undefined && { nullVersion: json.nv }),
    ...(json.ad !== undefined && { adds: json.ad }),
    ...(json.d !== undefined && { dels: json.d }),
    ...(json.fl !== undefined && { floor: json.fl }),
    ...(json.ov !== undefined && { overflow: json.ov }),
  };
}

/** @throws RecordFormatError: what a later release keeps there must not be taken for an object */
function kindOf(code: string | undefined): HeadKind {
  if (code === undefined) return 'inline';
  const kind = Object.hasOwn(KIND_OF, code) ? KIND_OF[code] : undefined;
  if (kind === undefined) throw new RecordFormatError(`kind "${code.slice(0, 20)}"`);
  return kind;
}

/** A record written by a later release: refusing is safer than dropping what it says. */
export class RecordFormatError extends Error {
  /** @param what the format's number, or what else is not understood */
  constructor(what: number | string) {
    super(typeof what === 'string' ? `record of ${what} cannot be read by this release` : `record format ${what} is newer than this release understands (${FORMAT})`);
    this.name = 'RecordFormatError';
  }
}

/** JSON with every character outside printable ASCII escaped. */
export function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function parseJson(text: string): RecordJson | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isRecordJson(json) ? json : undefined;
  } catch {
    return undefined; // somebody else's metadata of the same name: the blob counts as native
  }
}

function isRecordJson(json: unknown): json is RecordJson {
  return typeof json === 'object' && json !== null && 'v' in json && typeof json.v === 'number' && 's' in json && typeof json.s === 'number';
}

/** Metadata of a blob, taken apart. */
export interface SplitMetadata {
  readonly record: ObjectRecord | undefined;
  /** What native tools and S3 clients call user metadata. */
  readonly native: Readonly<Record<string, string>>;
  /** The upload's claim, as it stands. */
  readonly claim: string | undefined;
}

export function splitMetadata(metadata: BlobMetadata): SplitMetadata {
  const native = namedStrings();
  let record: ObjectRecord | undefined;
  let claim: string | undefined;
  for (const name in metadata) {
    const value = metadata[name];
    if (value === undefined) continue;
    if (name === RECORD_NAME) record = decodeRecord(value);
    else if (name === CLAIM_NAME) claim = value;
    else native[name] = value;
  }
  return { record, native, claim };
}

/** Names come from clients and from tools of the clouds: `__proto__` is one like any other. */
function namedStrings(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

/** Ours; and a name that programs in JavaScript take for a member of every object (Azurite answers a function's text with it). */
const RESERVED: ReadonlySet<string> = new Set([RECORD_NAME, CLAIM_NAME, 'constructor']);
const NATIVE_NAME = /^[a-z][a-z0-9_]*$/;
const NATIVE_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * User metadata that the cloud can hold goes where native tools see it; the rest goes into the record.
 * (Azure: names are C# identifiers, compared without case; values are header text.)
 */
export function partitionUserMetadata(userMetadata: Readonly<Record<string, string>>): {
  native: Record<string, string>;
  rest: Record<string, string> | undefined;
} {
  const native = namedStrings();
  let rest: Record<string, string> | undefined;
  for (const [name, value] of Object.entries(userMetadata)) {
    if (!RESERVED.has(name) && NATIVE_NAME.test(name) && NATIVE_VALUE.test(value)) native[name] = value;
    else (rest ??= namedStrings())[name] = value;
  }
  return { native, rest };
}

/** The same for content headers: a value that is no plain header text would break the service's signatures. */
export function partitionHeaders(headers: ContentHeaders): { native: ContentHeaders; rest: ContentHeaders | undefined } {
  const all = Object.entries<string>({ ...headers });
  const odd = all.filter(([, value]) => !NATIVE_VALUE.test(value));
  if (odd.length === 0) return { native: headers, rest: undefined };
  const native = Object.fromEntries(all.filter(([, value]) => NATIVE_VALUE.test(value)));
  return { native, rest: Object.fromEntries(odd) };
}
