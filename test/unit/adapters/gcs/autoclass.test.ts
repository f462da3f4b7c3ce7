import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GcsDouble, startGcsDouble } from '../../../../adapters/doubles/index.ts';
import { type GcsBlobStore, createGcsStore } from '../../../../adapters/gcs/index.ts';
import { testCall } from '../../../support/test-call.ts';

let double: GcsDouble;
let store: GcsBlobStore;
const call = testCall();

beforeAll(async () => {
  double = await startGcsDouble();
  store = createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' } });
  const body = JSON.stringify({ name: 'auto', autoclass: { enabled: true } });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${double.endpoint}/storage/v1/b?project=p`, { method: 'POST', body, headers });
});
afterAll(async () => {
  await store.close();
  await double.stop();
});

test('a bucket with Autoclass keeps no tier but hot: others are refused, and nothing is stored', async () => {
  const ref = { container: 'auto', name: 'a' };
  const bytes = Buffer.from('x');
  await expect(store.write(ref, bytes, { metadata: {}, tier: 'cool' }, call)).rejects.toMatchObject({
    kind: 'tierRefused',
  });
  await expect(store.head(ref, call)).rejects.toMatchObject({ kind: 'notFound' });
  await store.write(ref, bytes, { metadata: {}, tier: 'hot' }, call);
  expect((await store.survey('auto', call)).tiers).toEqual(['hot']);
});
