import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { HeaderReader } from '../protocol/request.ts';
import type { Peers } from './proxy-protocol/peers.ts';

/**
 * Decides whose `X-Forwarded-*` headers count: only those of configured proxies, because any client could write them.
 */
export interface ProxyTrust {
  senderOf(request: IncomingMessage, headers: HeaderReader): Sender;
  /** Whether a peer, by its address on the connection, is one of these proxies. */
  readonly isProxy: (address: string) => boolean;
}

interface Sender {
  /** Of the client: the last one in the chain of `X-Forwarded-For` that is no proxy of ours. */
  readonly address: string;
  /** As the client sees it. */
  readonly scheme: 'http' | 'https';
}

/**
 * @param ranges addresses or CIDR ranges, IPv4 or IPv6
 * @param peers whose connections those are that balancers opened; absent: no listener speaks the PROXY protocol
 * @throws Error naming a range that is none
 */
export function proxyTrust(ranges: readonly string[], peers?: Peers): ProxyTrust {
  const trusted = new BlockList();
  for (const range of ranges) addRange(trusted, range);
  const isTrusted = ranges.length > 0 ? (address: string): boolean => contains(trusted, address) : undefined;
  return {
    isProxy: (address) => isTrusted?.(plainAddress(address)) === true,
    senderOf({ socket }, headers) {
      let address = plainAddress(peers === undefined ? (socket.remoteAddress ?? '') : peers.addressOf(socket));
      const scheme = socket instanceof TLSSocket ? 'https' : 'http';
      if (isTrusted?.(address) !== true) return { address, scheme };
      const forwarded = headers.get('x-forwarded-proto');
      const hops = headers.get('x-forwarded-for')?.split(',') ?? [];
      do {
        const next = plainAddress(withoutPort(hops.pop()?.trim() ?? ''));
        if (isIP(next) === 0) break;
        address = next;
      } while (isTrusted(address));
      return { address, scheme: forwarded === 'https' || forwarded === 'http' ? forwarded : scheme };
    },
  };
}

/**
 * Application Gateway of Azure writes the client's port behind its address.
 * https://learn.microsoft.com/azure/application-gateway/how-application-gateway-works#modifications-to-the-request
 */
function withoutPort(hop: string): string {
  return /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(hop)?.[1] ?? /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop;
}

function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function addRange(list: BlockList, range: string): void {
  const [address = '', prefix] = range.split('/');
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (version === 0 || !Number.isInteger(length) || length < 0 || length > bits) {
    throw new Error(`${range} is neither an address nor a range`);
  }
  list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
}

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
