import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CosiRefusal } from '../../../../src/main/cosi/cosi-refusal.ts';
import { type CosiCalls, serveCosi } from '../../../../src/main/cosi/cosi-server.ts';
import { type CosiClient, cosiClient } from '../../../support/clients/cosi-client.ts';
import { SILENT } from '../../../support/silent-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'cosi-'));
const socket = join(folder, 'cosi.sock');
afterAll(() => rmSync(folder, { recursive: true }));

const nothing = (): object => ({});

async function started(calls: Partial<CosiCalls>): Promise<CosiClient> {
  const all: CosiCalls = {
    DriverGetInfo: () => ({ name: 's3.storage' }),
    DriverCreateBucket: () => Promise.reject(new Error('not expected')),
    DriverDeleteBucket: nothing,
    DriverGrantBucketAccess: () => Promise.reject(new Error('not expected')),
    DriverRevokeBucketAccess: nothing,
    ...calls,
  };
  const server = await serveCosi(all, socket, SILENT);
  const client = cosiClient(socket);
  onTestFinished(async () => {
    client.close();
    await server.stop();
  });
  return client;
}

describe('the driver', () => {
  test('says its name', async () => {
    const client = await started({});
    expect(await client.call('DriverGetInfo', {})).toEqual({ name: 's3.storage' });
  });

  test('hands requests on and answers back as they are', async () => {
    const DriverGrantBucketAccess = vi.fn<CosiCalls['DriverGrantBucketAccess']>((request) => ({
      accountId: 'team/x',
      credentials: {
        s3: { secrets: { endpoint: 'http://s3', region: 'r', accessKeyID: 'A', accessSecretKey: request.name } },
      },
    }));
    const client = await started({ DriverGrantBucketAccess });
    const request = {
      bucketId: 'b',
      name: 'ba-1',
      authenticationType: 'Key' as const,
      parameters: { readOnly: 'true' },
    };
    const answer = await client.call('DriverGrantBucketAccess', request);
    expect(DriverGrantBucketAccess.mock.calls[0]?.[0]).toEqual(request);
    expect(answer.accountId).toBe('team/x');
    expect(answer.credentials.s3.secrets).toEqual({
      endpoint: 'http://s3',
      region: 'r',
      accessKeyID: 'A',
      accessSecretKey: 'ba-1',
    });
  });

  test('fills in what a request leaves out', async () => {
    const seen: object[] = [];
    const client = await started({ DriverRevokeBucketAccess: (request) => (seen.push(request), {}) });
    await client.call('DriverRevokeBucketAccess', {});
    expect(seen).toEqual([{ bucketId: '', accountId: '', revokeAccessContext: {} }]);
  });

  test('tells a refusal by its code, and any other failure without its words', async () => {
    const client = await started({
      DriverDeleteBucket: ({ bucketId }) => {
        if (bucketId === 'full') throw new CosiRefusal('FAILED_PRECONDITION', 'it is not empty');
        throw new Error('secret words');
      },
    });
    const code = status.FAILED_PRECONDITION;
    await expect(client.call('DriverDeleteBucket', { bucketId: 'full' })).rejects.toMatchObject({
      code,
      details: 'it is not empty',
    });
    const failed = client.call('DriverDeleteBucket', { bucketId: 'other' });
    await expect(failed).rejects.toMatchObject({ code: status.INTERNAL });
    await expect(failed).rejects.not.toThrow(/secret words/);
  });

  test('ends its work when the caller leaves', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const client = await started({
      DriverDeleteBucket: async (_request, signal) => {
        begun.resolve(signal);
        await once(signal, 'abort');
        throw signal.reason;
      },
    });
    const caller = new AbortController();
    const call = client.call('DriverDeleteBucket', { bucketId: 'b' }, caller.signal);
    const signal = await begun.promise;
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: status.CANCELLED });
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
  });

  test('takes no request of more than 16 KiB', async () => {
    const client = await started({});
    const call = client.call('DriverCreateBucket', { name: 'b', parameters: { account: 'x'.repeat(17_000) } });
    await expect(call).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });
});

describe('its socket', () => {
  test('is for its own user and group', async () => {
    await started({});
    expect(statSync(socket).mode & 0o777).toBe(0o660);
  });

  test('is gone when it has stopped', async () => {
    const server = await serveCosi({} as CosiCalls, socket, SILENT);
    await server.stop();
    expect(existsSync(socket)).toBe(false);
  });

  test('takes the place of one that a driver left when it was killed', async () => {
    const left = createServer().listen(socket);
    await once(left, 'listening');
    // As a process that is killed: the file stays.
    await rename(socket, `${socket}.left`);
    left.close();
    await once(left, 'close');
    await rename(`${socket}.left`, socket);
    const client = await started({});
    expect(await client.call('DriverGetInfo', {})).toEqual({ name: 's3.storage' });
  });

  test('does not take the place of one on which another driver listens, or of a file', async () => {
    await started({});
    await expect(serveCosi({} as CosiCalls, socket, SILENT)).rejects.toThrow(/another driver listens/);
    const file = join(folder, 'file');
    writeFileSync(file, 'kept');
    await expect(serveCosi({} as CosiCalls, file, SILENT)).rejects.toThrow(/is no socket/);
  });
});
