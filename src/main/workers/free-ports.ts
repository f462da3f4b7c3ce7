import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ListenerConfig } from '../../../config/schema.ts';
import { bindError } from '../start-error.ts';

/**
 * Makes sure that no other process listens on the ports. Workers open them for sharing, so another gateway that was
 * left running could share them too and would get half of the connections. So each port is opened once without sharing,
 * and closed again.
 * @throws StartError
 */
export async function requireFreePorts(listeners: readonly ListenerConfig[]): Promise<void> {
  for (const { host, port } of listeners) {
    const server = createServer();
    server.listen({ host, port });
    await once(server, 'listening').catch((error: unknown) => {
      throw bindError('gateway', host, port, error);
    });
    server.close();
    await once(server, 'close');
  }
}
