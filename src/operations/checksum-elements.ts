import type { Checksum } from '../protocol/checksums/algorithms.ts';

/** Elements of an answer that tell a checksum; none for what has none. */
export function checksumElements(
  checksum: Pick<Checksum, 'algorithm' | 'value'> | undefined,
): Readonly<Record<string, string>> {
  return checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: checksum.value };
}

/** The same with its type, of what is an object. */
export function objectChecksumElements(checksum: Checksum | undefined): Readonly<Record<string, string>> {
  return checksum === undefined ? {} : { ...checksumElements(checksum), ChecksumType: checksum.type };
}
