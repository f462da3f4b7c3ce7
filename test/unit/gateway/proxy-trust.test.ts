import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { proxyTrust } from '../../../src/gateway/proxy-trust.ts';
import { RawHeaders } from '../../../src/protocol/headers/header-reader.ts';

function from(remoteAddress: string): IncomingMessage {
  return { socket: { remoteAddress } } as unknown as IncomingMessage;
}

function source(ranges: string[], remote: string, forwarded?: string): string {
  const headers = new RawHeaders(forwarded === undefined ? [] : ['X-Forwarded-For', forwarded]);
  return proxyTrust(ranges).senderOf(from(remote), headers).address;
}

describe('source address', () => {
  test.each<[string, string[], [remote: string, forwarded?: string], string]>([
    ['nobody is trusted', [], ['10.0.0.1', '192.0.2.7'], '10.0.0.1'],
    ['a proxy is', ['10.0.0.0/8'], ['10.0.0.1', '192.0.2.7'], '192.0.2.7'],
    [
      'a chain: the last one that is no proxy',
      ['10.0.0.0/8'],
      ['10.0.0.1', '198.51.100.1, 192.0.2.7, 10.2.3.4'],
      '192.0.2.7',
    ],
    ['a stranger that claims to be one', ['10.0.0.0/8'], ['203.0.113.5', '10.0.0.1'], '203.0.113.5'],
    ['nonsense in the header', ['10.0.0.0/8'], ['10.0.0.1', 'unknown'], '10.0.0.1'],
    ['mapped IPv4', ['10.0.0.1'], ['::ffff:10.0.0.1', '2001:db8::1'], '2001:db8::1'],
    ['mapped IPv4 in hexadecimal', ['10.0.0.1'], ['::ffff:a00:1', '::FFFF:c000:207'], '192.0.2.7'],
    ['a port behind the address', ['10.0.0.1'], ['10.0.0.1', '192.0.2.7:50123'], '192.0.2.7'],
    ['a port behind brackets', ['10.0.0.1'], ['10.0.0.1', '[2001:DB8::7]:50123'], '2001:db8::7'],
    ['brackets alone', ['10.0.0.1'], ['10.0.0.1', '[2001:db8::7]'], '2001:db8::7'],
    ['a port that is none', ['10.0.0.1'], ['10.0.0.1', '192.0.2.7:port'], '10.0.0.1'],
    ['ports on all the way', ['10.0.0.0/8'], ['10.0.0.1', '192.0.2.7:1, 10.2.3.4:2'], '192.0.2.7'],
    ['another spelling', [], ['2001:DB8:0::0:1'], '2001:db8::1'],
    ['an address of one machine only', [], ['fe80::1%eth0'], 'fe80::1'],
    ['IPv6 range', ['2001:db8::/32'], ['2001:db8::99', '192.0.2.7'], '192.0.2.7'],
  ])('%s', (_name, ranges, [remote, forwarded], expected) => {
    expect(source(ranges, remote, forwarded)).toBe(expected);
  });

  test('the scheme counts only from a proxy', () => {
    const headers = new RawHeaders(['X-Forwarded-Proto', 'https']);
    expect(proxyTrust(['10.0.0.1']).senderOf(from('10.0.0.1'), headers).scheme).toBe('https');
    expect(proxyTrust(['10.0.0.1']).senderOf(from('10.0.0.2'), headers).scheme).toBe('http');
  });

  test.each(['10.0.0.0/33', 'proxy', '10.0.0.0/x', ''])('%j is no range', (range) => {
    expect(() => proxyTrust([range])).toThrow('is neither an address nor a range');
  });
});
