import type { ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import type { BlobMetadata, PartToken } from '../../store/blob-store.ts';
import type { Piece, PieceCode } from './encryption.ts';
import { FLAG, type FieldTable, NUMBER, TEXT, coded, codecOfFields, plain, toAsciiJson } from './fields.ts';
import { RECORD_NAME } from './record.ts';

/** One part as it was last uploaded; the last writer of a number wins. */
export interface PartRecord {
  readonly number: number;
  /** Without quotes; 32 hex digits: the MD5 of the bytes, or (`derived`) something that stands for it. */
  readonly etag: string;
  /** The ETag is no MD5: a range was copied inside the backend, and the gateway did not see its bytes. */
  readonly derived?: boolean;
  readonly size: number;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string };
  /** The staged blocks, in order. */
  readonly tokens: readonly PartToken[];
  /** Of an encrypted part, which has no staged blocks: where its bytes lie. */
  readonly pieces?: readonly Piece[];
}

const FORMAT = 1;

type PartChecksum = NonNullable<PartRecord['checksum']>;

/**
 * The field table of a part, in the order in which it is written. Nothing rewrites it: the last writer of a number
 * wins.
 */
export const PART_FIELDS = {
  etag: { code: 'e', form: TEXT, meaning: 'ETag without quotes', absent: '-' },
  derived: {
    code: 'd',
    form: FLAG,
    meaning: 'the ETag is no MD5: a range was copied inside the backend',
    absent: 'it is',
  },
  size: { code: 'z', form: NUMBER, meaning: 'bytes', absent: '-' },
  mtime: { code: 't', form: NUMBER, meaning: 'Last-Modified in milliseconds', absent: '-' },
  checksum: {
    code: 'h',
    meaning: 'checksum: algorithm, base64 value',
    absent: 'none',
    form: coded<PartChecksum, readonly [ChecksumAlgorithm, string]>(
      ({ algorithm, value }) => [algorithm, value],
      ([algorithm, value]) => ({ algorithm, value }),
    ),
  },
  tokens: { code: 'b', form: plain<readonly PartToken[]>(), meaning: 'the staged blocks, in order', absent: '-' },
  pieces: {
    code: 'ep',
    form: coded<readonly Piece[], readonly PieceCode[]>(
      (pieces) => pieces.map(({ id, size }) => [id, size]),
      (pairs) => pairs.map(([id, size]) => ({ id, size })),
    ),
    meaning: 'pieces of the encrypted bytes in order, `[[id, size], ...]`',
    absent: 'not encrypted, or empty',
  },
} as const satisfies FieldTable;

const CODEC = codecOfFields(PART_FIELDS, ['v']);

/** Metadata of the (empty) blob that is a part record: listing parts needs list calls only. */
export function encodePart(part: PartRecord): BlobMetadata {
  const json: Record<string, unknown> = { v: FORMAT };
  CODEC.encode(part, json);
  return { [RECORD_NAME]: toAsciiJson(json) };
}

/** Fields in the order in which they are written, none escaped, of a part that is one staged block. */
const PLAIN =
  /^\{"v":1,"e":"([\da-f]{32})","z":(0|[1-9]\d{0,14}),"t":(0|[1-9]\d{0,14})(?:,"h":\["(\w{1,32})","([\w+/=-]*)"\])?,"b":\["([\w+/=-]*)"\]\}$/;

/**
 * The record of a part that has nothing special about it, which most are: read in a third of the time that the general
 * reader takes. Undefined for all others; the general reader says the same of what is read here.
 */
function readPlainPart(number: number, text: string): PartRecord | undefined {
  const found = PLAIN.exec(text);
  if (found === null) return undefined;
  const [, etag = '', size, mtime, algorithm, value = '', token = ''] = found;
  const part = { number, etag, size: Number(size), mtime: Number(mtime), tokens: [token] };
  return algorithm === undefined ? part : { ...part, checksum: { algorithm: algorithm as ChecksumAlgorithm, value } };
}

/** @throws Error when the metadata is none of ours, or of a later release */
export function decodePart(number: number, metadata: BlobMetadata): PartRecord {
  const text = metadata[RECORD_NAME] ?? '{}';
  return readPlainPart(number, text) ?? readAnyPart(number, text);
}

/** The general reader. @throws Error as `decodePart` */
export function readAnyPart(number: number, text: string): PartRecord {
  const json = JSON.parse(text) as { readonly v?: number };
  const fields = CODEC.decode(json).fields as Partial<PartRecord>;
  const { etag, size, mtime, tokens } = fields;
  if (json.v !== FORMAT || etag === undefined || size === undefined || mtime === undefined || tokens === undefined) {
    throw new Error(`part record of format ${json.v ?? 'none'} cannot be read by this release`);
  }
  return Object.assign(fields, { number, etag, size, mtime, tokens });
}
