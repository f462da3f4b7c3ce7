import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

const LOCAL_NAME = /^(?:[\w-]+\.)*localhost$/;

/**
 * Whether a Host header names this server. A page of another site whose name was made to point here (DNS rebinding) is
 * taken by the browser for the same site; only its name gives it away. Addresses cannot be rebound.
 * @param names lower case, without port
 */
export function isOwnHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  const name = nameOf(host ?? '');
  return isIP(name) !== 0 || LOCAL_NAME.test(name) || names.has(name);
}

/**
 * Whether a browser says that a page of another site makes the request. Links from elsewhere may open a page here: what
 * they open, they cannot read.
 */
export function isCrossSite(method: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  const opened =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !opened) return true;
  const { origin } = headers;
  return origin !== undefined && hostOf(origin) !== headers.host?.toLowerCase();
}

/** Without the scheme: a proxy in front may speak HTTPS. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

function nameOf(host: string): string {
  const [, address, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*))(?::\d+)?$/i.exec(host) ?? [];
  return address ?? name.toLowerCase().replace(/\.$/, '');
}
