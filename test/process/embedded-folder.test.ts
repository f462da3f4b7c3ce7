import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand } from '../support/gateway/start-command.ts';

const SOURCES = resolve(import.meta.dirname, '../../src');
const { start, configFile, folder } = startCommand();

async function sweep(...args: string[]): Promise<{ readonly code: number | null; readonly errors: string }> {
  const child = spawn(process.execPath, [join(SOURCES, 'sweep.mjs'), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors };
}

async function put(port: number, target: string): Promise<number> {
  return (await roundTrip(port, signedHead({ method: 'PUT', target, headers: { 'content-length': '0' } }))).status;
}

test('while a gateway runs over its embedded Azurite, no other process works in that folder', async () => {
  const data = join(folder, 'azurite');
  const config = configFile('embedded.yaml', {
    backends: { embedded: { kind: 'azurite', owner: 'main', folder: 'azurite' } },
  });
  const running = start(['--config', config]);
  const port = await portOf(running);
  expect(await put(port, '/kept')).toBe(200);

  const swept = await sweep('--config', config);
  expect(swept.code).toBe(1);
  expect(swept.errors).toMatch(/^backends\.embedded: process \d+ on \S+, since \S+, keeps its data in /);
  expect(swept.errors).toContain(`process ${running.child.pid} on`);
  expect(swept.errors).toContain(` in ${data}, and only one at a time can\nStop that process first`);

  const second = start(['--config', config]);
  expect(await second.ended()).toBe(1);
  expect(second.output()).toContain(`in ${data}, and only one at a time can\n`);
  expect(await start(['--preflight', config]).ended()).toBe(1);

  expect(await put(port, '/kept/key'), 'the gateway goes on').toBe(200);
  running.child.kill('SIGKILL');
  await running.ended();
  // Its Azurite saves once more, which takes as long as the machine is busy.
  await vi.waitFor(async () => expect(await sweep('--config', config)).toEqual({ code: 0, errors: '' }), 60_000);
}, 180_000);
