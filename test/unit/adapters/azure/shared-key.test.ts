import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signSharedKey, sharedKeyText } from '../../../../adapters/azure/shared-key.ts';
import { HmacKey } from '../../../../src/streams/hmac-key.ts';
import type { AzureRequest } from '../../../../adapters/azure/request.ts';

const PUT: AzureRequest = {
  call: 'write',
  method: 'PUT',
  path: '/account/container/dir/a%20b',
  effect: 'change',
  contentMd5: 'md5==',
  contentType: 'text/plain',
  ifMatch: '"0x1"',
  ifNoneMatch: '*',
};

test('every standard header has its line, the others are empty', () => {
  expect(
    sharedKeyText(PUT, ['x-ms-date', 'now', 'x-ms-version', 'v'], '/account/account/container/dir/a%20b', 12),
  ).toBe(
    'PUT\n\n\n12\nmd5==\ntext/plain\n\n\n"0x1"\n*\n\n\nx-ms-date:now\nx-ms-version:v\n/account/account/container/dir/a%20b',
  );
});

test('a length of zero is empty, as the service wants it since 2015-02-21', () => {
  const request: AzureRequest = { call: 'head', method: 'HEAD', path: '/c/b', effect: 'read' };
  expect(sharedKeyText(request, [], '/a/c/b', 0)).toBe('HEAD\n\n\n\n\n\n\n\n\n\n\n\n/a/c/b');
});

test('the query is part of the resource, decoded and by lower-case name', () => {
  const request: AzureRequest = {
    call: 'list',
    method: 'GET',
    path: '/c',
    effect: 'read',
    query: [
      ['comp', 'list'],
      ['prefix', 'ä b'],
      ['startFrom', 'x&y'],
    ],
  };
  expect(sharedKeyText(request, [], '/a/c', 0)).toMatch(/\n\/a\/c\ncomp:list\nprefix:ä b\nstartfrom:x&y$/);
});

test('headers are sorted as the service does it: shorter first, underscore before digits before letters', () => {
  const names = [
    'x-ms-version',
    'x-ms-meta-ab',
    'x-ms-meta-a1',
    'x-ms-meta-a_b',
    'x-ms-meta-a',
    'x-ms-blob-type',
    'x-ms-copy-source',
    'x-ms-meta-_',
  ];
  const text = sharedKeyText(
    PUT,
    names.flatMap((name) => [name, '1']),
    '',
    0,
  );
  expect(text.match(/x-ms-[^:]+/g)).toEqual([
    'x-ms-blob-type',
    'x-ms-copy-source',
    'x-ms-meta-_',
    'x-ms-meta-a',
    'x-ms-meta-a_b',
    'x-ms-meta-a1',
    'x-ms-meta-ab',
    'x-ms-version',
  ]);
});

test('the signature is HMAC-SHA256 over UTF-8, in base64', () => {
  const key = Buffer.from('key');
  expect(signSharedKey(new HmacKey(key), 'ä')).toBe(
    createHmac('sha256', key).update(Buffer.from('ä')).digest('base64'),
  );
});
