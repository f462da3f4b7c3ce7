import process from 'node:process';
import type { PeerAddresses } from '../../admin/replicas/peer-addresses.ts';
import { ownPlace } from './place.ts';
import type { SiblingsMessage } from './supervise.ts';

/** Admin ports of the workers of this replica, the own one among them, as the supervisor told last. None when this process serves alone. */
export function siblingAddresses(): PeerAddresses {
  let urls: readonly string[] = [];
  if (ownPlace() !== undefined) {
    process.on('message', (message: Partial<SiblingsMessage>) => {
      if (message.siblings !== undefined) urls = message.siblings.map(({ admin }) => admin);
    });
  }
  return { current: async () => urls };
}
