import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { Connection, ConnectionError, type ConnectionUser } from '../../../../../adapters/shared/http1/connection.ts';
import { SendWindows } from '../../../../../adapters/shared/http1/send-windows.ts';
import { SlabPool } from '../../../../../adapters/shared/http1/slab.ts';
import { tlsMaterial } from '../../../../support/certificates.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Records of TLS: they are decrypted in one go, so those behind the first come to a connection that is paused. */
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const RECORD = 512;

async function connected(user: (connection: Connection) => ConnectionUser): Promise<Connection> {
  const { cert, key } = await tlsMaterial();
  const server = createServer({ cert, key }, (socket) => {
    socket.on('error', () => undefined);
    socket.setMaxSendFragment(RECORD);
    socket.on('data', () => socket.write(Buffer.concat(NAMES.map((name) => Buffer.alloc(RECORD, name)))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connection = new Connection({
    host: 'localhost',
    port: (server.address() as AddressInfo).port,
    tls: createSecureContext({ ca: cert }),
    connectTimeout: 10_000,
    idleTimeout: 10_000,
    sessions: { last: undefined },
    slabs: new SlabPool(0),
    windows: new SendWindows(0),
  });
  closing.push(
    () => connection.fail(new ConnectionError('aborted', 'the test is over')),
    () => server.close(),
  );
  connection.send('GET / HTTP/1.1\r\n\r\n', undefined, user(connection));
  return connection;
}

/** Says when it begins and ends with each record, and lets go of the connection in the midst of it. */
class HastyUser implements ConnectionUser {
  readonly holdsPeerUp = false;
  readonly heard: string[] = [];
  readonly #connection: Connection;
  readonly #all: () => void;
  readonly #failed: (error: Error) => void;

  constructor(connection: Connection, all: () => void, failed: (error: Error) => void) {
    this.#connection = connection;
    this.#all = all;
    this.#failed = failed;
  }

  onBytes(bytes: Buffer): void {
    const name = bytes.toString('latin1', 0, 1);
    const isFirst = this.heard.length === 0;
    this.heard.push(`${name}(`);
    this.#connection.pause();
    if (isFirst) setTimeout(() => this.#connection.resume(), 50);
    else this.#connection.resume();
    this.heard.push(`${name})`);
    if (this.heard.length === 2 * NAMES.length) this.#all();
  }

  onEnd(): void {
    this.#failed(new Error('the peer ended'));
  }

  onFailure(error: ConnectionError): void {
    this.#failed(error);
  }

  onEstablished(): void {
    // Nothing waits for it.
  }
}

it('a reader that resumes while it is given bytes gets the next ones when it is done with these', async () => {
  const heard = await new Promise<string[]>((resolve, reject) => {
    void connected((connection) => {
      const user: HastyUser = new HastyUser(connection, () => resolve(user.heard), reject);
      return user;
    });
  });
  expect(heard).toEqual(NAMES.flatMap((name) => [`${name}(`, `${name})`]));
});
