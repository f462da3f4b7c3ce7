import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PROXY_HEADER, readProxyHeader } from '../../../../src/gateway/proxy-protocol/header.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const v2 = (head: string, variable: string): Buffer => {
  const rest = Buffer.from(variable, 'hex');
  const length = rest.length.toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(`${SIGNATURE}${head}${length}`, 'hex'), rest]);
};
const FOUR = 'c0000207' + '0a000001' + '1f90' + '0050';
const SIX = '20010db8000000000000000000000001' + '20010db8000000000000000000000002' + '1f90' + '0050';

const GOOD: readonly [string, Buffer, string | undefined][] = [
  ['line, IPv4', Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 8080 80\r\n'), '192.0.2.7'],
  ['line, IPv6', Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 8080 80\r\n'), '2001:db8::1'],
  [
    'line, IPv6 in another spelling',
    Buffer.from('PROXY TCP6 2001:DB8:0:0::0:1 2001:db8::2 8080 80\r\n'),
    '2001:db8::1',
  ],
  ['line, IPv4 over IPv6', Buffer.from('PROXY TCP6 ::FFFF:192.0.2.7 ::ffff:10.0.0.1 8080 80\r\n'), '192.0.2.7'],
  ['line, unknown', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
  ['line, unknown with addresses', Buffer.from('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'), undefined],
  ['binary, IPv4', v2('2111', FOUR), '192.0.2.7'],
  ['binary, IPv6', v2('2121', SIX), '2001:db8::1'],
  ['binary, IPv4 over IPv6', v2('2121', `${'0'.repeat(20)}ffffc0000207${SIX.slice(32)}`), '192.0.2.7'],
  ['binary, nothing', v2('2121', `${'0'.repeat(32)}${SIX.slice(32)}`), '::'],
  ['binary, the balancer does not know', v2('2100', ''), undefined],
  ['binary, of the balancer itself whatever family', v2('20ff', FOUR), undefined],
  ['binary, with more behind the addresses', v2('2111', `${FOUR}ea0005010a0b0c0d`), '192.0.2.7'],
  ['binary, of the balancer itself', v2('2000', ''), undefined],
  ['binary, of the balancer itself with addresses', v2('2011', FOUR), undefined],
  ['binary, a socket of its machine', v2('2131', '00'.repeat(216)), undefined],
];

describe('a header', () => {
  test.each(GOOD)('%s', (_name, bytes, source) => {
    const expected = { length: bytes.length, ...(source !== undefined && { source }) };
    expect(readProxyHeader(bytes)).toEqual(expected);
    expect(readProxyHeader(Buffer.concat([bytes, Buffer.from('GET / HTTP/1.1\r\n')]))).toEqual(expected);
    for (let cut = 0; cut < bytes.length; cut += 1) {
      expect(readProxyHeader(bytes.subarray(0, cut)), String(cut)).toBeUndefined();
    }
  });

  test.each<[string, Buffer]>([
    ['none', Buffer.from('GET / HTTP/1.1\r\n')],
    ['none, over TLS', Buffer.from('160301', 'hex')],
    ['without end', Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)],
    ['an address of another family', Buffer.from('PROXY TCP6 192.0.2.7 10.0.0.1 1 2\r\n')],
    ['no address', Buffer.from('PROXY TCP4 300.1.1.1 10.0.0.1 1 2\r\n')],
    ['a port too high', Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 65536 2\r\n')],
    ['a word too many', Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 1 2 3\r\n')],
    ['another protocol', Buffer.from('PROXY UDP4 192.0.2.7 10.0.0.1 1 2\r\n')],
    ['an address of one machine only', Buffer.from('PROXY TCP6 fe80::1%eth0 fe80::2 1 2\r\n')],
    ['another family', v2('2141', SIX)],
    ['another transport', v2('2113', FOUR)],
    ['another version', v2('3111', FOUR)],
    ['another command', v2('2211', FOUR)],
    ['too few addresses', v2('2111', FOUR.slice(0, -2))],
    ['too long', Buffer.from(`${SIGNATURE}2111ffff`, 'hex')],
    ['nearly the signature', Buffer.from('0d0a0d0a000d0a515549540b', 'hex')],
  ])('%s is refused', (_name, bytes) => {
    expect(() => readProxyHeader(bytes)).toThrow(/PROXY/);
  });

  test('of any bytes is read, refused, or waits for no more than its bound', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('', 'PROXY ', 'PROXY TCP4 1.2.3.4 ', SIGNATURE),
        (bytes, begin) => {
          const whole = Buffer.concat([
            begin === SIGNATURE ? Buffer.from(begin, 'hex') : Buffer.from(begin),
            bytes,
            Buffer.alloc(MAX_PROXY_HEADER),
          ]);
          try {
            const header = readProxyHeader(whole);
            expect(header?.length).toBeLessThanOrEqual(MAX_PROXY_HEADER);
          } catch (error) {
            expect((error as Error).message).toContain('PROXY');
          }
        },
      ),
    );
  });
});
