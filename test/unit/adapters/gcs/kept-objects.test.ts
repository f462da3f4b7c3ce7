import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGcsStore } from '../../../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../../../adapters/doubles/index.ts';
import { type BlobStore, at } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';

/** What the service refuses by 403 `forbidden`, and says only in words why. */
let double: GcsDouble;
let store: BlobStore;
const call = testCall();

beforeAll(async () => {
  double = await startGcsDouble();
  store = createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' }, pinsSources: true });
});

afterAll(async () => {
  await store.close();
  await double.stop();
});

async function send(method: string, path: string, body?: object): Promise<{ status: number; reason: unknown }> {
  const answer = await fetch(`${double.endpoint}/storage/v1/b/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  const { error } = (text === '' ? {} : JSON.parse(text)) as { error?: { errors?: { reason?: unknown }[] } };
  return { status: answer.status, reason: error?.errors?.[0]?.reason };
}

describe.each<[string, (bucket: string, on: boolean) => Promise<unknown>, string]>([
  [
    'a temporary hold',
    (bucket, on) => send('PATCH', `${bucket}/o/kept`, { temporaryHold: on }),
    'objectUnderActiveHold',
  ],
  [
    'an event-based hold',
    (bucket, on) => send('PATCH', `${bucket}/o/kept`, { eventBasedHold: on }),
    'objectUnderActiveHold',
  ],
  [
    'the retention policy of the bucket',
    (bucket, on) => send('PATCH', bucket, { retentionPolicy: { retentionPeriod: on ? '3600' : '0' } }),
    'retentionPolicyNotMet',
  ],
])('an object under %s', (what, set, code) => {
  const bucket = `kept-${what.replaceAll(/\W/g, '-').slice(0, 30)}`;
  const ref = { container: bucket, name: 'kept' };
  const other = { container: bucket, name: 'other' };
  const write = (): Promise<{ revision: string }> => store.write(ref, Buffer.from('bytes'), { metadata: {} }, call);
  const denied = { kind: 'denied', detail: { status: 403, code } };

  beforeAll(async () => {
    await store.createContainer(bucket, {}, call);
    await write();
    await store.write(other, Buffer.from('more'), { metadata: {} }, call);
    await set(bucket, true);
  });

  test('is neither removed nor replaced, and the service has one reason for all', async () => {
    expect(await send('DELETE', `${bucket}/o/kept`)).toEqual({ status: 403, reason: 'forbidden' });
    await expect(write()).rejects.toMatchObject(denied);
    await expect(store.remove(ref, undefined, call)).rejects.toMatchObject(denied);
    const { revision } = await store.head(other, call);
    const copy = { source: { ...other, revision }, size: 4, headers: {}, metadata: {} };
    await expect(store.copy(ref, copy, call)).rejects.toMatchObject(denied);
    const [outcome] = await store.removeMany(bucket, [{ name: 'kept' }, { name: 'no-such' }], call);
    expect(outcome).toMatchObject(denied);
  });

  test('is read, and its metadata change; once it is free it goes', async () => {
    const { revision } = await store.head(ref, call);
    await store.setMetadata(ref, { a: 'b' }, at(revision), call);
    expect((await store.head(ref, call)).metadata).toEqual({ a: 'b' });
    await set(bucket, false);
    await write();
    await store.remove(ref, undefined, call);
    await expect(store.head(ref, call)).rejects.toMatchObject({ kind: 'notFound' });
  });
});

test('buckets that are made too fast: 429 without a time to wait; the adapter lets them take turns', async () => {
  const slow = await startGcsDouble({ bucketChangesPerSecond: 10 });
  const own = createGcsStore({
    endpoint: slow.endpoint,
    credential: { kind: 'anonymous' },
    retries: { nameSpacing: 110, nameWait: 2000 },
  });
  try {
    const ask = (name: string): Promise<Response> =>
      fetch(`${slow.endpoint}/storage/v1/b?project=p`, { method: 'POST', body: JSON.stringify({ name }) });
    expect((await ask('first')).status).toBe(200);
    const refused = await ask('second');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    expect(await refused.json()).toMatchObject({ error: { errors: [{ reason: 'rateLimitExceeded' }] } });
    await own.createContainer('third', {}, call);
    await own.removeContainer('third', call);
    await expect(own.headContainer('third', call)).rejects.toMatchObject({ kind: 'containerNotFound' });
  } finally {
    await own.close();
    await slow.stop();
  }
});
