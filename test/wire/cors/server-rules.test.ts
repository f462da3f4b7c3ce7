import { beforeAll, describe, expect, test } from 'vitest';

import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { PAGE, document, allowing, told, asking } from './scene.ts';

describe("the server's rules", () => {
  const { ask, as } = sharedGateway({
    cors: [
      {
        allowedOrigins: ['https://*.example.com'],
        allowedMethods: ['GET'],
        allowedHeaders: ['*'],
        exposeHeaders: ['ETag'],
        maxAgeSeconds: 60,
      },
    ],
  });

  beforeAll(async () => {
    for (const name of ['plain', 'own']) {
      expect(await as('owner', { method: 'PUT', target: `/${name}` })).toBe('200');
    }
    const rule = document(allowing('DELETE', PAGE));
    expect(await as('owner', { method: 'PUT', target: '/own?cors', body: rule })).toBe('200');
  });

  test.each([
    ['GET', '/plain/key', '200'],
    ['DELETE', '/plain/key', '403 AccessForbidden'],
    ['GET', '/own/key', '403 AccessForbidden'],
    ['DELETE', '/own/key', '200'],
    ['GET', '/no-such-bucket/key', '403 AccessForbidden'],
  ])('%s %s: %s', async (method, target, expected) => {
    expect(await as('anonymous', { method: 'OPTIONS', target, headers: asking(method) })).toBe(expected);
  });

  test('are no setting of a bucket', async () => {
    expect(await as('owner', { method: 'GET', target: '/plain?cors' })).toBe('404 NoSuchCORSConfiguration');
    const refused = await ask('anonymous', { method: 'GET', target: '/plain/key', headers: { origin: PAGE } });
    expect(told(refused)['allow-origin']).toBe(PAGE);
  });
});
