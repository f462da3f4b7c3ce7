import { afterEach, expect, test } from 'vitest';
import { isStoreError } from '../../../../src/store/store-error.ts';
import { type ByteSource, readAll } from '../../../../src/streams/bytes.ts';
import { testCall } from '../../../support/test-call.ts';
import type { Turn } from '../scripted-peer.ts';
import { type Service, serve } from './scripted-service.ts';

const REF = { container: 'bucket', name: 'n' };
/** What the service says of a packed object of 31 bytes, the length apart. */
const PACKED = [
  'cache-control: private, max-age=0',
  'content-type: text/plain',
  'last-modified: Tue, 14 Nov 2017 13:07:32 GMT',
  'x-goog-generation: 1510664852486988',
  'x-goog-hash: crc32c=T1s5RQ==, md5=xhF4M6pNFRDQnvaRRNVnkA==',
  'x-goog-metageneration: 2',
  'x-goog-stored-content-encoding: gzip',
  'x-goog-stored-content-length: 31',
  'transfer-encoding: chunked',
];
const BYTES = 'p'.repeat(31);

let service: Service | undefined;
afterEach(() => service?.stop());

function chunked(bytes: string): string {
  return `${bytes.length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n`;
}

function packed(status: string, more: readonly string[], bytes: string): Turn {
  const lines = [`HTTP/1.1 ${status}`, ...PACKED, ...more].map((line) => `${line}\r\n`);
  return (socket) => socket.write(`${lines.join('')}\r\n${chunked(bytes)}`);
}

async function read(turn: Turn, range?: { first: number; last: number }): Promise<ByteSource> {
  service = await serve([turn]);
  const { properties, body } = await service.store.read(REF, range === undefined ? {} : { range }, testCall());
  expect(properties).toMatchObject({ size: 31, contentEncoding: 'gzip', md5: 'c6117833aa4d1510d09ef69144d56790' });
  return body;
}

test('what is packed comes without a length, and is read whole', async () => {
  const body = await read(packed('200 OK', ['content-encoding: gzip'], BYTES));
  expect(body.size).toBe(31);
  expect(String(await readAll(body))).toBe(BYTES);
});

test('a range of it, too', async () => {
  const lines = ['content-encoding: gzip', 'content-range: bytes 1-8/31'];
  const body = await read(packed('206 Partial Content', lines, BYTES.slice(1, 9)), { first: 1, last: 8 });
  expect(body.size).toBe(8);
  expect(String(await readAll(body))).toBe(BYTES.slice(1, 9));
});

test.each([30, 32])('%i bytes are not the object', async (length) => {
  const body = await read(packed('200 OK', ['content-encoding: gzip'], 'p'.repeat(length)));
  await expect(readAll(body)).rejects.toSatisfy((error) => isStoreError(error, 'unavailable'));
});

test('what the service unpacked is not the object', async () => {
  service = await serve([packed('200 OK', ['accept-ranges: none'], 'hello world')]);
  await expect(service.store.read(REF, {}, testCall())).rejects.toMatchObject({
    kind: 'unexpected',
    detail: { code: 'StoredBytesWithheld' },
  });
});
