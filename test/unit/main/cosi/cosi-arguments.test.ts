import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseCosiArguments } from '../../../../src/main/cosi/cosi-arguments.ts';

const folder = mkdtempSync(join(tmpdir(), 'cosi-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const tokenFile = file('token', 'token-of-sixteen-characters\n');
const seedFile = file('seed', `${'s'.repeat(32)}\n`);
const GOOD: Readonly<Record<string, string>> = {
  name: 's3.storage',
  endpoint: 'http://s3.storage.svc/',
  'token-file': tokenFile,
  'seed-file': seedFile,
};
const lineOf = (options: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));

test('are taken from the command line', () => {
  const more = { region: 'eu', account: 'team', url: 'http://admin:9001', socket: '/run/cosi.sock' };
  expect(parseCosiArguments(lineOf({ ...GOOD, ...more }), {})).toEqual({
    name: 's3.storage',
    endpoint: 'http://s3.storage.svc',
    region: 'eu',
    account: 'team',
    url: 'http://admin:9001',
    socket: '/run/cosi.sock',
    tokenFile,
    seed: 's'.repeat(32),
  });
});

test('some are taken from the environment, as drivers of COSI have it', () => {
  const environment = { COSI_ENDPOINT: 'unix:///run/other.sock', GATEWAY_ADMIN_URL: 'http://10.0.0.1:9001' };
  expect(parseCosiArguments(lineOf(GOOD), environment)).toMatchObject({
    socket: '/run/other.sock',
    url: 'http://10.0.0.1:9001',
    region: 'us-east-1',
  });
  expect(parseCosiArguments(lineOf(GOOD), {})).toMatchObject({ socket: '/var/lib/cosi/cosi.sock' });
});

test.each([
  ['without a name', { name: undefined }, /--name: expected a value/],
  ['a name that is no domain name', { name: 's3/storage' }, /--name: expected up to 63/],
  ['a name that is too long', { name: 'n'.repeat(64) }, /--name/],
  ['an endpoint with a path', { endpoint: 'http://s3/path' }, /--endpoint: expected http/],
  ['an endpoint with a password', { endpoint: 'http://a:b@s3' }, /--endpoint/],
  ['a socket beside the working folder', { socket: 'cosi.sock' }, /--socket: expected an absolute path/],
  ['a seed that is short', { 'seed-file': tokenFile }, /--seed-file: expected 32 characters/],
  ['a file that is not there', { 'token-file': join(folder, 'none') }, /--token-file: .* cannot be read/],
  ['an option that is not known', { tokn: 'x' }, /tokn/],
])('are refused: %s', (_, changed, message) => {
  expect(() => parseCosiArguments(lineOf({ ...GOOD, ...changed }), {})).toThrow(message);
});
