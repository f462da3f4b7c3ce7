import { describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand, type Started } from '../support/gateway/start-command.ts';

const { start, configFile } = startCommand();
const SIZE = 4 * 1024 * 1024;

async function serving(timeouts: object): Promise<{ started: Started; port: number; ready: () => Promise<number> }> {
  const started = start(['--config', configFile('drain.yaml', { admin: { port: 0 }, timeouts })]);
  const port = await portOf(started);
  const [, admin = ''] = await started.printed(/"admin":"([^"]+)"/);
  expect((await roundTrip(port, signedHead({ method: 'PUT', target: '/bucket' }))).status).toBe(200);
  return { started, port, ready: async () => (await fetch(`${admin}/readyz`)).status };
}

/** An upload of which the first half has been sent. */
async function halfSent(port: number, key: string): Promise<{ connection: RawConnection; rest: Buffer }> {
  const connection = await RawConnection.open(port);
  connection.send(signedHead({ method: 'PUT', target: `/bucket/${key}`, headers: { 'content-length': String(SIZE) } }));
  connection.send(Buffer.alloc(SIZE / 2, 'a'));
  return { connection, rest: Buffer.alloc(SIZE / 2, 'b') };
}

async function idle(port: number): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  connection.send(signedHead({ method: 'HEAD', target: '/bucket' }));
  expect((await connection.answer('HEAD')).headers['connection']).not.toBe('close');
  return connection;
}

describe('SIGTERM', { timeout: 90_000 }, () => {
  test('uploads and downloads under way finish; connections that do nothing end at once; nobody new is let in', async () => {
    const { started, port, ready } = await serving({});
    const stored = await halfSent(port, 'stored');
    stored.connection.send(stored.rest);
    expect((await stored.connection.answer()).status).toBe(200);

    const upload = await halfSent(port, 'late');
    const waiting = await RawConnection.open(port);
    waiting.send(
      signedHead({
        method: 'PUT',
        target: '/bucket/waited',
        headers: { 'content-length': '5', expect: '100-continue' },
      }),
    );
    await expect.poll(() => waiting.pending, { timeout: 60_000 }).toContain('100 Continue');
    const download = await RawConnection.open(port);
    download.pause();
    download.send(signedHead({ target: '/bucket/stored' }));
    const [kept, fresh] = [await idle(port), await RawConnection.open(port)];
    expect(await ready()).toBe(200);
    await sleep(200);

    started.child.kill('SIGTERM');
    await started.printed(/draining/);
    await Promise.all([kept.closed(), fresh.closed()]);
    expect(await ready()).toBe(503);
    await expect(RawConnection.open(port)).rejects.toThrow('ECONNREFUSED');
    await sleep(300);

    upload.connection.send(upload.rest);
    const answer = await upload.connection.answer();
    expect([answer.status, answer.headers['connection']]).toEqual([200, 'close']);
    waiting.send('hello');
    expect((await waiting.answer()).status).toBe(200);
    expect(started.child.exitCode).toBeNull();
    download.resume();
    const whole = await download.answer();
    expect([whole.status, whole.body.length]).toEqual([200, SIZE]);
    expect(await started.ended()).toBe(0);
  });

  test('before the listeners close, readiness fails and answers send clients away', async () => {
    const { started, port, ready } = await serving({ drainDelayMs: 1500 });
    const kept = await idle(port);
    started.child.kill('SIGTERM');
    await started.printed(/draining/);
    expect(await ready()).toBe(503);
    const late = await roundTrip(port, signedHead({ method: 'HEAD', target: '/bucket' }), 'HEAD');
    expect([late.status, late.headers['connection']]).toEqual([200, 'close']);
    kept.send(signedHead({ method: 'HEAD', target: '/bucket' }));
    expect((await kept.answer('HEAD')).headers['connection']).toBe('close');
    expect(await started.ended()).toBe(0);
  });

  test('what does not finish within the grace is ended, and stores nothing', async () => {
    const { started, port } = await serving({ drainMs: 700 });
    const upload = await halfSent(port, 'never');
    await sleep(200);
    started.child.kill('SIGTERM');
    await upload.connection.closed();
    expect(upload.connection.pending).not.toContain('200 OK');
    expect(await started.ended()).toBe(0);
  });
});
