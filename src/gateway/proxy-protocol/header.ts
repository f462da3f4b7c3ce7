import { isPlainAddress, plainAddress } from '../proxy-trust.ts';

/**
 * What a balancer says of a connection before its first byte.
 * https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt
 */
interface ProxyHeader {
  /** Bytes of the header. */
  readonly length: number;
  /** Of the client, in its one spelling; absent: the connection is the balancer's own, or it does not know. */
  readonly source?: string;
}

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
/** The longest line of version 1, its end included. */
const MAX_LINE = 107;
const FIXED = 16;
/** Of what follows the fixed part of version 2: addresses take 216 bytes at most, and balancers add little to them. */
const MAX_VARIABLE = 4096;
/** Of any header: no more bytes are held for one. */
export const MAX_PROXY_HEADER = FIXED + MAX_VARIABLE;
const LINE = /^PROXY (?:UNKNOWN(?: .*)?|(TCP4|TCP6) (\S+) (\S+) (\d{1,5}) (\d{1,5}))$/;
const FAMILIES = { TCP4: 4, TCP6: 6 } as const;

/**
 * Reads the header at the beginning of a connection, of version 1 or 2.
 * @returns undefined: more bytes are needed @throws Error for anything that is no such header
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (bytes.subarray(0, known).equals(SIGNATURE.subarray(0, known))) {
    return bytes.length < FIXED ? undefined : readBinary(bytes);
  }
  return readLine(bytes);
}

function readLine(bytes: Buffer): ProxyHeader | undefined {
  const begin = bytes.subarray(0, 6).toString('latin1');
  if (!'PROXY '.startsWith(begin)) throw new Error('there is no PROXY header');
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n');
  if (end < 0) {
    if (bytes.length >= MAX_LINE) throw new Error('the PROXY line does not end');
    return undefined;
  }
  const match = LINE.exec(bytes.toString('latin1', 0, end));
  if (match === null) throw new Error('the PROXY line is malformed');
  const length = end + 2;
  const [, family, source, destination, ...ports] = match;
  if (family === undefined || source === undefined || destination === undefined) return { length };
  const version = FAMILIES[family as keyof typeof FAMILIES];
  if (!isPlainAddress(source, version) || !isPlainAddress(destination, version)) {
    throw new Error('the PROXY line names no addresses of its family');
  }
  if (ports.some((port) => Number(port) > 65_535)) throw new Error('the PROXY line names no port');
  return { length, source: plainAddress(source) };
}

const LOCAL = 0;
const PROXY = 1;
const INET = 1;
const INET6 = 2;
const LAST_FAMILY = 3;
const LAST_TRANSPORT = 2;
/** Bytes of source, destination and their ports. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { [INET]: 12, [INET6]: 36 };

function readBinary(bytes: Buffer): ProxyHeader | undefined {
  const [version, command] = halves(bytes[12] ?? 0);
  const [family, transport] = halves(bytes[13] ?? 0);
  const variable = bytes.readUInt16BE(14);
  if (version !== 2) throw new Error('the PROXY header is of another version');
  if (command !== LOCAL && command !== PROXY) throw new Error('the PROXY header has an unknown command');
  if (variable > MAX_VARIABLE) throw new Error('the PROXY header is too long');
  const length = FIXED + variable;
  if (bytes.length < length) return undefined;
  // A check of the balancer itself: whatever else it says counts for nothing.
  if (command === LOCAL) return { length };
  if (family > LAST_FAMILY || transport > LAST_TRANSPORT) throw new Error('the PROXY header has an unknown family');
  const needed = ADDRESS_BYTES[family];
  // A socket of the balancer's machine, or it does not know: the connection speaks for itself.
  if (needed === undefined) return { length };
  if (variable < needed) throw new Error('the PROXY header names no addresses');
  return { length, source: family === INET ? fourBytes(bytes) : sixteenBytes(bytes) };
}

function halves(byte: number): [high: number, low: number] {
  return [byte >> 4, byte & 15];
}

function fourBytes(bytes: Buffer): string {
  return bytes.subarray(FIXED, FIXED + 4).join('.');
}

function sixteenBytes(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_group, index) => bytes.readUInt16BE(FIXED + 2 * index).toString(16));
  return plainAddress(groups.join(':'));
}
