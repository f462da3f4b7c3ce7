import { expect, test } from 'vitest';
import { portFaults } from '../../../config/schema-ports.ts';

const NO_ADMIN = { host: '127.0.0.1', port: 9500, enabled: false };

function faulty(hosts: readonly string[], admin = NO_ADMIN, port = 9500): string[] {
  return portFaults({ listeners: hosts.map((host) => ({ host, port })), admin }).map(({ path }) => path.join('.'));
}

test.each<[string, string[], string[]]>([
  ['the same address', ['::1', '127.0.0.1', '::1'], ['listeners.2.port']],
  ['every address of IPv4, and one', ['0.0.0.0', '127.0.0.1'], ['listeners.1.port']],
  ['one address of IPv6, and every', ['::1', '::'], ['listeners.1.port']],
  ['other addresses', ['127.0.0.1', '127.0.0.2', '::1', 'a.example.com'], []],
])('one port on %s', (_name, hosts, expected) => {
  expect(faulty(hosts)).toEqual(expected);
});

test('any free port is never the same', () => {
  expect(faulty(['::1', '::1'], { ...NO_ADMIN, port: 0, enabled: true }, 0)).toEqual([]);
});

test('the admin port counts when there is one', () => {
  expect(faulty(['0.0.0.0'], { ...NO_ADMIN, enabled: true })).toEqual(['admin.port']);
  expect(faulty(['0.0.0.0'])).toEqual([]);
});
