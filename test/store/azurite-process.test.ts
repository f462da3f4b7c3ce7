import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { FolderHeldError, startAzurite } from '../../adapters/doubles/index.ts';
import { freshContainer } from '../support/backends/azurite.ts';
import { testCall } from '../support/test-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'azurite-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('data in a folder outlive the process, and stopping ends it', async () => {
  const ref = { container: freshContainer(), name: 'key' };
  const first = await startAzurite({ folder });
  const before = createAzureStore(first.storeOptions);
  await before.createContainer(ref.container, {}, testCall());
  await before.write(ref, Buffer.from('kept'), { metadata: {} }, testCall());
  await before.close();
  const answer = await fetch(first.endpoint);
  expect(answer.headers.get('keep-alive'), 'longer than any proxy in front of it stays idle').toBe('timeout=240');
  await answer.body?.cancel();
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  await first.stop();

  const second = await startAzurite({ folder });
  const after = createAzureStore(second.storeOptions);
  const { body } = await after.read(ref, {}, testCall());
  expect((await buffer(body.stream())).toString()).toBe('kept');
  await after.close();
  await second.stop();
}, 180_000);

test('of two over one folder the second is refused, and one that was killed holds it no more', async () => {
  const shared = join(folder, 'shared');
  const first = await startAzurite({ folder: shared });
  const refused = await startAzurite({ folder: shared }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FolderHeldError);
  expect((refused as Error).message).toMatch(new RegExp(`^process ${process.pid} on .* keeps its data in ${shared},`));
  process.kill(first.pid, 'SIGKILL');
  const second = await startAzurite({ folder: shared });
  await second.stop();
  await first.stop();
}, 180_000);

test('a port that is taken is an error with what Azurite said, and leaves no process', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const address = squatter.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await expect(startAzurite({ port: address.port })).rejects.toThrow('EADDRINUSE');
  squatter.close();
});
