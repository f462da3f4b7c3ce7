import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawConnection } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { type AttackedGateway, BACKENDS, startOver } from '../front-door/backends.ts';

/* What a client sends on one connection without waiting for answers takes effect in the order in which it was sent. */
const OBJECT = '/pipelined/object';

function put(body: string): string {
  return `${signedHead({ method: 'PUT', target: OBJECT, headers: { 'Content-Length': String(body.length) } })}${body}`;
}

describe.each(BACKENDS)('requests that are sent at once over %s', (backend) => {
  let gateway: AttackedGateway;
  let connection: RawConnection;
  const get = (): string => signedHead({ method: 'GET', target: OBJECT });

  beforeAll(async () => {
    gateway = await startOver(backend);
    connection = await RawConnection.open(gateway.port);
    connection.send(signedHead({ method: 'PUT', target: '/pipelined', headers: { 'Content-Length': '0' } }));
    expect((await connection.answer()).status).toBe(200);
  });
  afterAll(async () => {
    connection.close();
    await gateway.close();
  });

  test('are done one after the other', async () => {
    const rounds = Array.from({ length: 5 }, (_none, at) => `content ${String(at)}`);
    const remove = signedHead({ method: 'DELETE', target: OBJECT });
    connection.send(rounds.map((body) => put(body) + get() + remove + get()).join(''));
    for (const body of rounds) {
      expect((await connection.answer('PUT')).status).toBe(200);
      expect((await connection.answer()).body).toBe(body);
      expect((await connection.answer('DELETE')).status).toBe(204);
      expect((await connection.answer()).status).toBe(404);
    }
  });

  test('behind one that ends the connection are not done', async () => {
    const closing = await RawConnection.open(gateway.port);
    const head = signedHead({ method: 'GET', target: OBJECT, headers: { Connection: 'close' } });
    closing.send(head + put('too late'));
    expect((await closing.answer()).status).toBe(404);
    await closing.closed();
    connection.send(get());
    expect((await connection.answer()).status).toBe(404);
  });
});
