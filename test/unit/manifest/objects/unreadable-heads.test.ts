import { describe, expect, it } from 'vitest';
import { RECORD_NAME, RecordFormatError, decodeRecord } from '../../../../src/manifest/records/record.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

/** User metadata that no head has room for. */
const LARGE = {
  attributes: {
    headers: {},
    userMetadata: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`Ä${n}`, 'x'.repeat(200)])),
  },
};

/** A key whose record goes on in a blob that is gone. */
async function withoutOverflow(versioning: 'never' | 'enabled'): Promise<VersionedBucket> {
  const key = await VersionedBucket.create();
  key.set(versioning);
  await key.put('x', LARGE);
  const { store } = key.manifest;
  const { entries } = await store.list('system', { prefix: 'o/', limit: 10 }, testCall());
  expect(entries).toHaveLength(1);
  for (const { name } of entries) await store.remove({ container: 'system', name }, undefined, testCall());
  return key;
}

describe('a head that cannot be read whole', () => {
  it.each(['never', 'enabled'] as const)('is not taken for no head (%s versioned)', async (versioning) => {
    const key = await withoutOverflow(versioning);
    await expect(key.find()).rejects.toMatchObject({ kind: 'unavailable', detail: { code: 'OverflowMissing' } });
    await expect(key.text()).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('is not written over as if the key were absent, nor answered as deleted', async () => {
    const key = await withoutOverflow('never');
    await expect(key.put('y', { conditions: { ifMatch: '"other"' } })).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(key.remove()).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await key.manifest.store.list('bucket', { limit: 10 }, testCall())).entries).toHaveLength(1);
  });

  it('is read again when it was written anew meanwhile', async () => {
    const key = await withoutOverflow('never');
    const { store } = key.manifest;
    const { head } = store;
    let reads = 0;
    store.head = async (ref, call) => {
      const properties = await head.call(store, ref, call);
      reads += 1;
      if (reads === 1) await key.put('anew');
      return properties;
    };
    expect(await key.find()).toMatchObject({ size: 4 });
    expect(reads).toBe(2);
  });
});

describe('a record of a kind that this release does not know', () => {
  it('is refused, and not taken for an object', async () => {
    expect(() => decodeRecord('{"v":1,"k":"q","s":1}')).toThrow(RecordFormatError);
    expect(() => decodeRecord('{"v":1,"k":"constructor","s":1}')).toThrow(RecordFormatError);
    expect(decodeRecord('{"v":1,"s":1}')).toMatchObject({ kind: 'inline' });
    const key = await VersionedBucket.create();
    key.set('never');
    await key.manifest.store.write(
      { container: 'bucket', name: 'k' },
      Buffer.from('x'),
      { metadata: { [RECORD_NAME]: '{"v":1,"k":"q","s":1}' } },
      testCall(),
    );
    await expect(key.find()).rejects.toThrow(RecordFormatError);
    await expect(key.remove()).rejects.toThrow(RecordFormatError);
  });
});

describe('a record that somebody else wrote', () => {
  it.each([
    '{"v":2,"s":1}',
    '{"v":1,"s":1,"p":{"r":[[1,1000000000000,1]]}}',
    '{"v":1,"s":1,"k":"m","b":"../other"}',
    '{"v":1,"s":1,"ov":"../b/other"}',
    '{"v":1,"s":1e300}',
  ])('keeps no connection: %s', async (record) => {
    const key = await VersionedBucket.create();
    key.set('never');
    const { store } = key.manifest;
    await store.write(
      { container: 'bucket', name: 'k' },
      Buffer.from('x'),
      { metadata: { [RECORD_NAME]: record } },
      testCall(),
    );
    const { read } = store;
    let discarded = 0;
    store.read = async (...request) => {
      const result = await read.apply(store, request);
      const { discard } = result.body;
      result.body.discard = () => {
        discarded += 1;
        discard.call(result.body);
      };
      return result;
    };
    await expect(key.text()).rejects.toThrow(RecordFormatError);
    expect(discarded).toBe(1);
  });
});
