import { isIPv4, isIPv6 } from 'node:net';
import type { SettingFault } from './schema-parts.ts';

interface Bound {
  readonly host: string;
  readonly port: number;
}

/**
 * Two that would bind one port: the second would not start, and its message would blame another process. Port 0 is any
 * free one.
 */
export function portFaults(settings: {
  readonly listeners: readonly Bound[];
  readonly admin: Bound & { readonly enabled: boolean };
}): SettingFault[] {
  const { listeners, admin } = settings;
  const bound = listeners.map((at, index) => ({ ...at, path: ['listeners', index, 'port'] }));
  if (admin.enabled) bound.push({ ...admin, path: ['admin', 'port'] });
  return bound.flatMap(({ path, ...own }, index) => {
    const other = bound.slice(0, index).find((at) => at.port !== 0 && at.port === own.port && meet(at.host, own.host));
    if (other === undefined) return [];
    return [{ path, message: `expected a port of its own; ${other.path.join('.')} is ${own.port}, too` }];
  });
}

/** Whether one of two addresses is, or holds, the other. Names are not resolved. */
function meet(one: string, other: string): boolean {
  return one === other || holds(one, other) || holds(other, one);
}

function holds(all: string, one: string): boolean {
  return (all === '0.0.0.0' && isIPv4(one)) || (all === '::' && isIPv6(one));
}
