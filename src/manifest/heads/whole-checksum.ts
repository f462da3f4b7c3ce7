import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { isCrc } from '../../protocol/checksums/crc-combine.ts';
import { fullObjectChecksum } from '../../protocol/checksums/multipart-checksum.ts';
import type { ObjectView } from '../records/object-view.ts';

/**
 * The checksum of all bytes of an object, as far as it is known without reading them: its own, or that which the CRCs
 * of its parts amount to. One over the digests of parts says nothing about an object that has no parts, as no copy has.
 */
export function wholeChecksum({ checksum, parts = [] }: Pick<ObjectView, 'checksum' | 'parts'>): Checksum | undefined {
  if (checksum === undefined || checksum.type === 'FULL_OBJECT') return checksum;
  const { algorithm } = checksum;
  const known = parts.flatMap(({ checksum: value, size }) => (value === undefined ? [] : [{ value, size }]));
  if (!isCrc(algorithm) || known.length === 0 || known.length !== parts.length) return undefined;
  return { algorithm, value: fullObjectChecksum(algorithm, known), type: 'FULL_OBJECT' };
}
