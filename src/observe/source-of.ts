/**
 * What a client counts as where clients share something. A client that has one IPv6 address usually has all 2^64 of its
 * network, so these count as one.
 */
export function sourceOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
