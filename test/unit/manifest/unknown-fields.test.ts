import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { headPlace } from '../../../src/manifest/records/names.ts';
import { versionRef } from '../../../src/manifest/records/version-names.ts';
import { versionOfUpload } from '../../../src/manifest/records/upload-id.ts';
import { readClaim, replaceClaim } from '../../../src/manifest/versions/upload-claim.ts';
import { settle } from '../../../src/manifest/versions/settle.ts';
import { type BlobRef, ABSENT, at } from '../../../src/store/blob-store.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { testCall } from '../../support/test-call.ts';
import { OWNER, UploadFixture } from './upload-fixture.ts';

/** What a later release may say that this one does not know. */
const LATER = { a: [1, 'ä'] };
const KEY = 'k';

let fixture: UploadFixture;

beforeEach(async () => {
  fixture = await UploadFixture.open({ settling: false, discarding: false });
});

function versioned(): Bucket {
  return { ...fixture.bucket, versioning: 'enabled' };
}

function headRef(): BlobRef {
  return headPlace({ bucket: fixture.bucket, key: KEY }).ref;
}

function ownRef(token: string): BlobRef {
  return versionRef({ bucket: fixture.bucket, key: KEY }, token);
}

async function recordAt(ref: BlobRef, entry = 's3gw'): Promise<Record<string, unknown>> {
  const { metadata } = await fixture.memory.head(ref, testCall());
  return JSON.parse(metadata[entry] ?? '{}') as Record<string, unknown>;
}

/** Writes the blob's record as a later release would have. */
async function extend(ref: BlobRef, entry = 's3gw'): Promise<void> {
  const { metadata, revision } = await fixture.memory.head(ref, testCall());
  const extended = JSON.stringify({ ...(await recordAt(ref, entry)), zz: LATER }).replace('ä', '\\u00e4');
  await fixture.memory.setMetadata(ref, { ...metadata, [entry]: extended }, at(revision), testCall());
}

/** @returns version id */
async function put(bucket: Bucket, more: { readonly userMetadata?: Record<string, string> } = {}): Promise<string> {
  const attributes = { headers: {}, userMetadata: {}, ...more };
  return (
    await fixture.objects.put(
      { bucket, key: KEY },
      { body: Buffer.from('body'), attributes, ownerId: OWNER, conditions: {} },
      testCall(),
    )
  ).versionId;
}

async function amend(bucket: Bucket, versionId?: string, value = 'v'): Promise<void> {
  await fixture.objects.amend({ bucket, key: KEY, versionId }, () => ({ tags: [{ key: 't', value }] }), testCall());
}

async function remove(bucket: Bucket, versionId: string): Promise<void> {
  await fixture.objects.remove({ bucket, key: KEY, versionId }, { conditions: {}, ownerId: OWNER }, testCall());
}

/** A multipart object whose bytes have not been moved to the key. @returns the token of its private blob */
async function multipart(): Promise<string> {
  const { target, parts } = await fixture.started(KEY, 'data');
  await fixture.complete(target, parts);
  return versionOfUpload(target.uploadId);
}

