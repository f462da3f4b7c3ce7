import { expect, test } from 'vitest';
import { withCallLog } from '../../../adapters/doubles/call-log.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { RateLimits } from '../../../src/access/rates/rate-limits.ts';
import { startGatewayOver } from '../../support/gateway/gateway.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';

/*
 * What pages may read of an error depends on the bucket, which has to be looked at for it. That is no way round the
 * rates of callers that are not known.
 */
const SENT = 40;

/** Calls of the backend for so many requests of a page, each to a bucket that there is not. */
async function callsFor(lines: string): Promise<number> {
  const store = withCallLog(new MemoryBlobStore());
  const accounts = { ratesOf: () => undefined };
  const rates = new RateLimits({ accounts, anonymous: { requestsPerSecond: 2 }, ofBucket: () => undefined });
  const gateway = await startGatewayOver(store, { rates });
  try {
    store.clearCalls();
    for (let sent = 0; sent < SENT; sent += 1) {
      const head = `GET /nobodys-${String(sent)}/key HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.com\r\n`;
      expect((await roundTrip(gateway.port, `${head}${lines}\r\n`)).status).toBeGreaterThanOrEqual(400);
    }
    return store.countCalls();
  } finally {
    await gateway.close();
  }
}

test('nobody who comes too often costs a look at a bucket', async () => {
  expect(await callsFor('')).toBeLessThan(SENT / 2);
});

test('nor does somebody whose signature is none', async () => {
  expect(await callsFor('Authorization: AWS4-HMAC-SHA256 x\r\n')).toBeLessThan(SENT / 2);
});
