import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fault } from '../../../../adapters/doubles/faults.ts';
import { testCall } from '../../../support/test-call.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { type UploadFixture, codeOf } from '../upload-fixture.ts';

const PARTS = 'the parts';
const LATE_MS = 40;

type Upload = Awaited<ReturnType<UploadFixture['started']>>;

/** An upload whose Complete met this at the write of the head, and was not heard of again. */
async function unheardOf(world: SweepFixture, fault: Fault): Promise<Upload> {
  const { gateway } = world;
  const upload = await gateway.started('k', PARTS);
  gateway.plan = ({ method, ref }) => (method === 'write' && ref.name === 'k' ? fault : undefined);
  expect(await codeOf(gateway.complete(upload.target, upload.parts))).toBe('unavailable');
  gateway.plan = () => undefined;
  return upload;
}

describe('Abort after a Complete that was not heard of again', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['never', 'Suspended', 'Enabled'] as const)(
    'leaves what a head that lands late names, versioning %s',
    async (versioning) => {
      const world = await SweepFixture.open({ settling: false });
      const { gateway } = world;
      if (versioning !== 'never') await world.version(versioning === 'Enabled' ? 'enabled' : 'suspended');
      const { target } = await unheardOf(world, { kind: 'loseAnswer', lateBy: LATE_MS });
      expect(await codeOf(gateway.uploads.abort(target, testCall()))).toBe('OperationAborted');
      world.advance(0.6);
      expect(await codeOf(gateway.uploads.abort(target, testCall()))).toBe('ok');
      expect(await codeOf(gateway.uploads.abort(target, testCall()))).toBe('NoSuchUpload');
      expect([await gateway.openUploads(), await gateway.names('u/', 'p/')]).toEqual([[], []]);

      await delay(2 * LATE_MS);
      expect(await gateway.text('k')).toBe(PARTS);
      world.advance(30);
      await world.sweep();
      expect(await gateway.text('k')).toBe(PARTS);
      await world.put('next');
      expect(await gateway.text('k')).toBe('next');
    },
  );

  it('leaves what no head came to name to the sweeper', async () => {
    const world = await SweepFixture.open({ settling: false });
    const { gateway } = world;
    const { target } = await unheardOf(world, { kind: 'loseRequest' });
    world.advance(0.6);
    expect(await codeOf(gateway.uploads.abort(target, testCall()))).toBe('ok');
    await world.sweep();
    expect(await gateway.names('v/')).toHaveLength(1);
    world.advance(25);
    await world.sweep();
    expect(await gateway.names('u/', 'p/', 'c/', 'v/')).toEqual([]);
  });

  it('frees at once what was refused for certain', async () => {
    const world = await SweepFixture.open({ settling: false });
    const { gateway } = world;
    const { target, parts } = await gateway.started('k', PARTS);
    gateway.plan = ({ method, ref }) => (method === 'write' && ref.name === 'k' ? { kind: 'throttle' } : undefined);
    expect(await codeOf(gateway.complete(target, parts))).toBe('throttled');
    gateway.plan = () => undefined;
    expect(await codeOf(gateway.uploads.abort(target, testCall()))).toBe('ok');
    expect(await gateway.names('u/', 'p/', 'c/', 'v/')).toEqual([]);
  });
});

describe('a head of a Complete that was not heard of again', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['never', 'Suspended'] as const)(
    'names what is there when it lands after the repeated Complete and the deletion of the object, versioning %s',
    async (versioning) => {
      for (const settling of [true, false]) {
        const world = await SweepFixture.open({ settling });
        const { gateway } = world;
        if (versioning !== 'never') await world.version('suspended');
        const { target, parts } = await unheardOf(world, { kind: 'loseAnswer', lateBy: LATE_MS });
        await gateway.complete(target, parts);
        await gateway.idle();
        if (versioning === 'never') await world.remove();
        else await world.remove('null');
        await gateway.idle();
        expect(await gateway.text('k')).toBeUndefined();

        await delay(2 * LATE_MS);
        expect(await gateway.text('k')).toBe(PARTS);
        world.advance(30);
        await world.sweep();
        expect(await gateway.text('k')).toBe(PARTS);
        if (versioning === 'never') await world.remove();
        else await world.remove('null');
        await gateway.idle();
        world.advance(30);
        await world.sweep();
        expect([await gateway.text('k'), await gateway.names('v/', 'u/', 'p/')]).toEqual([undefined, []]);
      }
    },
  );
});
