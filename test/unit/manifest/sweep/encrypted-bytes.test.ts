import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fault, PlannedCall } from '../../../../adapters/doubles/faults.ts';
import { encryptedBy } from '../../../../src/manifest/heads/keep-apart.ts';
import type { UploadTarget } from '../../../../src/manifest/records/upload-names.ts';
import { hasProblems } from '../../../../src/manifest/sweep/sweep-report.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { CustomerKey } from '../../../../src/store/customer-key.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import { testCall } from '../../../support/test-call.ts';
import { codeOf, OWNER } from '../upload-fixture.ts';
import { SweepFixture } from './sweep-fixture.ts';

const KEY = new CustomerKey(randomBytes(32));
/** Beyond the grace of a day. */
const LATER = 30;
/** Of parts but the last. */
const LEAST_PART = 5 * 1024 * 1024;
/** Longer than names of blobs may be, so that the names of its pieces are cut. */
const LONG = 'k'.repeat(1000);

function bytesOf(text: string, isLast: boolean): Buffer {
  return isLast ? Buffer.from(text) : Buffer.concat([Buffer.from(text), Buffer.alloc(LEAST_PART, '.')]);
}

describe('encrypted bytes under the broom', () => {
  let fixture: SweepFixture;

  beforeEach(async () => {
    fixture = await SweepFixture.open();
  });

  afterEach(() => vi.useRealTimers());

  async function put(text: string, key = 'k'): Promise<string> {
    const attributes = { headers: {}, userMetadata: {} };
    const keepApart = { kind: 'customer', key: KEY } as const;
    const request = { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {}, keepApart };
    return (await fixture.gateway.objects.put({ bucket: fixture.bucket, key }, request, testCall())).versionId;
  }

  async function read(versionId?: string, key = 'k'): Promise<string> {
    const { bucket } = fixture;
    const view = await fixture.gateway.objects.find({ bucket, key, versionId }, testCall());
    return String(await readAll(await fixture.gateway.objects.openView(bucket, view, { key: KEY }, testCall())));
  }

  const pieces = (): Promise<string[]> => fixture.gateway.names('e/');

  it.each(['k', LONG])('what an object refers to stays, and what was overwritten goes (%#)', async (key) => {
    await put('first', key);
    await put('second', key);
    const before = await pieces();
    await fixture.sweep();
    expect(await pieces()).toEqual(before);
    fixture.advance(LATER);
    const report = await fixture.sweep();
    expect(report.backends[0]?.buckets[0]?.problems).toEqual([]);
    expect((await pieces()).length).toBe(before.length / 2);
    expect(await read(undefined, key)).toBe('second');
    fixture.advance(LATER);
    await fixture.sweep();
    expect(await read(undefined, key)).toBe('second');
  });

  it('what versions refer to stays, current or not', async () => {
    await put('null');
    await fixture.version('enabled');
    const first = await put('first');
    const second = await put('second');
    await fixture.put('plain');
    fixture.advance(LATER);
    await fixture.sweep();
    expect(await read('null')).toBe('null');
    expect(await read(first)).toBe('first');
    expect(await read(second)).toBe('second');
    expect((await pieces()).length).toBe(3);
  });

  it('a dry run removes nothing', async () => {
    await put('first');
    await fixture.put('plain');
    fixture.advance(LATER);
    const report = await fixture.sweep({ dryRun: true });
    expect(report.backends[0]?.buckets[0]?.counts.pieces?.found).toBe(1);
    expect((await pieces()).length).toBe(1);
    await fixture.sweep();
    expect(await pieces()).toEqual([]);
  });
});

