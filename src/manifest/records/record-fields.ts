import type { Acl } from '../../protocol/acl/acl.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { Tag } from '../../protocol/tagging.ts';
import type { ContentHeaders } from '../../store/blob-store.ts';
import { type AclCode, decodeAcl, encodeAcl } from './acl-code.ts';
import {
  type Encryption,
  type EncryptionCode,
  type Piece,
  type PieceCode,
  decodeEncryption,
  encodeEncryption,
} from './encryption.ts';
import { type PartEntry, type PartsCode, decodeLock, decodeParts, encodeLock, encodeParts } from './field-codes.ts';
import { type Check, FLAG, type Field, NUMBER, TEXT, type ValueOf, coded, plain } from './fields.ts';
import {
  isChecksum,
  isCount,
  isDigest,
  isEncryption,
  isListOf,
  isLock,
  isMark,
  isMoment,
  isPair,
  isParts,
  isPieces,
  isRestore,
  isText,
  isTextMap,
  isToken,
} from './record-checks.ts';
import { type Restore, type RestoreCode, decodeRestore, encodeRestore } from './restore.ts';
import type { VersionToken } from './version-token.ts';

/**
 * Decides which records have a field.
 *
 * `place`: all records. Objects have three groups: `said`, what the client said when it made the object; `shown`, what
 * else readers see as it stands; `kept`, what has a default on the blob or in the bucket. `named`: heads that name
 * another blob, about that blob. `own`: a version's own blob, and the head that repeats it. `seen`: a head that repeats
 * a version's own blob. `null`: heads whose current version is not the null version. `log` and `nonces`: heads.
 * `spill`: records that are too large for metadata.
 */
export type FieldGroup =
  | 'place'
  | 'said'
  | 'shown'
  | 'kept'
  | 'named'
  | 'own'
  | 'seen'
  | 'null'
  | 'log'
  | 'nonces'
  | 'spill';

interface RecordField extends Field {
  readonly of: FieldGroup;
  /**
   * Whether the gateway can have written a value, as it stands in JSON. A record with another value is refused as
   * damaged.
   */
  readonly check: Check;
  /** Moves to the overflow blob when the record is too large. A head that repeats a version then leaves it out. */
  readonly spills?: true;
  /** A head that repeats a version leaves it out when there is no room. */
  readonly trims?: true;
  /** For the group `said`: a copy has what its own request says, and does not take it over from its source. */
  readonly uncopied?: true;
}

/**
 * All fields, in the order in which they are written. A new field takes a row here, and code where its value comes from
 * or goes to.
 */
