import { isIP } from 'node:net';

/** An address, or a block of them, as numbers. */
export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;

/** @param text an address, or a block in CIDR notation. @returns undefined for anything else */
export function rangeOf(text: string): AddressRange | undefined {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if ((family !== 4 && family !== 6) || more.length > 0) return undefined;
  const bits = BITS[family];
  const fixed = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : bits + 1;
  if (fixed > bits) return undefined;
  const free = BigInt(bits - fixed);
  const first = ((family === 4 ? numberOfIpv4(address) : numberOfIpv6(address)) >> free) << free;
  return { family, first, last: first + (1n << free) - 1n };
}

export function sizeOf({ first, last }: AddressRange): bigint {
  return last - first + 1n;
}

/** How many addresses all of them have together: what lies in several counts once. They are of one family. */
export function unionSize(ranges: readonly AddressRange[]): bigint {
  const inOrder = [...ranges].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  let size = 0n;
  let next = 0n;
  for (const { first, last } of inOrder) {
    const from = first > next ? first : next;
    if (last < from) continue;
    size += last - from + 1n;
    next = last + 1n;
  }
  return size;
}

export function isWithin(inner: AddressRange, outer: AddressRange): boolean {
  return inner.family === outer.family && inner.first >= outer.first && inner.last <= outer.last;
}

function numberOfIpv4(address: string): bigint {
  return address.split('.').reduce((number, part) => (number << 8n) | BigInt(part), 0n);
}

/** A zone is no part of the number; `::` stands for as many groups of zeros as are missing. */
function numberOfIpv6(address: string): bigint {
  const [plain = ''] = address.split('%');
  const [front = [], back = []] = plain.split('::').map((half) => (half === '' ? [] : half.split(':').flatMap(groups)));
  const zeros = Array<bigint>(8 - front.length - back.length).fill(0n);
  return [...front, ...zeros, ...back].reduce((number, group) => (number << 16n) | group, 0n);
}

/** The last 32 bits may be written as an IPv4 address. */
function groups(text: string): bigint[] {
  if (!text.includes('.')) return [BigInt(`0x${text}`)];
  const number = numberOfIpv4(text);
  return [number >> 16n, number & 0xffffn];
}
