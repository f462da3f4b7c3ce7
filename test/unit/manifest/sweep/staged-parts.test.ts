import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGcsStore } from '../../../../adapters/gcs/index.ts';
import { startGcsDouble } from '../../../../adapters/doubles/index.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { sweep } from '../../../../src/manifest/sweep/sweep.ts';
import { SWEEP_DEFAULTS } from '../../../../src/manifest/sweep/sweep-run.ts';
import { type Uploads, createUploads } from '../../../../src/manifest/uploads/uploads.ts';
import type { UploadTarget } from '../../../../src/manifest/uploads/upload-find.ts';
import { stagingRef, uploadRef } from '../../../../src/manifest/records/upload-names.ts';
import type { ListedPart } from '../../../../src/manifest/uploads/upload-plan.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import { OWNER, type TestManifest, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { md5Of } from '../upload-fixture.ts';
import { findings } from './sweep-fixture.ts';

const HOUR = 3_600_000;

let double: Awaited<ReturnType<typeof startGcsDouble>>;
let store: BlobStore;
let world: TestManifest;
let uploads: Uploads;

beforeEach(async () => {
  double = await startGcsDouble();
  store = createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' } });
  world = await testManifest({ store });
  uploads = createUploads({ clock: createClock(), settler: world.settler, objects: world.objects, minPartSize: 4 });
});
afterEach(async () => {
  await world.settler.idle();
  await store.close();
  await double.stop();
});

async function started(key: string): Promise<UploadTarget> {
  const attributes = { headers: {}, userMetadata: {} };
  return uploads.create({ bucket: world.bucket, key }, { ownerId: OWNER, attributes }, testCall());
}

async function part(target: UploadTarget, number: number, text: string): Promise<ListedPart> {
  const body = Buffer.from(text);
  const { etag } = await uploads.putPart(
    await uploads.find(target, testCall()),
    { number, body, facts: { md5: md5Of(body) } },
    testCall(),
  );
  return { number, etag, checksums: {} };
}

async function complete(target: UploadTarget, parts: readonly ListedPart[]): Promise<void> {
  const request = {
    parts,
    expected: {},
    conditions: {},
    beforeAssembly: () => undefined,
    beforePublication: async () => undefined,
  };
  await uploads.complete(target, request, testCall());
  await world.settler.idle();
}

/** How many parts lie there for each. */
async function staged(...targets: UploadTarget[]): Promise<number[]> {
  const { prefixOf } = store.staged ?? { prefixOf: () => '' };
  const pages = targets.map((target) =>
    store.list('system', { prefix: prefixOf(stagingRef(target)), limit: 100 }, testCall()),
  );
  return (await Promise.all(pages)).map(({ entries }) => entries.length);
}

async function sweptAfter(hours: number): Promise<unknown> {
  const now = (): number => Date.now() + hours * HOUR;
  return findings(
    await sweep({ realm: world.realm, backends: world.realm.backends, settings: SWEEP_DEFAULTS, now }, testCall()),
  );
}

describe('parts that a service keeps as blobs', () => {
  it('of open uploads stay, however old; of crashed processes, and late ones, they go past the grace', async () => {
    const open = await started('a'.repeat(1000)); // its names are cut
    const listed = [await part(open, 1, 'part'), await part(open, 2, 'end')];
    const crashed = await started('crashed');
    await part(crashed, 1, 'lost');
    await store.remove(uploadRef(crashed), undefined, testCall());
    const done = await started('done');
    await complete(done, [await part(done, 1, 'part')]);
    await store.stagePart(stagingRef(done), Buffer.from('late'), {}, testCall());
    const nobodys: UploadTarget = { bucket: world.bucket, key: 'nobody', uploadId: crashed.uploadId };
    await store.stagePart(stagingRef(nobodys), Buffer.from('stray'), {}, testCall());
    const all = [open, crashed, done, nobodys];
    expect(await staged(...all)).toEqual([2, 1, 1, 1]);

    await sweptAfter(23);
    expect(await staged(...all)).toEqual([2, 1, 1, 1]);
    expect(await sweptAfter(25)).toMatchObject({ staged: 3 });
    expect(await staged(...all)).toEqual([2, 0, 0, 0]);
    await complete(open, listed);
    const { body } = await world.objects.open({ bucket: world.bucket, key: open.key }, {}, testCall());
    expect((await readAll(body)).toString()).toBe('partend');
  });

  it('none goes while a record of an upload cannot be read: they may be its', async () => {
    const crashed = await started('crashed');
    await part(crashed, 1, 'lost');
    const ref = uploadRef(crashed);
    await store.remove(ref, undefined, testCall());
    await store.write(
      { ...ref, name: `u/${world.bucket.uid}/what this is nobody knows` },
      Buffer.from(''),
      { metadata: {} },
      testCall(),
    );
    await sweptAfter(25);
    expect(await staged(crashed)).toEqual([1]);
  });
});
