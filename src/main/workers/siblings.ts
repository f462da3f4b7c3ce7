import process from 'node:process';
import type { Sibling } from '../../admin/metrics/routes.ts';
import type { PeerAddresses } from '../../admin/replicas/peer-addresses.ts';
import { ownPlace } from './place.ts';
import type { SiblingsMessage } from './supervise.ts';

/**
 * The workers of this replica, the own one among them, as the supervisor told last. None when this process serves
 * alone.
 */
export function siblingWorkers(): () => readonly Sibling[] {
  let siblings: readonly Sibling[] = [];
  if (ownPlace() !== undefined) {
    process.on('message', (message: Partial<SiblingsMessage>) => {
      if (message.siblings !== undefined) {
        siblings = message.siblings.map(({ slot, admin }) => ({ worker: String(slot), url: admin }));
      }
    });
  }
  return () => siblings;
}

/** Their admin ports. */
export function siblingAddresses(): PeerAddresses {
  const siblings = siblingWorkers();
  return { current: async () => siblings().map(({ url }) => url) };
}