export const RECORD_FIELDS = {
  mtime: {
    code: 't',
    of: 'place',
    check: isMoment,
    form: NUMBER,
    meaning: "S3's Last-Modified in milliseconds",
    absent: 'the whole seconds of `s`',
  },
  etag: {
    code: 'e',
    of: 'kept',
    check: isText,
    form: TEXT,
    meaning: 'ETag without quotes',
    absent: 'the MD5 that the service keeps for the blob',
  },
  size: {
    code: 'z',
    of: 'named',
    check: isCount,
    form: NUMBER,
    meaning: 'size of the version that a head names, whose own blob is empty',
    absent: '-',
  },
  version: {
    code: 'b',
    of: 'named',
    check: isToken,
    form: plain<VersionToken>(),
    meaning: "token of the version's own blob that a head names",
    absent: '-',
  },
  owner: {
    code: 'o',
    of: 'kept',
    check: isText,
    form: TEXT,
    meaning: 'canonical id of the owner',
    absent: "the bucket's owner",
  },
  acl: {
    code: 'a',
    of: 'shown',
    check: isListOf(isText),
    spills: true,
    form: coded<Acl, AclCode>(encodeAcl, decodeAcl),
    meaning:
      'ACL: one text a grant. `r` READ, `w` WRITE, `R` READ_ACP, `W` WRITE_ACP, `f` FULL_CONTROL; then nothing (the owner), `@a` AllUsers, `@u` AuthenticatedUsers, `@l` LogDelivery, or `=` and a canonical id. A text that a release does not know is refused',
    absent: 'private to the owner',
  },
  storageClass: {
    code: 'c',
    of: 'said',
    check: isText,
    uncopied: true,
    form: TEXT,
    meaning: 'storage class',
    absent: 'STANDARD',
  },
  headers: {
    code: 'g',
    of: 'kept',
    check: isTextMap,
    spills: true,
    form: plain<ContentHeaders>(),
    meaning: 'content headers whose values are not printable ASCII',
    absent: "the blob's own fields say all",
  },
  expires: {
    code: 'x',
    of: 'said',
    check: isText,
    spills: true,
    form: TEXT,
    meaning: '`Expires` byte for byte',
    absent: 'none',
  },
  websiteRedirect: {
    code: 'w',
    of: 'said',
    check: isText,
    spills: true,
    uncopied: true,
    form: TEXT,
    meaning: 'website redirect',
    absent: 'none',
  },
  userMetadata: {
    code: 'm',
    of: 'kept',
    check: isTextMap,
    spills: true,
    form: plain<Readonly<Record<string, string>>>(),
    meaning: "user metadata whose names or values the cloud's rules refuse",
    absent: 'none',
  },
  checksum: {
    code: 'h',
    of: 'shown',
    check: isChecksum,
    form: coded<Checksum, readonly [Checksum['algorithm'], string, Checksum['type']]>(
      ({ algorithm, value, type }) => [algorithm, value, type],
      ([algorithm, value, type]) => ({ algorithm, value, type }),
    ),
    meaning: 'checksum: algorithm, base64 value, type',
    absent: 'none',
  },
  parts: {
    code: 'p',
    of: 'shown',
    check: isParts,
    spills: true,
    form: coded<readonly PartEntry[], PartsCode>(encodeParts, decodeParts),
    meaning: "parts of a multipart object: runs of `[first number, count, size]`, and the parts' checksums",
    absent: 'not multipart',
  },
  encryption: {
    code: 'en',
    of: 'shown',
    check: isEncryption,
    form: coded<Encryption, EncryptionCode>(encodeEncryption, decodeEncryption),
    meaning:
      "the bytes lie in pieces of their own, and this blob, or the one that it names, is empty: their size, the token of the pieces' names, and why: `c`, salt and check of a customer's key, or `k` and the name of a KMS key, that they are encrypted with (of the keys nothing is kept), or `a`, they are archived",
    absent: 'they lie here, as the service encrypts all blobs',
  },
  pieces: {
    code: 'ep',
    of: 'shown',
    check: isPieces,
    spills: true,
    form: coded<readonly Piece[], readonly PieceCode[]>(
      (pieces) => pieces.map(({ id, size }) => [id, size]),
      (pairs) => pairs.map(([id, size]) => ({ id, size })),
    ),
    meaning: 'those pieces in order, `[[id, size], ...]`',
    absent: 'no bytes',
  },
  restore: {
    code: 'rs',
    of: 'shown',
    check: isRestore,
    form: coded<Restore, RestoreCode>(encodeRestore, decodeRestore),
    meaning:
      'restore of archived bytes: how soon it was wanted (`Expedited`, `Standard`, `Bulk`), days, when it was asked for (ms), token of the copies that can be read (null: the pieces themselves), until when they can be (ms; null: not yet)',
    absent: 'never restored',
  },
  tags: {
    code: 'tg',
    of: 'said',
    check: isListOf(isPair),
    spills: true,
    uncopied: true,
    form: coded<readonly Tag[], readonly (readonly [string, string])[]>(
      (tags) => tags.map(({ key, value }) => [key, value]),
      (pairs) => pairs.map(([key, value]) => ({ key, value })),
    ),
    meaning: 'tags by key, `[[key, value], ...]`, never empty',
    absent: 'none',
  },
  lock: {
    code: 'l',
    of: 'said',
    check: isLock,
    trims: true,
    uncopied: true,
    form: coded(encodeLock, decodeLock),
    meaning: 'lock: mode (`g`, `c`), end of retention in ms, legal hold (1, 0); null for what was never set',
    absent: 'none',
  },
  key: {
    code: 'key',
    of: 'place',
    check: isText,
    form: TEXT,
    meaning: "the true key, when the blob's name had to be cut",
    absent: 'the name says it',
  },
  nonce: {
    code: 'n',
    of: 'nonces',
    check: isText,
    form: TEXT,
    meaning: 'nonce of the write that made the version',
    absent: 'no write of ours',
  },
  ring: {
    code: 'r',
    of: 'nonces',
    check: isListOf(isText),
    form: plain<readonly string[]>(),
    meaning:
      "nonces of up to eight writes before, proof of a commit whose answer was lost; on a version's own blob those of its amendments",
    absent: 'a plain PUT',
  },
  isNull: {
    code: 'u',
    of: 'own',
    check: isMark,
    form: FLAG,
    meaning: 'it is the null version; inline heads and assembled heads always are',
    absent: 'it is not',
  },
  stamp: {
    code: 'st',
    of: 'own',
    check: isMark,
    form: FLAG,
    meaning:
      'stamped: was current once, or committed below the head. Never cleared. On a head: the version that it names is',
    absent: 'not',
  },
  lostSince: {
    code: 'ls',
    of: 'own',
    check: isMoment,
    form: NUMBER,
    meaning:
      'when a sweep found that no head of ours names the version, and that a tool of the cloud may be the reason, ms',
    absent: 'never',
  },
  rev: {
    code: 'rv',
    of: 'seen',
    check: isText,
    trims: true,
    form: TEXT,
    meaning: "revision of the version's own blob when the head was written",
    absent: 'read it',
  },
  nullVersion: {
    code: 'nv',
    of: 'null',
    check: isToken,
    form: plain<VersionToken>(),
    meaning: 'token of the noncurrent null version: the only thing that makes its blob visible',
    absent: 'there is none',
  },
  adds: {
    code: 'ad',
    of: 'log',
    check: isListOf(isToken),
    form: plain<readonly VersionToken[]>(),
    meaning: 'tokens of versions committed below this head and perhaps not stamped yet',
    absent: 'none',
  },
  dels: {
    code: 'd',
    of: 'log',
    check: isListOf(isToken),
    form: plain<readonly VersionToken[]>(),
    meaning: 'tokens of versions that are gone and whose blobs may still be there',
    absent: 'none',
  },
  floor: {
    code: 'fl',
    of: 'log',
    check: isCount,
    form: NUMBER,
    meaning: 'seq of the last version that was committed under a condition: no version may come below it',
    absent: "the head's own seq. A null version without it was written by a process that knew of no versions",
  },
  overflow: {
    code: 'ov',
    of: 'spill',
    check: isDigest,
    trims: true,
    form: TEXT,
    meaning: 'SHA-256 of the overflow blob with the rest of the record',
    absent: 'all is here',
  },
} as const satisfies Readonly<Record<string, RecordField>>;

