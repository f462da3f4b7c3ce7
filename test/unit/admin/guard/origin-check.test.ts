import { expect, test } from 'vitest';
import { isCrossSite, isOwnHost } from '../../../../src/admin/guard/guard.ts';

const NAMES = new Set(['inspector.corp']);

test.each([
  ['localhost', true],
  ['LOCALHOST:9001', true],
  ['a.localhost', true],
  ['localhost.', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['[::1]:80', true],
  ['10.0.0.7:9001', true],
  ['inspector.corp:9001', true],
  ['inspector.corp.', true],
  [undefined, false],
  ['', false],
  [':80', false],
  ['evil.example', false],
  ['notlocalhost', false],
  ['127.0.0.1.nip.io', false],
  ['1.2.3', false],
  ['0x7f.1', false],
  ['inspector.corp:80@evil.example', false],
  ['localhost, evil.example', false],
  ['[::1', false],
  ['::1', false],
  ['[evil]', false],
])('host %j: %s', (host, own) => {
  expect(isOwnHost(host, NAMES)).toBe(own);
});

test.each([
  ['https://a.example', 'a.example', false],
  ['http://A.example:9001', 'a.example:9001', false],
  ['http://a.example', 'a.example:9001', true],
  ['http://a.example:9001', 'b.example:9001', true],
  ['null', 'a.example', true],
  ['file://', 'a.example', true],
  ['', 'a.example', true],
])('origin %j at %s: %s', (origin, host, cross) => {
  expect(isCrossSite('POST', { origin, host })).toBe(cross);
});
