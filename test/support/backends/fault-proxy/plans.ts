import type { Fault, FaultPlan, ProxiedCall } from './fault.ts';

/** The first plan that has something to say decides. */
export function firstOf(...plans: readonly FaultPlan[]): FaultPlan {
  return (call) => {
    for (const plan of plans) {
      const fault = plan(call);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** The fault for the n-th call that fits, counted from 1, and for no other. `met` is that call, once it has come. */
export function onNth(
  n: number,
  fault: Fault,
  fits: (call: ProxiedCall) => boolean,
): FaultPlan & { readonly met: () => ProxiedCall | undefined } {
  let seen = 0;
  let met: ProxiedCall | undefined;
  const plan = (call: ProxiedCall): Fault | undefined => {
    if (!fits(call)) return undefined;
    seen += 1;
    if (seen !== n) return undefined;
    met = call;
    return fault;
  };
  return Object.assign(plan, { met: () => met });
}

/**
 * Refuses changes of one name that come too soon after the last one that was let through, as Cloud Storage does
 * (https://cloud.google.com/storage/quotas#objects). What is let through counts, whatever the backend makes of it.
 */
export function oneChangeOfAName(everyMs = 1000): FaultPlan {
  const last = new Map<string, number>();
  return ({ changes, container, name, service }) => {
    if (!changes || name === undefined) return undefined;
    const now = performance.now();
    const key = JSON.stringify([container, name]);
    if (now - (last.get(key) ?? -Infinity) < everyMs) return { kind: 'refuse', status: service === 'gcs' ? 429 : 503 };
    last.set(key, now);
    return undefined;
  };
}

/**
 * An account behind a firewall: the service may not read any source by its URL
 * (https://learn.microsoft.com/azure/storage/common/storage-network-security).
 */
export function lockedDown(): FaultPlan {
  return ({ kind, service }) => (kind === 'copy' && service === 'azure' ? { kind: 'refuseSource' } : undefined);
}
