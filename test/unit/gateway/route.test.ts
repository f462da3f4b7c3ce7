import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/gateway/exchange.ts';
import { findRoute } from '../../../src/gateway/route.ts';
import { hostResolver } from '../../../src/protocol/address.ts';
import { RawHeaders } from '../../../src/protocol/headers/header-reader.ts';

const HOSTS = hostResolver(['localhost'], 'us-east-1');
const SIGNED = 'X-Amz-Algorithm=a&X-Amz-Date=d&X-Amz-Signature=s&X-Amz-Expires=5';

it.each([
  [SIGNED, '1'],
  ['x-id=PutObject', undefined],
  ['X-Amz-Date=d', undefined],
])('headers in the query count where the query is signed, as nobody vouches for others: %s', (query, value) => {
  const rawHeaders = ['Host', 'localhost'];
  const exchange = {
    request: { method: 'PUT', rawHeaders, httpVersion: '1.1', socket: {} },
    headers: new RawHeaders(rawHeaders),
    facts: {},
  } as unknown as Exchange;
  const { headers } = findRoute(exchange, `/bucket/key?${query}&x-amz-meta-a=1`, HOSTS);
  expect(headers.get('x-amz-meta-a')).toBe(value);
});