describe('a field that this release does not know survives', () => {
  it("a change of the head's record", async () => {
    await put(fixture.bucket);
    await extend(headRef());
    await amend(fixture.bucket);
    expect(await recordAt(headRef())).toMatchObject({ zz: LATER, tg: [['t', 'v']] });
  });

  it('a change of a version', async () => {
    const id = await put(versioned());
    await extend(ownRef(id));
    await amend(versioned(), id);
    expect(await recordAt(ownRef(id))).toMatchObject({ zz: LATER, tg: [['t', 'v']] });
  });

  it('the null version moving to a blob of its own', async () => {
    await put(fixture.bucket);
    await extend(headRef());
    await put(versioned());
    const { nv } = await recordAt(headRef());
    expect(await recordAt(ownRef(String(nv)))).toMatchObject({ zz: LATER, u: 1 });
  });

  it('the stamp of a version that is displaced, taken from the head', async () => {
    const id = await put(versioned());
    await extend(headRef());
    await fixture.objects.find({ bucket: versioned(), key: KEY }, testCall());
    await put(versioned());
    expect(await recordAt(ownRef(id))).toMatchObject({ zz: LATER, st: 1 });
  });

  it('the stamp of a version that has changed since the head was written', async () => {
    const id = await put(versioned());
    await extend(ownRef(id));
    await put(versioned());
    expect(await recordAt(ownRef(id))).toMatchObject({ zz: LATER, st: 1 });
  });

  it('the bytes moving to the key', async () => {
    await multipart();
    await extend(headRef());
    await settle({ bucket: fixture.bucket, key: KEY }, testCall());
    const record = await recordAt(headRef());
    expect(record).toMatchObject({ zz: LATER });
    expect(record).not.toHaveProperty('k');
  });

  it('the record moving to the blob that has the bytes', async () => {
    const token = await multipart();
    await extend(headRef());
    await put(versioned());
    expect(await recordAt(ownRef(token))).toMatchObject({ zz: LATER, u: 1 });
  });

  it('a version that comes below the head', async () => {
    fixture.bucket = versioned();
    await put(fixture.bucket);
    const { target, parts } = await fixture.started(KEY, 'data');
    await put(fixture.bucket);
    await extend(headRef());
    await fixture.complete(target, parts);
    expect(await recordAt(headRef())).toMatchObject({ zz: LATER, ad: [versionOfUpload(target.uploadId)] });
  });

  it('the deletion of another version', async () => {
    const old = await put(versioned());
    await put(versioned());
    await extend(headRef());
    await remove(versioned(), old);
    expect(await recordAt(headRef())).toMatchObject({ zz: LATER, d: [old] });
  });

  it('becoming the current version again', async () => {
    const old = await put(versioned());
    const young = await put(versioned());
    await extend(ownRef(old));
    await remove(versioned(), young);
    expect(await recordAt(headRef())).toMatchObject({ zz: LATER, b: old, k: 'l' });
  });

  it('a record that grows too large for the metadata', async () => {
    const userMetadata = Object.fromEntries(Array.from({ length: 44 }, (_, i) => [`odd-${i}`, 'x'.repeat(150)]));
    await put(fixture.bucket, { userMetadata });
    await extend(headRef());
    await amend(fixture.bucket, undefined, 'y'.repeat(1000));
    expect(await recordAt(headRef())).toMatchObject({ zz: LATER, ov: expect.any(String) as string });
  });

  it('on the overflow blob, where it stays', async () => {
    const userMetadata = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`odd-${i}`, 'x'.repeat(150)]));
    await put(fixture.bucket, { userMetadata });
    await extendOverflow();
    await amend(fixture.bucket);
    const { ov, zz } = await recordAt(headRef());
    expect(zz).toBeUndefined();
    expect(await overflow(String(ov))).toMatchObject({ zz: LATER, tg: [['t', 'v']] });
  });

  it("a change of an upload's claim", async () => {
    const { target, parts } = await fixture.started(KEY, 'data');
    await fixture.complete(target, parts);
    await extend(ownRef(versionOfUpload(target.uploadId)), 's3up');
    const stored = await readClaim(target, testCall());
    if (stored === undefined || stored.claim.kind === 'abort') throw new Error('no claim');
    await replaceClaim(target, stored, { ...stored.claim, kind: 'gone' }, testCall());
    expect(await recordAt(ownRef(versionOfUpload(target.uploadId)), 's3up')).toMatchObject({ zz: LATER, s: 'gone' });
  });

  it('a change of a bucket', async () => {
    const ref = { container: 'system', name: 'b/bucket' };
    const read = (): Promise<Record<string, unknown>> => jsonAt(ref);
    const { metadata, revision } = await fixture.memory.head(ref, testCall());
    const record = { ...(await read()), zz: LATER };
    await fixture.memory.write(
      ref,
      Buffer.from(JSON.stringify(record)),
      { metadata, condition: at(revision) },
      testCall(),
    );
    await fixture.buckets.amend(
      fixture.bucket,
      (settings) => ({ ...settings, tags: [{ key: 't', value: 'v' }] }),
      testCall(),
    );
    expect(await read()).toMatchObject({ zz: LATER, settings: { tags: [{ key: 't', value: 'v' }] } });
  });
});

function overflow(sha256: string): Promise<Record<string, unknown>> {
  return jsonAt({ container: 'system', name: `o/${sha256}` });
}

async function jsonAt(ref: BlobRef): Promise<Record<string, unknown>> {
  const { body } = await fixture.memory.read(ref, {}, testCall());
  return JSON.parse((await readAll(body)).toString()) as Record<string, unknown>;
}

async function extendOverflow(): Promise<void> {
  const record = await recordAt(headRef());
  const bytes = Buffer.from(JSON.stringify({ ...(await overflow(String(record['ov']))), zz: LATER }));
  const ov = createHash('sha256').update(bytes).digest('hex');
  await fixture.memory.write(
    { container: 'system', name: `o/${ov}` },
    bytes,
    { metadata: {}, condition: ABSENT },
    testCall(),
  );
  const { metadata, revision } = await fixture.memory.head(headRef(), testCall());
  await fixture.memory.setMetadata(
    headRef(),
    { ...metadata, s3gw: JSON.stringify({ ...record, ov }) },
    at(revision),
    testCall(),
  );
}
