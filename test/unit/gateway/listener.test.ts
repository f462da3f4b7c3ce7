import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createListener, type Listener, type TlsMaterial } from '../../../src/gateway/listener.ts';
import { tlsMaterial } from '../../support/certificates.ts';

let renewed: TlsMaterial;
let listener: Listener;
let port: number;

beforeEach(async () => {
  const tls = await tlsMaterial();
  renewed = await tlsMaterial();
  const timeouts = { headersMs: 10_000, keepAliveMs: 10_000 };
  listener = await createListener(
    { host: '127.0.0.1', port: 0, timeouts, tls },
    { dispatch: async (_request, response) => void response.end('answered') },
  );
  ({ port } = await listener.listen());
});

afterEach(async () => {
  listener.destroy();
  await listener.close();
});

/** A connection of TLS 1.2 that has served one request. */
async function usedConnection(): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString('latin1')).toContain('200 OK');
  return socket;
}

/** @throws what the client makes of the refusal */
function renegotiate(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.renegotiate({ rejectUnauthorized: false }, (error) => (error === null ? resolve() : reject(error)));
  });
}

it('refuses to renegotiate TLS 1.2', async () => {
  const socket = await usedConnection();
  await expect(renegotiate(socket)).rejects.toThrow(/no.renegotiation/iu);
});

it('refuses it with a renewed certificate, too, and on connections from before', async () => {
  const before = await usedConnection();
  listener.renewTls(renewed);
  const after = await usedConnection();
  expect(after.getPeerX509Certificate()?.fingerprint256).toBe(new X509Certificate(renewed.cert).fingerprint256);
  await expect(renegotiate(before)).rejects.toThrow(/no.renegotiation/iu);
  await expect(renegotiate(after)).rejects.toThrow(/no.renegotiation/iu);
});
