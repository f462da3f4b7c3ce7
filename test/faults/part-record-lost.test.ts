import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultPlan, withFaults } from '../../adapters/doubles/faults.ts';
import { createRealm } from '../../src/main/bucket-rules.ts';
import { type OpenManifest, openManifest } from '../../src/main/manifest.ts';
import type { Bucket } from '../../src/manifest/records/bucket.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { readAll } from '../../src/streams/bytes.ts';
import { BACKENDS, startCloud } from '../support/backends/clouds.ts';
import { SILENT } from '../support/silent-log.ts';
import { testCall } from '../support/test-call.ts';

/*
 * The record of a part was written and the answer lost; before it is sent again somebody completes the upload with it.
 * The repetition finds no upload any more, and frees what it staged: which must not be what the object is made of.
 */
const OWNER = 'o'.repeat(64);
const FIRST = Buffer.alloc(5 * 1024 * 1024, 'first');
const LAST = Buffer.from('last');
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

describe.each(BACKENDS)('a part whose record was lost and taken: %s', (name) => {
  let manifest: OpenManifest;
  let bucket: Bucket;
  let plan: FaultPlan;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    plan = () => undefined;
    const cloud = await startCloud(name);
    const inner = cloud.open();
    const store = withFaults(inner, (call) => plan(call));
    const background = new AbortController();
    manifest = openManifest({
      realm: createRealm([{ name: 'test', store, systemContainer: 'system', ownerId: OWNER }], [], undefined),
      bucketCacheMs: 20,
      log: SILENT,
      signal: background.signal,
    });
    await manifest.buckets.create({ name: 'bucket', ownerId: OWNER }, testCall());
    bucket = await manifest.buckets.get('bucket', testCall());
    stop = async () => {
      await manifest.settler.close();
      background.abort();
      await inner.close();
      await cloud.stop();
    };
  }, 120_000);

  afterEach(() => stop());

  const text = async (versionId?: string): Promise<Buffer> => {
    const { body } = await manifest.objects.open({ bucket, key: 'k', versionId }, {}, testCall());
    return readAll(body);
  };

  it.each([
    ['never versioned, not settled yet', false, false],
    ['never versioned, settled', false, true],
    ['versioned', true, true],
  ])('%s: what was completed can be read', { timeout: 60_000 }, async (_, versioned, settles) => {
    if (versioned) {
      await manifest.buckets.setVersioning(bucket, 'enabled', testCall());
      bucket = await manifest.buckets.latest(bucket, testCall());
    }
    const { uploads } = manifest;
    const attributes = { headers: {}, userMetadata: {} };
    const target = await uploads.create({ bucket, key: 'k' }, { attributes, ownerId: OWNER }, testCall());
    const upload = await uploads.find(target, testCall());
    const send = (number: number, body: Buffer): Promise<{ etag: string }> =>
      uploads.putPart(upload, { number, body, facts: { md5: md5(body) } }, testCall());
    await send(1, FIRST);
    let versionId: string | undefined;
    const complete = async (): Promise<void> => {
      // Settling copies to the key: where it must not, the object stays where its parts were assembled.
      plan = ({ method }) => (method === 'copy' && !settles ? { kind: 'fail' } : undefined);
      const parts = [FIRST, LAST].map((body, index) => ({ number: index + 1, etag: md5(body), checksums: {} }));
      const before = { beforeAssembly: () => undefined, beforePublication: async () => undefined };
      ({ versionId } = await uploads.complete(target, { parts, expected: {}, conditions: {}, ...before }, testCall()));
      if (settles) await manifest.settler.idle();
      // What the repetition of the copy is answered.
      throw new StoreError('sourceNotFound', { call: 'copy' });
    };
    plan = ({ method }) => (method === 'copy' ? { kind: 'interleave', after: complete } : undefined);
    await expect(send(2, LAST)).rejects.toMatchObject({ code: 'NoSuchUpload' });
    const whole = Buffer.concat([FIRST, LAST]);
    expect((await text()).equals(whole)).toBe(true);
    plan = () => undefined;
    await manifest.settler.idle();
    expect((await text()).equals(whole)).toBe(true);
    expect(versionId === 'null').toBe(!versioned);
    if (!versioned) return;
    // Below another one, the version is read from its own blob.
    const request = { body: LAST, attributes, ownerId: OWNER, conditions: {} };
    await manifest.objects.put({ bucket, key: 'k' }, request, testCall());
    await manifest.settler.idle();
    expect((await text(versionId)).equals(whole)).toBe(true);
    expect((await text()).equals(LAST)).toBe(true);
  });
});
