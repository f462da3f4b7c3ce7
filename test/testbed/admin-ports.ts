import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestbedOptions } from './options.ts';

/**
 * Ports for the replicas' admin servers, which must know each other before they start; none when they have no admin
 * port.
 */
export async function chooseAdminPorts({ adminPort, replicas }: TestbedOptions): Promise<readonly number[]> {
  if (adminPort === undefined) return [];
  if (adminPort !== 0) return Array.from({ length: replicas }, (_, index) => adminPort + index);
  const servers = Array.from({ length: replicas }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((found, failed) => {
          server.once('listening', () => found((server.address() as AddressInfo).port)).once('error', failed);
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

export function adminEndpoint(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Settings of one replica, which finds the others by their addresses. */
export function adminSettings(ports: readonly number[], index: number): Record<string, string> {
  const port = ports[index];
  if (port === undefined) return {};
  const peers = { urls: ports.map(adminEndpoint) };
  return {
    S3GW_ADMIN: JSON.stringify({
      enabled: true,
      port,
      peers,
      traceUrlTemplate: 'https://traces.example.com/trace/{traceId}',
    }),
  };
}
