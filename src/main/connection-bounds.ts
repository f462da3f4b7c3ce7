import { getHeapStatistics } from 'node:v8';
import type { Config } from '../../config/schema.ts';
import { ConnectionLimit } from '../gateway/connection-limit.ts';
import type { ListenerOptions } from '../gateway/listener.ts';
import type { Peers } from '../gateway/proxy-protocol/peers.ts';
import { proxyTrust } from '../gateway/proxy-trust.ts';
import type { Log } from '../observe/log.ts';

/** Refusals come in floods: a line for each would be another one. */
const LOG_EVERY_MS = 10_000;

/**
 * The part of V8's heap that connections may take, with all that nobody has signed yet. The heap is half of the memory
 * of the container, or of a worker's share of it (`node-flags.ts`), so this follows from that limit: 24 MiB of 384.
 */
const HEAP_PART = 1 / 10;

/** The limit of the configuration, for all listeners of this process. The admin port is none of them. */
export function connectionLimit({ limits, trustedProxies }: Config, log: Log, peers: Peers): ConnectionLimit {
  const warn = occasionally((address: string, times) => {
    log.warn({ address, refused: times }, 'connections are refused: their number has reached the limit');
  });
  return new ConnectionLimit({
    total: limits.connections,
    perAddress: limits.connectionsPerAddress,
    memoryBytes: Math.floor(getHeapStatistics().heap_size_limit * HEAP_PART),
    peers,
    exempt: proxyTrust(trustedProxies).isProxy,
    refused: warn,
  });
}

/** A balancer sends its PROXY header with the first packet. */
const PROXY_HEADER_MS = 5000;

interface Balancers {
  readonly ranges: readonly string[];
  readonly headersMs: number;
  readonly peers: Peers;
}

/** What a listener does with connections of balancers; nothing where none is named. */
export function proxyProtocol(
  { ranges, headersMs, peers }: Balancers,
  log: Log,
): Pick<ListenerOptions, 'proxyProtocol'> {
  if (ranges.length === 0) return {};
  let why = '';
  const warn = occasionally((address: string, times) =>
    log.warn({ address, closed: times, reason: why }, 'connections of a balancer were closed'),
  );
  const refused = (address: string, reason: string): void => {
    why = reason;
    warn(address);
  };
  return {
    proxyProtocol: {
      isSource: proxyTrust(ranges).isProxy,
      peers,
      timeoutMs: Math.min(headersMs, PROXY_HEADER_MS),
      refused,
    },
  };
}

/** Tells now and then, and how often it would have. */
function occasionally(tell: (address: string, times: number) => void): (address: string) => void {
  let times = 0;
  let told = Number.NEGATIVE_INFINITY;
  return (address) => {
    times += 1;
    if (performance.now() - told < LOG_EVERY_MS) return;
    tell(address, times);
    told = performance.now();
    times = 0;
  };
}