describe('encrypted parts under the broom', () => {
  let fixture: SweepFixture;

  beforeEach(async () => {
    fixture = await SweepFixture.open();
  });

  afterEach(() => vi.useRealTimers());

  const keepApart = { kind: 'customer', key: KEY } as const;
  const attributes = { headers: {}, userMetadata: {} };
  const pieces = (): Promise<string[]> => fixture.gateway.names('e/');

  /** An upload with parts of these texts, long enough for the service but for the last. */
  async function begin(
    key: string,
    texts: readonly string[],
  ): Promise<{ target: UploadTarget; complete(): Promise<void> }> {
    const { bucket, gateway } = fixture;
    const { uploads } = gateway;
    const creation = { attributes, ownerId: OWNER, encryption: encryptedBy(keepApart) };
    const target = await uploads.create({ bucket, key }, creation, testCall());
    const upload = await uploads.find(target, testCall());
    const parts = texts.map(async (text, index) => {
      const body = bytesOf(text, index === texts.length - 1);
      const part = { number: index + 1, body, facts: { md5: '0'.repeat(32) }, keepApart };
      const { etag } = await uploads.putPart(upload, part, testCall());
      return { number: index + 1, etag, checksums: {} };
    });
    const sent = await Promise.all(parts);
    const before = { beforeAssembly: () => undefined, beforePublication: async () => undefined };
    const complete = async (): Promise<void> => {
      await uploads.complete(target, { parts: sent, expected: {}, conditions: {}, ...before }, testCall());
    };
    return { target, complete };
  }

  async function store(text: string, key: string): Promise<void> {
    const { bucket, gateway } = fixture;
    const request = { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {}, keepApart };
    await gateway.objects.put({ bucket, key }, request, testCall());
  }

  /** Without what parts were filled up with. */
  async function read(key: string): Promise<string> {
    const { bucket, gateway } = fixture;
    const view = await gateway.objects.find({ bucket, key, versionId: undefined }, testCall());
    const bytes = await readAll(await gateway.objects.openView(bucket, view, { key: KEY }, testCall()));
    return bytes.toString().replaceAll('.', '');
  }

  it('stay as long as the upload is open, and go but for those that were completed', async () => {
    const { bucket } = fixture;
    const { uploads, objects } = fixture.gateway;
    const keepApart = { kind: 'customer', key: KEY } as const;
    const attributes = { headers: {}, userMetadata: {} };
    const encryption = encryptedBy(keepApart);
    const target = await uploads.create({ bucket, key: 'k' }, { attributes, ownerId: OWNER, encryption }, testCall());
    const upload = await uploads.find(target, testCall());
    const part = async (text: string): Promise<string> => {
      const body = Buffer.from(text);
      return (await uploads.putPart(upload, { number: 1, body, facts: { md5: '0'.repeat(32) }, keepApart }, testCall()))
        .etag;
    };
    await part('replaced');
    const etag = await part('kept');
    fixture.advance(LATER);
    await fixture.sweep();
    expect((await fixture.gateway.names('e/')).length).toBe(2);
    const parts = [{ number: 1, etag, checksums: {} }];
    const before = { beforeAssembly: () => undefined, beforePublication: async () => undefined };
    await uploads.complete(target, { parts, expected: {}, conditions: {}, ...before }, testCall());
    await fixture.gateway.idle();
    fixture.advance(LATER);
    await fixture.sweep();
    expect((await fixture.gateway.names('e/')).length).toBe(1);
    const view = await objects.find({ bucket, key: 'k', versionId: undefined }, testCall());
    expect(String(await readAll(await objects.openView(bucket, view, { key: KEY }, testCall())))).toBe('kept');
  });

  it('stay when the answer about a part was lost, its upload completed, and the repetition refused', async () => {
    const { bucket, gateway } = fixture;
    const { uploads, objects } = gateway;
    const keepApart = { kind: 'customer', key: KEY } as const;
    const creation = {
      attributes: { headers: {}, userMetadata: {} },
      ownerId: OWNER,
      encryption: encryptedBy(keepApart),
    };
    const target = await uploads.create({ bucket, key: 'k' }, creation, testCall());
    const upload = await uploads.find(target, testCall());
    const send = (): Promise<{ etag: string }> =>
      uploads.putPart(
        upload,
        { number: 1, body: Buffer.from('bytes'), facts: { md5: '0'.repeat(32) }, keepApart },
        testCall(),
      );
    const { etag } = await send();
    const complete = async (): Promise<void> => {
      gateway.plan = () => undefined;
      const before = { beforeAssembly: () => undefined, beforePublication: async () => undefined };
      const parts = [{ number: 1, etag, checksums: {} }];
      await uploads.complete(target, { parts, expected: {}, conditions: {}, ...before }, testCall());
      throw new StoreError('sourceNotFound', { call: 'copy' });
    };
    gateway.plan = ({ method }) => (method === 'copy' ? { kind: 'interleave', after: complete } : undefined);
    await expect(send()).rejects.toMatchObject({ code: 'NoSuchUpload' });
    await gateway.idle();
    const view = await objects.find({ bucket, key: 'k', versionId: undefined }, testCall());
    expect(String(await readAll(await objects.openView(bucket, view, { key: KEY }, testCall())))).toBe('bytes');
  });

  it.each([
    ['and nobody asks again', 0],
    ['and it is asked again', 1],
    ['and it is asked again, in vain at first', 2],
  ])('go when an Abort could not read whether its upload was completed, %s', async (_, repetitions) => {
    const { gateway } = fixture;
    await store('object', 'o');
    const completed = await begin('k', ['c1', 'c2']);
    await completed.complete();
    await gateway.idle();
    const open = await begin('k', ['p1', 'p2']);
    const others = await pieces();
    const { target } = await begin('k', ['a1', 'a2']);
    const own = (await pieces()).filter((name) => !others.includes(name));
    expect(own).toHaveLength(2);
    const unreadable = ({ ref }: PlannedCall): Fault | undefined =>
      ref.name === `c/${target.uploadId}` ? { kind: 'fail' } : undefined;
    gateway.plan = unreadable;
    await expect(gateway.uploads.abort(target, testCall())).rejects.toMatchObject({ kind: 'unavailable' });
    for (let again = 1; again <= repetitions; again += 1) {
      if (again === repetitions) gateway.plan = () => undefined;
      await gateway.uploads.abort(target, testCall()).catch(() => undefined);
    }
    gateway.plan = () => undefined;
    expect(await codeOf(gateway.uploads.find(target, testCall()))).toBe('NoSuchUpload');
    // Nobody could tell whether an object is made of them.
    expect(await pieces()).toEqual(expect.arrayContaining(own));
    await fixture.sweep();
    expect(await pieces()).toEqual(expect.arrayContaining(own));
    for (let round = 0; round < 2; round += 1) {
      fixture.advance(LATER);
      expect(hasProblems(await fixture.sweep())).toBe(false);
      expect(await pieces()).toEqual(others);
    }
    expect([await read('o'), await read('k')]).toEqual(['object', 'c1c2']);
    await open.complete();
    expect(await read('k')).toBe('p1p2');
  });

  it('stay when the upload of an Abort that could not read its note had been completed', async () => {
    const { gateway } = fixture;
    const { target, complete } = await begin('k', ['c1', 'c2']);
    // The object is made; what stands for the upload is not cleared away, as if the process had died.
    gateway.plan = ({ method }) => (method === 'remove' || method === 'removeMany' ? { kind: 'fail' } : undefined);
    await complete().catch(() => undefined);
    gateway.plan = ({ ref }) => (ref.name === `c/${target.uploadId}` ? { kind: 'fail' } : undefined);
    await gateway.uploads.abort(target, testCall()).catch(() => undefined);
    gateway.plan = () => undefined;
    await gateway.uploads.abort(target, testCall()).catch(() => undefined);
    await gateway.idle();
    for (let round = 0; round < 3; round += 1) {
      expect(await read('k')).toBe('c1c2');
      fixture.advance(LATER);
      await fixture.sweep();
    }
    expect(await read('k')).toBe('c1c2');
  });
});
