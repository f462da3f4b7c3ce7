import { isIP, isIPv4, isIPv6 } from 'node:net';

const MAPPED = '::ffff:';

/**
 * One spelling for each address, however it came: IPv6 in its shortest form and without a zone; an IPv4 address that
 * came over IPv6 (to a listener of both families, here or at a balancer) as what it is. Policies, rates and limits
 * compare addresses, and must not take one client for two, or for none.
 * @returns text that is no address as it is
 */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith(MAPPED)) {
    const four = address.slice(MAPPED.length);
    if (isIPv4(four)) return four;
  }
  const unzoned = withoutZone(address);
  if (!isIPv6(unzoned)) return address;
  const shortest = new URL(`http://[${unzoned}]`).hostname.slice(1, -1);
  return shortest.startsWith(MAPPED) ? fourOf(shortest.slice(MAPPED.length)) : shortest;
}

/** True for an address of this family that could be a client's anywhere: a zone is known to one machine only. */
export function isPlainAddress(address: string, family: 4 | 6): boolean {
  return isIP(address) === family && !address.includes('%');
}

function withoutZone(address: string): string {
  const zone = address.indexOf('%');
  return zone < 0 ? address : address.slice(0, zone);
}

/** @param groups the last two of a mapped address, in hexadecimal */
function fourOf(groups: string): string {
  const [high = 0, low = 0] = groups.split(':').map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
