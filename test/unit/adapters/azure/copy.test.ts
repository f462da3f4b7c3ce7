import { afterEach, describe, expect, test } from 'vitest';
import type { AzureStoreOptions } from '../../../../adapters/azure/index.ts';
import { ABSENT, type CopyRequest, type Revision, at } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { answer, failure, serve, silence } from './scripted-service.ts';
import type { Service, Turn } from './scripted-service.ts';

const MIB = 1024 * 1024;
const TARGET = { container: 'bucket', name: 'key' };
const SOURCE = { container: 'system', name: 'private', revision: '"0x1"' as Revision };
const HEADERS = { contentType: 'text/x', cacheControl: 'no-store' };
const MD5 = '0123456789abcdef0123456789abcdef';
const DONE = 'ETag: "0x2"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n';
const created = answer('201 Created', DONE);
const accepted = answer('202 Accepted', DONE);
const missing = answer('501 Not Implemented', 'x-ms-error-code: APINotImplemented\r\n');

const running: Service[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

async function start(turns: readonly Turn[], options: Partial<AzureStoreOptions> = {}): Promise<Service> {
  const service = await serve('usual', turns, options);
  running.push(service);
  return service;
}

function copyOf(size: number, more: Partial<CopyRequest> = {}): CopyRequest {
  return {
    source: SOURCE,
    size,
    headers: HEADERS,
    metadata: { s3gw: '{}' },
    md5: MD5,
    condition: at('"0x9"' as Revision),
    ...more,
  };
}

/** Header lines of a request that carry no time, id or signature, in order of their names. */
function linesOf(request: string | undefined): string[] {
  const lines = (request ?? '').split('\r\n\r\n')[0]?.split('\r\n') ?? [];
  const told = lines.slice(1).map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()).replace(/\?.*/, ''));
  return [
    lines[0] ?? '',
    ...told.filter((line) => /^(x-ms-(blob|copy|meta|source|requires)|if-|content-length)/.test(line)).sort(),
  ];
}

const BYTES_MD5 = Buffer.from(MD5, 'hex').toString('base64');

describe('a copy is one call', () => {
  test('Copy Blob From URL up to 256 MiB, where the headers are the source’s', async () => {
    const { store, requests, origin } = await start([accepted]);
    expect(await store.copy(TARGET, copyOf(256 * MIB, { sameHeaders: true }), testCall())).toMatchObject({
      revision: '"0x2"',
    });
    expect(requests).toHaveLength(1);
    expect(linesOf(requests[0])).toEqual([
      'PUT /account/bucket/key HTTP/1.1',
      'content-length: 0',
      'if-match: "0x9"',
      `x-ms-copy-source: ${origin}/account/system/private`,
      'x-ms-meta-s3gw: {}',
      'x-ms-requires-sync: true',
      'x-ms-source-if-match: "0x1"',
    ]);
  });

  test.each([
    ['larger ones', copyOf(256 * MIB + 1, { sameHeaders: true })],
    ['the largest', copyOf(5000 * MIB, { sameHeaders: true })],
    ['other headers', copyOf(6)],
    ['metadata of none', copyOf(6, { sameHeaders: true, metadata: {} })],
  ])('Put Blob From URL: %s', async (_what, request) => {
    const { store, requests, origin } = await start([created]);
    expect(await store.copy(TARGET, request, testCall())).toMatchObject({ revision: '"0x2"' });
    expect(requests).toHaveLength(1);
    const meta = Object.keys(request.metadata).length === 0 ? [] : ['x-ms-meta-s3gw: {}'];
    expect(linesOf(requests[0])).toEqual([
      'PUT /account/bucket/key HTTP/1.1',
      'content-length: 0',
      'if-match: "0x9"',
      'x-ms-blob-cache-control: no-store',
      `x-ms-blob-content-md5: ${BYTES_MD5}`,
      'x-ms-blob-content-type: text/x',
      'x-ms-blob-type: BlockBlob',
      'x-ms-copy-source-blob-properties: false',
      `x-ms-copy-source: ${origin}/account/system/private`,
      ...meta,
      'x-ms-source-if-match: "0x1"',
    ]);
  });

  test('on absence', async () => {
    const { store, requests } = await start([answer('409 Conflict', 'x-ms-error-code: BlobAlreadyExists\r\n')]);
    expect(await failure(store.copy(TARGET, copyOf(6, { condition: ABSENT }), testCall()))).toMatchObject({
      kind: 'conditionFailed',
      lost: false,
    });
    expect(linesOf(requests[0])).toContain('if-none-match: *');
  });
});