type Fields = typeof RECORD_FIELDS;

/** The fields of some groups, all optional. */
export type FieldsOf<G extends FieldGroup> = {
  readonly [Name in keyof Fields as Fields[Name]['of'] extends G ? Name : never]?: ValueOf<Fields[Name]>;
};

const ROWS: Readonly<Record<string, RecordField>> = RECORD_FIELDS;

/** The fields of these groups that a record has, and none that it has not. */
export function fieldsOf<G extends FieldGroup>(record: FieldsOf<G>, ...groups: readonly G[]): FieldsOf<G> {
  return addFields({}, record, ...groups);
}

/** Adds them to what is being made of a record. */
export function addFields<T extends object, G extends FieldGroup>(
  to: T,
  record: FieldsOf<G>,
  ...groups: readonly G[]
): T & FieldsOf<G> {
  const all = to as Record<string, unknown>;
  const fields = record as Readonly<Record<string, unknown>>;
  for (const name in fields) if (groups.includes(ROWS[name]?.of as G)) all[name] = fields[name];
  return to;
}

/** Those of the source's fields `said` that a copy takes over. */
export function copiedFields(source: FieldsOf<'said'>): FieldsOf<'said'> {
  return filtered(fieldsOf<'said'>(source, 'said'), (name) => ROWS[name]?.uncopied !== true);
}

/** The record without the fields that a head leaves out when there is no room. */
export function untrimmed<R extends object>(record: R): R {
  return filtered(record, (name) => ROWS[name]?.spills !== true && ROWS[name]?.trims !== true) as R;
}

/** The record without the fields that may spill. */
export function unspilled<R extends object>(record: R): R {
  return filtered(record, (name) => ROWS[name]?.spills !== true) as R;
}

/** The fields of the record that may spill. */
export function spilled<R extends object>(record: R): Partial<R> {
  return filtered(record, (name) => ROWS[name]?.spills === true);
}

function filtered<R extends object>(record: R, keep: (name: string) => boolean): Partial<R> {
  const kept: Partial<R> = {};
  for (const name in record) if (keep(name)) kept[name] = record[name];
  return kept;
}
