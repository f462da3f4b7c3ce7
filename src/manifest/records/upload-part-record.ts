import type { ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import type { BlobMetadata, PartToken } from '../../store/blob-store.ts';
import { RECORD_NAME, toAsciiJson } from './record.ts';

/** One part as it was last uploaded; the last writer of a number wins. */
export interface PartRecord {
  readonly number: number;
  /** Without quotes; 32 hex digits: the MD5 of the bytes, or (`derived`) something that stands for it. */
  readonly etag: string;
  /** The ETag is no MD5: a range was copied inside the backend, and nobody saw its bytes. */
  readonly derived?: boolean;
  readonly size: number;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string };
  /** The staged blocks, in order. */
  readonly tokens: readonly PartToken[];
}

const FORMAT = 1;

interface PartJson {
  v: number;
  e: string;
  d?: 1 | undefined;
  z: number;
  t: number;
  h?: readonly [ChecksumAlgorithm, string] | undefined;
  b: readonly PartToken[];
}

/** Metadata of the (empty) blob that is a part record: listing parts needs list calls only. */
export function encodePart(part: PartRecord): BlobMetadata {
  const json: PartJson = {
    v: FORMAT,
    e: part.etag,
    d: part.derived === true ? 1 : undefined,
    z: part.size,
    t: part.mtime,
    h: part.checksum && [part.checksum.algorithm, part.checksum.value],
    b: part.tokens,
  };
  return { [RECORD_NAME]: toAsciiJson(json) };
}

/** @throws Error when the metadata is none of ours, or of a later release */
export function decodePart(number: number, metadata: BlobMetadata): PartRecord {
  const json = JSON.parse(metadata[RECORD_NAME] ?? '{}') as Partial<PartJson>;
  const { v, e, z, t, b } = json;
  if (v !== FORMAT || e === undefined || z === undefined || t === undefined || b === undefined) {
    throw new Error(`part record of format ${v ?? 'none'} cannot be read by this release`);
  }
  return {
    number,
    etag: e,
    size: z,
    mtime: t,
    tokens: b,
    ...(json.d !== undefined && { derived: true }),
    ...(json.h !== undefined && { checksum: { algorithm: json.h[0], value: json.h[1] } }),
  };
}
