import { describe, expect, it } from 'vitest';
import { type Fault, type FaultPlan, withFaults } from '../../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { BucketAmendment } from '../../../../src/manifest/buckets/bucket-amend.ts';
import { decodeAcl, encodeAcl, isSameAcl } from '../../../../src/manifest/records/acl-code.ts';
import { decodeRecord, encodeRecord } from '../../../../src/manifest/records/record.ts';
import { type Acl, GROUPS, PERMISSIONS, PRIVATE } from '../../../../src/protocol/acl/acl.ts';
import { type TestManifest, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const PUBLIC: Acl = [...PRIVATE, { grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }];
const MANY: Acl = Array.from({ length: 100 }, (_, i) => ({
  grantee: { kind: 'account', id: String(i).padStart(64, '0') },
  permission: 'READ',
}));

/** A manifest whose store does what `faults.plan` says. */
async function faulty(): Promise<TestManifest & { readonly faults: { plan: FaultPlan } }> {
  const faults: { plan: FaultPlan } = { plan: () => undefined };
  return { ...(await testManifest({ store: withFaults(new MemoryBlobStore(), (call) => faults.plan(call)) })), faults };
}

/** Applies to the first `times` calls of this name. */
function first(times: number, method: string, fault: Fault): FaultPlan {
  let left = times;
  return (call) => (call.method === method && left-- > 0 ? fault : undefined);
}

describe('the ACL in a record', () => {
  it('comes back as it was, for all grantees and permissions', () => {
    const grantees = [
      { kind: 'owner' },
      { kind: 'account', id: '@odd =id' },
      ...GROUPS.map((group) => ({ kind: 'group', group }) as const),
    ] as const;
    const acl: Acl = grantees.flatMap((grantee) => PERMISSIONS.map((permission) => ({ grantee, permission })));
    expect(decodeAcl(encodeAcl(acl) ?? [])).toEqual(acl);
    expect(decodeRecord(encodeRecord({ kind: 'inline', seq: 1, acl }))).toEqual({ kind: 'inline', seq: 1, acl });
  });

  it('is compact, and absent when it is private', () => {
    expect(encodeRecord({ kind: 'inline', seq: 1, acl: PUBLIC })).toBe('{"v":1,"s":1,"a":["f","r@a"]}');
    expect(encodeRecord({ kind: 'inline', seq: 1, acl: PRIVATE })).toBe('{"v":1,"s":1}');
    expect(encodeRecord({ kind: 'inline', seq: 1, acl: [] })).toBe('{"v":1,"s":1,"a":[]}');
    expect([isSameAcl(undefined, PRIVATE), isSameAcl(undefined, []), isSameAcl(PUBLIC, PRIVATE)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each(['', 'x', 'rx', 'r@', 'r@z', 'xa=1'])('is refused, not guessed, when a grant reads %j', (code) => {
    expect(() => decodeAcl([code])).toThrow('cannot be read by this release');
  });
});

describe('amending an object', () => {
  it('takes two calls and leaves everything else as it was', async () => {
    const { objects, bucket } = await testManifest();
    const userMetadata = { plain: 'value', 'with-dash': 'x' };
    await objects.put(
      { bucket, key: 'k' },
      putOf('one', { attributes: { headers: { contentType: 'a/b' }, userMetadata }, ownerId: 'somebody' }),
      testCall(),
    );
    const before = await objects.find({ bucket, key: 'k' }, testCall());
    const call = testCall();
    await objects.amend({ bucket, key: 'k' }, () => ({ acl: PUBLIC }), call);
    expect(call.facts.backendCalls).toBe(2);
    const { head, bytes, ...after } = await objects.find({ bucket, key: 'k' }, testCall());
    const { head: _head, bytes: _bytes, ...same } = before;
    expect(after).toEqual({ ...same, acl: PUBLIC });
    expect(head.revision).not.toBe(before.head.revision);
    expect(bytes.revision).toBe(head.revision);
  });

  it('changes nothing when told so', async () => {
    const { objects, bucket } = await testManifest();
    await objects.put({ bucket, key: 'k' }, putOf('one'), testCall());
    const before = await objects.find({ bucket, key: 'k' }, testCall());
    await objects.amend({ bucket, key: 'k' }, () => undefined, testCall());
    expect(await objects.find({ bucket, key: 'k' }, testCall())).toEqual(before);
  });

  it('gives a native blob a record that keeps its ETag, time and metadata', async () => {
    const { objects, bucket, store } = await testManifest();
    const ref = { container: 'bucket', name: 'native' };
    await store.write(ref, Buffer.from('bytes'), { metadata: { a: 'b' }, headers: { contentType: 'a/b' } }, testCall());
    const before = await objects.find({ bucket, key: 'native' }, testCall());
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await objects.amend({ bucket, key: 'native' }, () => ({ acl: PUBLIC }), testCall());
    const { etag, mtime, userMetadata, headers, ownerId, acl } = await objects.find(
      { bucket, key: 'native' },
      testCall(),
    );
    expect({ etag, mtime, userMetadata, headers, ownerId }).toEqual({
      etag: before.etag,
      mtime: before.mtime,
      userMetadata: { a: 'b' },
      headers: { contentType: 'a/b' },
      ownerId: before.ownerId,
    });
    expect(acl).toEqual(PUBLIC);
  });

  it('spills a long ACL and finds it again, also when it is amended once more', async () => {
    const { objects, bucket } = await testManifest();
    await objects.put({ bucket, key: 'k' }, putOf('one', { acl: MANY }), testCall());
    expect((await objects.find({ bucket, key: 'k' }, testCall())).acl).toEqual(MANY);
    await objects.amend({ bucket, key: 'k' }, () => ({ acl: MANY.slice(1) }), testCall());
    expect((await objects.find({ bucket, key: 'k' }, testCall())).acl).toEqual(MANY.slice(1));
    await objects.amend({ bucket, key: 'k' }, () => ({ acl: PRIVATE }), testCall());
    expect((await objects.find({ bucket, key: 'k' }, testCall())).acl).toBeUndefined();
  });

  it('refuses what is not there, and what the amendment refuses', async () => {
    const { objects, bucket } = await testManifest();
    await expect(objects.amend({ bucket, key: 'none' }, () => ({ acl: PUBLIC }), testCall())).rejects.toMatchObject({
      code: 'NoSuchKey',
    });
    await objects.put({ bucket, key: 'k' }, putOf('one'), testCall());
    const refuse = (): never => {
      throw new Error('no');
    };
    await expect(objects.amend({ bucket, key: 'k' }, refuse, testCall())).rejects.toThrow('no');
    expect((await objects.find({ bucket, key: 'k' }, testCall())).acl).toBeUndefined();
  });

  it('goes round again when somebody was faster, and is asked about what is there then', async () => {
    const { objects, bucket, faults } = await faulty();
    await objects.put({ bucket, key: 'k' }, putOf('one'), testCall());
    const overwrite = async (): Promise<unknown> =>
      objects.put({ bucket, key: 'k' }, putOf('second', { ownerId: 'new' }), testCall());
    faults.plan = first(1, 'setMetadata', { kind: 'interleave', before: overwrite });
    const asked: string[] = [];
    await objects.amend(
      { bucket, key: 'k' },
      (view) => {
        asked.push(view.ownerId);
        return { acl: PUBLIC };
      },
      testCall(),
    );
    expect(asked).toEqual([bucket.ownerId, 'new']);
    expect(await objects.find({ bucket, key: 'k' }, testCall())).toMatchObject({
      ownerId: 'new',
      size: 6,
      acl: PUBLIC,
    });
  });

  it.each(['loseRequest', 'loseAnswer'] as const)('ends well after %s', async (kind) => {
    const { objects, bucket, faults } = await faulty();
    await objects.put({ bucket, key: 'k' }, putOf('one'), testCall());
    faults.plan = first(1, 'setMetadata', { kind });
    await objects.amend({ bucket, key: 'k' }, () => ({ acl: PUBLIC }), testCall());
    expect((await objects.find({ bucket, key: 'k' }, testCall())).acl).toEqual(PUBLIC);
  });
});

describe('amending a bucket', () => {
  const makePublic: BucketAmendment = (record) => (isSameAcl(record.acl, PUBLIC) ? record : { ...record, acl: PUBLIC });

  it('is seen at once, and keeps the rest of the record', async () => {
    const { buckets, bucket } = await testManifest({ cacheMs: 60_000 });
    await buckets.amend(bucket, makePublic, testCall());
    const { acl, settings, recordRevision, ...rest } = await buckets.get('bucket', testCall());
    const { recordRevision: before, settings: _none, ...same } = bucket;
    expect(rest).toEqual(same);
    expect([acl, settings]).toEqual([PUBLIC, { acl: PUBLIC }]);
    expect(recordRevision).not.toBe(before);
  });

  it('does not write when nothing changes', async () => {
    const { buckets, bucket } = await testManifest();
    await buckets.amend(bucket, (record) => record, testCall());
    expect(await buckets.get('bucket', testCall())).toEqual(bucket);
  });

  it('of many at the same time loses none', async () => {
    const { buckets, bucket } = await testManifest();
    const add =
      (i: number): BucketAmendment =>
      (record) => ({ ...record, acl: [...(record.acl ?? []), ...MANY.slice(i, i + 1)] });
    await Promise.all(Array.from({ length: 8 }, (_, i) => buckets.amend(bucket, add(i), testCall())));
    expect((await buckets.get('bucket', testCall())).acl).toHaveLength(8);
  });

  it('gives a container of native tools a record; it stays the same bucket', async () => {
    const { buckets, store } = await testManifest();
    await store.createContainer('native-one', {}, testCall());
    const native = await buckets.get('native-one', testCall());
    await buckets.amend(native, makePublic, testCall());
    const { uid, ownerId, acl, recordRevision } = await buckets.get('native-one', testCall());
    expect({ uid, ownerId, acl }).toEqual({ uid: native.uid, ownerId: native.ownerId, acl: PUBLIC });
    expect(recordRevision).toBeDefined();
  });

  it.each(['loseRequest', 'loseAnswer'] as const)('ends well after %s', async (kind) => {
    const { buckets, bucket, faults } = await faulty();
    faults.plan = first(1, 'write', { kind });
    await buckets.amend(bucket, makePublic, testCall());
    expect((await buckets.get('bucket', testCall())).acl).toEqual(PUBLIC);
  });

  it('refuses a bucket that is gone or is another one now', async () => {
    const { buckets, bucket } = await testManifest();
    await buckets.delete(bucket, async () => true, testCall());
    await expect(buckets.amend(bucket, makePublic, testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
    await buckets.create({ name: 'bucket', ownerId: bucket.ownerId }, testCall());
    await expect(buckets.amend(bucket, makePublic, testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
    expect((await buckets.get('bucket', testCall())).acl).toBeUndefined();
  });
});
