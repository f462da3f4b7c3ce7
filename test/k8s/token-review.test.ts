import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand, type Started } from '../support/gateway/start-command.ts';
import { Cluster } from './cluster.ts';

const { start, configFile, folder } = startCommand({ keep: true });

let cluster: Cluster;
let started: Started;
let admin = '';

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, output } = await cluster.kubectl(...args);
  if (code !== 0) throw new Error(output);
  return output.trim();
}

const tokenOf = (account: string, ...args: readonly string[]): Promise<string> =>
  kubectl('create', 'token', account, ...args);

/** A gateway that asks a real API server about tokens, as a service account that may do that and nothing else. */
beforeAll(async () => {
  cluster = await Cluster.start();
  for (const account of ['gateway', 'operator', 'stranger']) await kubectl('create', 'serviceaccount', account);
  await kubectl(
    'create',
    'clusterrolebinding',
    'gateway-reviews',
    '--clusterrole=system:auth-delegator',
    '--serviceaccount=default:gateway',
  );
  writeFileSync(join(folder, 'own-token'), await tokenOf('gateway'));
  const tokenReview = {
    ...cluster.api,
    tokenFile: 'own-token',
    users: ['system:serviceaccount:default:operator'],
    audiences: ['s3gw'],
    rememberMs: 1000,
  };
  started = start(['--config', configFile('review.yaml', { admin: { port: 0, tokenReview } })]);
  [, admin = ''] = await started.printed(/"admin":"([^"]+)"/);
});

afterAll(async () => {
  started.child.kill('SIGTERM');
  await started.ended();
  await cluster.stop();
});

async function statusWith(token: string): Promise<number> {
  return (await fetch(`${admin}/api/requests`, { headers: { authorization: `Bearer ${token}` } })).status;
}

test('lets in whom the configuration names, with a token that was made for here', async () => {
  expect(await statusWith(await tokenOf('operator', '--audience', 's3gw'))).toBe(200);
});

test.each([
  ['another service account', () => tokenOf('stranger', '--audience', 's3gw')],
  ['a token that was made for the API server', () => tokenOf('operator')],
  ['a token that was made for something else', () => tokenOf('operator', '--audience', 'vault')],
  ['the gateway itself', () => tokenOf('gateway', '--audience', 's3gw')],
  [
    'a token that is none',
    async () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6ZGVmYXVsdDpvcGVyYXRvciJ9.',
  ],
])('not %s', async (_, token) => {
  expect(await statusWith(await token())).toBe(401);
});

test('nor a token whose account is gone, once what was remembered is forgotten', async () => {
  const token = await tokenOf('operator', '--audience', 's3gw');
  expect(await statusWith(token)).toBe(200);
  await kubectl('delete', 'serviceaccount', 'operator');
  await expect.poll(() => statusWith(token), { timeout: 60_000, interval: 1000 }).toBe(401);
});

test('when the gateway may not ask, that is no verdict on the token', async () => {
  await kubectl('delete', 'clusterrolebinding', 'gateway-reviews');
  await expect
    .poll(async () => statusWith(await tokenOf('stranger', '--audience', 's3gw')), { timeout: 60_000, interval: 1000 })
    .toBe(503);
  expect(started.output()).toContain('says nothing about a token');
  expect(started.output()).not.toMatch(/eyJ[\w-]+\.eyJ/);
});
