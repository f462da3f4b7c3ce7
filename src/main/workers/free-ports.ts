import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ListenerConfig } from '../../../config/schema.ts';
import { bindError } from '../start-error.ts';

/**
 * Ports that workers share could be shared with a stranger as well, who would get half of the connections: another
 * gateway that was left running. So each is taken once for oneself alone, and let go.
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
