import { describe, expect, it } from 'vitest';
import { readHead } from '../../../../src/manifest/heads/object-read.ts';
import { settle } from '../../../../src/manifest/versions/settle.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture } from '../upload-fixture.ts';

const SMALL = 'small';
const LARGE = 'larger than one copy '.repeat(250);
/** Between the two. */
const capabilities = { maxCopy: 4000 };

async function open(): Promise<UploadFixture> {
  return UploadFixture.open({ capabilities });
}

async function copy(world: UploadFixture, from: string, to: string): Promise<unknown> {
  const view = await world.objects.find({ bucket: world.bucket, key: from }, testCall());
  const attributes = { headers: { contentType: 'text/y' }, userMetadata: { colour: 'red' } };
  const source = { bucket: world.bucket, view };
  return world.objects.copy(
    { bucket: world.bucket, key: to },
    { source, sameAttributes: false, attributes, ownerId: 'me', conditions: {} },
    testCall(),
  );
}

async function kindOf(world: UploadFixture, key: string): Promise<string | undefined> {
  return (await readHead({ bucket: world.bucket, key }, testCall()))?.record?.kind;
}

describe('an object that the service cannot copy in one call', () => {
  it('stays where its parts were assembled, and is read, copied, replaced and deleted as any other', async () => {
    const world = await open();
    const { target, parts } = await world.started('k', LARGE.slice(0, 8), LARGE.slice(8));
    const { etag } = await world.complete(target, parts);
    await world.idle();
    expect([await kindOf(world, 'k'), await world.text('k')]).toEqual(['assembled', LARGE]);

    world.calls.length = 0;
    await settle({ bucket: world.bucket, key: 'k' }, testCall());
    expect(world.calls.map(({ method }) => method)).toEqual(['head']);
    await world.text('k');
    await world.idle();
    expect(world.calls.filter(({ method }) => method === 'copy')).toEqual([]);

    await copy(world, 'k', 'copy');
    await world.idle();
    expect([await kindOf(world, 'copy'), await world.text('copy')]).toEqual(['assembled', LARGE]);
    const view = await world.objects.find({ bucket: world.bucket, key: 'copy' }, testCall());
    expect(view).toMatchObject({
      etag,
      size: LARGE.length,
      headers: { contentType: 'text/y' },
      userMetadata: { colour: 'red' },
    });
    await copy(world, 'copy', 'copy');
    await world.idle();
    expect(await world.text('copy')).toBe(LARGE);

    await world.put('copy', SMALL);
    await world.objects.remove({ bucket: world.bucket, key: 'k' }, { conditions: {}, ownerId: 'me' }, testCall());
    await world.idle();
    expect([await world.text('k'), await world.text('copy'), await kindOf(world, 'copy')]).toEqual([
      undefined,
      SMALL,
      'inline',
    ]);
  });

  it('becomes a version of its own when versioning is turned on, and is promoted again', async () => {
    const world = await open();
    const { target, parts } = await world.started('k', LARGE.slice(0, 8), LARGE.slice(8));
    await world.complete(target, parts);
    world.bucket = { ...world.bucket, versioning: 'enabled' };
    const { versionId } = (await world.put('k', SMALL)) as { versionId: string };
    const remove = (id: string): Promise<unknown> =>
      world.objects.remove(
        { bucket: world.bucket, key: 'k', versionId: id },
        { conditions: {}, ownerId: 'me' },
        testCall(),
      );
    expect(await world.text('k')).toBe(SMALL);
    await remove(versionId);
    expect(await world.text('k')).toBe(LARGE);
    await remove('null');
    await world.idle();
    expect([await world.text('k'), await world.names('v/')]).toEqual([undefined, []]);
  });

  it('is moved to a version of its own in parts, when it was native', async () => {
    const world = await open();
    await world.put('k', LARGE);
    world.bucket = { ...world.bucket, versioning: 'enabled' };
    await world.put('k', SMALL);
    const { body } = await world.objects.open({ bucket: world.bucket, key: 'k', versionId: 'null' }, {}, testCall());
    expect([await world.text('k'), body.size]).toEqual([SMALL, LARGE.length]);
  });

  it('copies of small ones go to the key at once', async () => {
    const world = await open();
    await world.put('k', SMALL);
    await copy(world, 'k', 'copy');
    expect([await kindOf(world, 'copy'), await world.text('copy')]).toEqual(['inline', SMALL]);
  });
});