describe('what one call cannot do is not done', () => {
  test('more than 5,000 MiB: no call is made', async () => {
    const { store, requests } = await start([created]);
    expect(await failure(store.copy(TARGET, copyOf(5000 * MIB + 1, { sameHeaders: true }), testCall()))).toMatchObject({
      kind: 'tooLarge',
      lost: false,
    });
    expect(requests).toEqual([]);
    expect(store.capabilities.maxCopy).toBe(5000 * MIB);
  });

  test('a service without Put Blob From URL is asked once; it copies what keeps its headers, of any size', async () => {
    const { store, requests } = await start([missing, accepted]);
    expect(await failure(store.copy(TARGET, copyOf(6), testCall()))).toMatchObject({ kind: 'tooLarge', lost: false });
    expect(await failure(store.copy(TARGET, copyOf(6), testCall()))).toMatchObject({ kind: 'tooLarge', lost: false });
    expect(requests).toHaveLength(1);
    await store.copy(TARGET, copyOf(300 * MIB, { sameHeaders: true }), testCall());
    expect(linesOf(requests[1])).toContain('x-ms-requires-sync: true');
  });

  test('a lost answer is lost, and nothing else is tried', async () => {
    const { store, requests } = await start([answer('500 Internal', 'x-ms-error-code: InternalError\r\n')]);
    expect(await failure(store.copy(TARGET, copyOf(6), testCall()))).toMatchObject({ kind: 'unavailable', lost: true });
    expect(requests).toHaveLength(1);
  });
});

describe('where the account refuses to read sources by URL', () => {
  const refused = answer(
    '403 Forbidden',
    'x-ms-error-code: CannotVerifyCopySource\r\nx-ms-copy-source-status-code: 403\r\n',
  );
  const there = answer(
    '200 OK',
    'ETag: "0x1"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/source\r\n',
  );
  const bytes = answer(
    '200 OK',
    'ETag: "0x1"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/source\r\n',
    'source',
  );

  test('the bytes pass through, and the next copy does not ask', async () => {
    const { store, requests } = await start([refused, there, bytes, created, bytes, created]);
    for (const more of [{}, { sameHeaders: true }]) {
      expect(await store.copy(TARGET, copyOf(6, more), testCall())).toMatchObject({ revision: '"0x2"' });
    }
    expect(requests.map((request) => request.split(' HTTP')[0])).toEqual([
      'PUT /account/bucket/key',
      'HEAD /account/system/private',
      'GET /account/system/private',
      'PUT /account/bucket/key',
      'GET /account/system/private',
      'PUT /account/bucket/key',
    ]);
    expect(requests[3]?.toLowerCase()).toContain('x-ms-blob-content-type: text/x');
    expect(requests[5]?.toLowerCase()).toContain('x-ms-blob-content-type: text/source');
    expect(store.copyFallback).toMatchObject({ active: true, streamed: 2 });
  });

  test('a source that is really gone is told so, and nothing is remembered', async () => {
    const { store, requests } = await start([
      answer('404 Not Found', 'x-ms-error-code: CannotVerifyCopySource\r\nx-ms-copy-source-status-code: 404\r\n'),
      answer('404 Not Found', 'x-ms-error-code: BlobNotFound\r\n'),
    ]);
    await expect(failure(store.copy(TARGET, copyOf(6), testCall()))).resolves.toMatchObject({ kind: 'sourceNotFound' });
    expect(requests).toHaveLength(2);
    expect(store.copyFallback).toMatchObject({ active: false, streamed: 0 });
  });

  test('what may not be written either is not remembered', async () => {
    const { store } = await start([
      refused,
      there,
      bytes,
      answer('403 Forbidden', 'x-ms-error-code: AuthorizationPermissionMismatch\r\n'),
    ]);
    await expect(failure(store.copy(TARGET, copyOf(6), testCall()))).resolves.toMatchObject({ kind: 'denied' });
    expect(store.copyFallback).toMatchObject({ active: false, streamed: 0 });
  });

  test.each([
    ['says so by status alone', '', 'unexpected'],
    [
      'names what it met',
      'x-ms-copy-source-status-code: 409\r\nx-ms-copy-source-error-code: BlobArchived\r\n',
      'archived',
    ],
  ])('409 CannotVerifyCopySource is about one source; the service %s', async (_what, lines, kind) => {
    const uncopyable = answer('409 Conflict', `x-ms-error-code: CannotVerifyCopySource\r\n${lines}`);
    const { store, requests } = await start([uncopyable, there, bytes, created]);
    const copied = store.copy(TARGET, copyOf(6), testCall());
    if (kind === 'archived') expect(await failure(copied)).toMatchObject({ kind, lost: false });
    else await copied;
    expect(requests).toHaveLength(kind === 'archived' ? 1 : 4);
    expect(store.copyFallback?.active).toBe(false);
  });
});

test('an empty source is never copied by URL: the service may refuse that', async () => {
  const source = 'ETag: "0x1"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/source\r\n';
  const { store, requests } = await start([answer('200 OK', source), created]);
  await store.copy(TARGET, copyOf(0, { sameHeaders: true }), testCall());
  expect(requests.map((request) => request.split(' HTTP')[0])).toEqual([
    'GET /account/system/private',
    'PUT /account/bucket/key',
  ]);
  expect(requests[0]?.toLowerCase()).toContain('if-match: "0x1"');
  expect(requests[1]?.toLowerCase()).toContain('x-ms-blob-content-type: text/source');
});

test('the first range that is refused ends the others: none of them is waited for', async () => {
  const refused = answer('404 Not Found', 'x-ms-error-code: CannotVerifyCopySource\r\n');
  const { store } = await start([silence, refused], { limits: { copyRange: MIB, copyParallel: 2 } });
  const staged = store.stagePartFrom(TARGET, SOURCE, { first: 0, last: 2 * MIB - 1 }, testCall());
  expect(await failure(staged)).toMatchObject({ kind: 'sourceNotFound' });
});
