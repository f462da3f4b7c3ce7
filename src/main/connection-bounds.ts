import type { Config } from '../../config/schema.ts';
import { ConnectionLimit } from '../gateway/connection-limit.ts';
import { proxyTrust } from '../gateway/proxy-trust.ts';
import type { Log } from '../observe/log.ts';

/** Refusals come in floods: a line for each would be another one. */
const LOG_EVERY_MS = 10_000;

/** The limit of the configuration, for all listeners of this process. The admin port is none of them. */
export function connectionLimit({ limits, trustedProxies }: Config, log: Log): ConnectionLimit {
  let refused = 0;
  let logged = Number.NEGATIVE_INFINITY;
  return new ConnectionLimit({
    total: limits.connections,
    perAddress: limits.connectionsPerAddress,
    exempt: proxyTrust(trustedProxies).isProxy,
    refused(address) {
      refused += 1;
      if (performance.now() - logged < LOG_EVERY_MS) return;
      log.warn({ address, refused }, 'connections are refused: there are as many as the limits allow');
      logged = performance.now();
      refused = 0;
    },
  });
}
