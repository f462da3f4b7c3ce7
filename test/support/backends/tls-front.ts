import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { certificateFiles } from '../certificates.ts';

interface TlsFront {
  /** `https://127.0.0.1:<port>`, with the path of what lies behind. */
  readonly endpoint: string;
  /** File with the certificate that clients must trust, PEM. */
  readonly caFile: string;
  stop(): Promise<void>;
}

/**
 * Serves by https what lies behind by http, as real accounts are reached. It passes bytes on and reads none of them:
 * `Host` stays as the client sent it, which is the host that Azurite takes copies from.
 */
export async function startTlsFront(behind: string): Promise<TlsFront> {
  const { hostname, port, pathname } = new URL(behind);
  const certificate = await certificateFiles();
  const sockets = new Set<Socket>();
  const keep = <T extends Socket>(socket: T): T => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const material = { cert: readFileSync(certificate.certFile), key: readFileSync(certificate.keyFile) };
  const server = createServer({ ...material, allowHalfOpen: true }, (client) => {
    const service = keep(connect({ port: Number(port), host: hostname, noDelay: true, allowHalfOpen: true }));
    // Two pipelines listen to each.
    keep(client).setNoDelay().setMaxListeners(20);
    service.setMaxListeners(20);
    // Each side learns from the other's end or failure; nobody else is told.
    pipeline(client, service, () => undefined);
    pipeline(service, client, () => undefined);
  });
  // A client that breaks off within the handshake.
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`.replace(/\/$/, ''),
    caFile: certificate.certFile,
    async stop() {
      // Not waited for: a handshake that was broken off may leave the server counting a connection that is gone.
      server.close().unref();
      for (const socket of sockets) socket.destroy();
      rmSync(certificate.folder, { recursive: true, force: true });
    },
  };
}
