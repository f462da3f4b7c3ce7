import { describe, expect, test } from 'vitest';
import { outcome, send } from '../../support/clients/acl-client.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { withCallLog } from '../../../adapters/doubles/call-log.ts';
import { startGatewayOver } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

import { bucket, PAGE, VARY, openScene, allowing, allow, told, preflight, asking } from './scene.ts';

openScene();

describe('a preflight', () => {
  test.each([
    ['GET', PAGE, undefined, '200'],
    ['PUT', PAGE, undefined, '200'],
    ['PUT', PAGE, 'content-type, X-Amz-Meta-A', '200'],
    ['PUT', PAGE, 'authorization', '403 AccessForbidden'],
    ['PUT', PAGE, ' , ', '200'],
    ['PUT', PAGE, 'content-type, X-Amz Meta', '400 BadRequest'],
    ['DELETE', PAGE, 'X[Key]', '400 BadRequest'],
    ['DELETE', PAGE, undefined, '403 AccessForbidden'],
    ['GET', 'https://www.example.org', undefined, '403 AccessForbidden'],
    ['GET', 'HTTPS://www.example.com', undefined, '403 AccessForbidden'],
    ['GET', 'null', undefined, '403 AccessForbidden'],
    ['HEAD', 'https://any.example.net', 'x', '200'],
    ['HEAD', 'https://.example.net', 'x', '200'],
    ['HEAD', 'https://example.net', 'x', '403 AccessForbidden'],
    ['PATCH', PAGE, undefined, '400 BadRequest'],
  ])('%s from %s with %s: %s', async (method, origin, names, expected) => {
    await allow(
      allowing(
        'GET PUT',
        PAGE,
        '<AllowedHeader>Content-Type</AllowedHeader><AllowedHeader>x-AMZ-meta-*</AllowedHeader>',
      ),
      allowing('HEAD', 'https://*.example.net', '<AllowedHeader>*</AllowedHeader>'),
    );
    const headers = {
      ...asking(method, origin),
      ...(names !== undefined && { 'access-control-request-headers': names }),
    };
    for (const target of [
      `/${bucket}`,
      `/${bucket}/`,
      `/${bucket}/key?versionId=x&acl`,
      `/${bucket}/a%2Fb?X-Amz-Signature=no&x-amz-copy-source=/a/b`,
    ]) {
      const answer = await preflight(target, headers);
      expect(outcome(answer), target).toBe(expected);
      if (expected === '200') continue;
      expect(told(answer)).toEqual({});
      if (expected.startsWith('403')) {
        expect(answer.body).toContain(
          `<Method>${method}</Method><ResourceType>${target.length > bucket.length + 2 ? 'OBJECT' : 'BUCKET'}</ResourceType>`,
        );
      }
    }
    expect(outcome(await preflight('/key', headers, `${bucket}.localhost`)), 'virtual host').toBe(expected);
  });

  test('says what the rule says', async () => {
    await allow(
      allowing(
        'GET PUT',
        PAGE,
        '<AllowedHeader>*</AllowedHeader><MaxAgeSeconds>600</MaxAgeSeconds><ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-amz-id-2</ExposeHeader>',
      ),
      allowing('DELETE', '*'),
    );
    expect(
      told(
        await preflight(`/${bucket}/key`, {
          ...asking('PUT'),
          'access-control-request-headers': 'Content-Type,x-b, x-b',
        }),
      ),
    ).toEqual({
      'allow-origin': PAGE,
      'allow-methods': 'GET, PUT',
      'allow-headers': 'content-type, x-b',
      'expose-headers': 'ETag, x-amz-id-2',
      'max-age': '600',
      'allow-credentials': 'true',
      vary: VARY,
    });
    expect(told(await preflight(`/${bucket}/key`, asking('DELETE')))).toEqual({
      'allow-origin': '*',
      'allow-methods': 'DELETE',
      vary: VARY,
    });
  });

  test('without what it takes is a bad request', async () => {
    for (const headers of [{}, { origin: '', 'access-control-request-method': 'GET' }]) {
      const without = await preflight(`/${bucket}`, headers);
      expect([outcome(without), without.body]).toEqual([
        '400 BadRequest',
        expect.stringContaining('Insufficient information. Origin request header needed.'),
      ]);
    }
    const half = await preflight(`/${bucket}`, { origin: PAGE });
    expect([outcome(half), half.body]).toEqual([
      '400 BadRequest',
      expect.stringContaining('Invalid Access-Control-Request-Method: null'),
    ]);
  });

  test('of a bucket without rules, and of none', async () => {
    expect((await preflight(`/${bucket}/key`, asking('GET'))).body).toContain(
      '<Code>AccessForbidden</Code><Message>CORSResponse: CORS is not enabled for this bucket.</Message>',
    );
    expect((await preflight('/no-such-bucket', asking('GET'))).body).toContain(
      '<Code>AccessForbidden</Code><Message>CORSResponse: Bucket not found</Message>',
    );
  });

  test('with more headers than any request has is refused', async () => {
    await allow(allowing('GET', '*', '<AllowedHeader>*</AllowedHeader>'));
    const names = (count: number): string => Array.from({ length: count }, (_none, i) => `h${i}`).join();
    const answerTo = (count: number): Promise<RawAnswer> =>
      preflight(`/${bucket}`, { ...asking('GET'), 'access-control-request-headers': names(count) });
    expect([outcome(await answerTo(100)), outcome(await answerTo(101))]).toEqual(['200', '403 AccessForbidden']);
  });

  test('costs no call when the bucket is in memory', async () => {
    const store = withCallLog(new MemoryBlobStore());
    const counted = await startGatewayOver(store, { bucketCacheMs: 60_000 });
    const answerOf = (method: string, target: string, headers = {}): Promise<RawAnswer> =>
      send(counted.port, method === 'OPTIONS' ? 'anonymous' : 'owner', { method, target, headers });
    const costs = async (method: string, target: string, headers = {}): Promise<number> => {
      store.clearCalls();
      await answerOf(method, target, headers);
      return store.countCalls();
    };
    try {
      await answerOf('PUT', '/counted');
      await answerOf('PUT', '/counted/key');
      await answerOf('GET', '/counted/key');
      expect(await costs('OPTIONS', '/counted/key', asking('GET'))).toBe(0);
      expect(await costs('GET', '/counted/key', { origin: PAGE })).toBe(await costs('GET', '/counted/key'));
      expect(await costs('OPTIONS', '/nowhere', asking('GET'))).toBeGreaterThan(0);
      expect(await costs('OPTIONS', '/nowhere', asking('GET'))).toBe(0);
    } finally {
      await counted.close();
    }
  });
});
