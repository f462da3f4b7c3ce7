import type { Checksum } from '../protocol/checksums/algorithms.ts';

/** The XML elements that show a checksum; none if there is no checksum. */
export function checksumElements(
  checksum: Pick<Checksum, 'algorithm' | 'value'> | undefined,
): Readonly<Record<string, string>> {
  return checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: checksum.value };
}

/** The same with the checksum's type, for objects. */
export function objectChecksumElements(checksum: Checksum | undefined): Readonly<Record<string, string>> {
  return checksum === undefined ? {} : { ...checksumElements(checksum), ChecksumType: checksum.type };
}
