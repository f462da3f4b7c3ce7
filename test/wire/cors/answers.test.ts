import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';

import { bucket, PAGE, VARY, openScene, ask, as, allowing, allow, told } from './scene.ts';

openScene();

describe('an answer', () => {
  const READ = {
    'allow-origin': PAGE,
    'allow-methods': 'GET, HEAD',
    'expose-headers': 'ETag',
    'allow-credentials': 'true',
    vary: VARY,
  };

  beforeEach(async () => {
    await allow(allowing('GET HEAD', PAGE, '<ExposeHeader>ETag</ExposeHeader>'));
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/key`, body: 'bytes' })).toBe('200');
  });

  test.each([
    ['an object', 'owner', 'GET', '/key', '200'],
    ['a head', 'owner', 'HEAD', '/key', '200'],
    ['a listing', 'owner', 'GET', '', '200'],
    ['a missing key', 'owner', 'GET', '/none', '404 NoSuchKey'],
    ['a refusal', 'anonymous', 'GET', '/key', '403 AccessDenied'],
    ['what is no query', 'owner', 'GET', '/key?uploadId=1&acl', '400 InvalidArgument'],
    ['what the table does not have', 'owner', 'GET', '/key?uploads', '400 InvalidRequest'],
    ['what is not offered', 'owner', 'GET', '/key?torrent', '501 NotImplemented'],
  ] as const)('to a page that may read it: %s', async (...row) => {
    const [, caller, method, path, expected] = row;
    const answer = await ask(caller, { method, target: `/${bucket}${path}`, headers: { origin: PAGE } });
    expect([outcome(answer), told(answer)]).toEqual([expected, READ]);
  });

  test('to a page whose signature is wrong', async () => {
    const headers = {
      origin: PAGE,
      authorization:
        'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0',
    };
    const answer = await ask('anonymous', { method: 'GET', target: `/${bucket}/key`, headers });
    expect([answer.status >= 400, told(answer)]).toEqual([true, READ]);
  });

  test('to other pages and to no page is kept apart by caches', async () => {
    for (const headers of [{ origin: 'https://other.example.com' }, {}]) {
      expect(told(await ask('owner', { method: 'GET', target: `/${bucket}/key`, headers }))).toEqual({
        vary: VARY,
      });
    }
    const other = await ask('owner', {
      method: 'PUT',
      target: `/${bucket}/key`,
      headers: { origin: PAGE },
      body: 'x',
    });
    expect([other.status, told(other)]).toEqual([200, { vary: VARY }]);
  });

  test('that a copy takes long for has them', async () => {
    await allow(allowing('PUT', PAGE));
    const answer = await ask('owner', {
      method: 'PUT',
      target: `/${bucket}/copy`,
      headers: { origin: PAGE, 'x-amz-copy-source': `/${bucket}/key` },
    });
    expect([answer.status, told(answer)['allow-origin']]).toEqual([200, PAGE]);
  });

  test('of a bucket without rules says nothing', async () => {
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?cors` })).toBe('204');
    await new Promise((done) => setTimeout(done, 30));
    expect(told(await ask('owner', { method: 'GET', target: `/${bucket}/key`, headers: { origin: PAGE } }))).toEqual(
      {},
    );
    expect(told(await ask('owner', { method: 'GET', target: '/no-such-bucket', headers: { origin: PAGE } }))).toEqual(
      {},
    );
    expect(told(await ask('owner', { method: 'GET', target: '/', headers: { origin: PAGE } }))).toEqual({});
  });
});
