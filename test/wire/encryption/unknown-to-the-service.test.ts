import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startCloud } from '../../support/backends/clouds.ts';
import { World } from '../spec/world.ts';

/*
 * Azurite knows no keys of customers unless it is told to be loose. That is no outage: it must not be answered as one,
 * which clients repeat, and the answer must say what is missing.
 */
test("a customer's key over an emulator that knows none is answered 501, with the reason", async () => {
  const cloud = await startCloud('Azurite');
  const world = await World.open({ customerKeysOverHttp: true }, cloud.open());
  try {
    const bucket = await world.bucket();
    const key = Buffer.alloc(32, 'k');
    const prefix = 'x-amz-server-side-encryption-customer-';
    const headers = {
      [`${prefix}algorithm`]: 'AES256',
      [`${prefix}key`]: key.toString('base64'),
      [`${prefix}key-md5`]: createHash('md5').update(key).digest('base64'),
    };
    const answer = await world.ask('PUT', `/${bucket}/key`, { headers, body: 'bytes' });
    expect(answer.status).toBe(501);
    expect(answer.body).toContain('<Code>NotImplemented</Code>');
    expect(answer.body).toContain('such as keys of customers (SSE-C)');
    expect(await world.outcome('HEAD', `/${bucket}/key`)).toBe('404');
  } finally {
    await world.close();
    await cloud.stop();
  }
}, 60_000);
