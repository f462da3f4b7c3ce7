import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

interface PeerSettings {
  /** Base URLs of admin ports of other replicas. The own one may be among them. */
  readonly urls: readonly string[];
  /** A name that stands for all replicas, such as that of a headless Service, and the admin port they all have. */
  readonly dns?: { readonly host: string; readonly port: number };
  /** How long an answer of the name service counts. */
  readonly refreshMs: number;
}

export interface PeerAddresses {
  /** Base URLs, each once. A name that cannot be resolved for the moment stands for what it stood for last. */
  current(): Promise<readonly string[]>;
}

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

const resolveAll: Resolve = (host) => lookup(host, { all: true });

export function peerAddresses({ urls, dns, refreshMs }: PeerSettings, resolve: Resolve = resolveAll): PeerAddresses {
  const fixed = urls.map((url) => url.replace(/\/+$/, ''));
  let resolved: readonly string[] = [];
  /** By the monotonic clock: one that is set back would keep old addresses for as long. */
  let until = 0;
  let underWay: Promise<void> | undefined;
  const refresh = async ({ host, port }: NonNullable<typeof dns>): Promise<void> => {
    try {
      const found = await resolve(host);
      resolved = found.map(({ address }) => `http://${isIPv6(address) ? `[${address}]` : address}:${port}`);
    } catch {
      // Not there yet, or the name service has trouble: the next look comes soon.
    }
    until = performance.now() + refreshMs;
    underWay = undefined;
  };
  return {
    async current() {
      if (dns !== undefined && performance.now() >= until) await (underWay ??= refresh(dns));
      return [...new Set([...fixed, ...resolved])];
    },
  };
}
