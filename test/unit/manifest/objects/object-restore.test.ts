import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RetrievalTier } from '../../../../src/manifest/index.ts';
import type { ObjectView } from '../../../../src/manifest/records/object-view.ts';
import { testCall } from '../../../support/test-call.ts';
import { CLASSES } from '../lifecycle/lifecycle-fixture.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { OWNER } from '../upload-fixture.ts';

let fixture: SweepFixture;

beforeEach(async () => {
  fixture = await SweepFixture.open({ classes: CLASSES });
  const attributes = { headers: {}, userMetadata: {}, storageClass: 'GLACIER' };
  const keepApart = { kind: 'archive' } as const;
  const request = { body: Buffer.from('bytes'), attributes, ownerId: OWNER, conditions: {}, keepApart };
  await fixture.gateway.objects.put({ bucket: fixture.bucket, key: 'k' }, request, testCall());
  fixture.gateway.memory.holdsRehydration = true;
});
afterEach(() => {
  vi.useRealTimers();
});

const restore = (tier: RetrievalTier, days = 2): Promise<'started' | 'renewed'> => {
  const { gateway, bucket } = fixture;
  const request = { days, tier, guard: () => undefined };
  return gateway.objects.restore({ bucket, key: 'k', versionId: 'null' }, request, testCall());
};
const find = (): Promise<ObjectView> => {
  const { gateway, bucket } = fixture;
  return gateway.objects.find({ bucket, key: 'k', versionId: 'null' }, testCall());
};
const IN_PROGRESS = { code: 'RestoreAlreadyInProgress' };

describe('a restore that runs', () => {
  test('is made faster, and no slower; its days stay', async () => {
    expect(await restore('Bulk', 5)).toBe('started');
    const bulk = await find();
    await expect(restore('Bulk')).rejects.toMatchObject(IN_PROGRESS);
    const before = await fixture.names('e/');
    expect(await restore('Standard', 9)).toBe('started');
    const standard = await find();
    // To the clouds both are one.
    expect([standard.restore, await fixture.names('e/')]).toEqual([{ ...bulk.restore, tier: 'Standard' }, before]);
    expect(await restore('Expedited', 9)).toBe('started');
    const { restore: urgent } = await find();
    expect(urgent).toMatchObject({ tier: 'Expedited', days: 5 });
    expect(urgent?.token).not.toBe(bulk.restore?.token);
    await expect(restore('Standard')).rejects.toMatchObject(IN_PROGRESS);
    await expect(restore('Expedited')).rejects.toMatchObject(IN_PROGRESS);
    for (const name of await fixture.names('e/')) {
      if (name.includes(urgent?.token ?? '-')) {
        fixture.gateway.memory.setArchived({ container: 'system', name }, false);
      }
    }
    const target = { bucket: fixture.bucket, key: 'k' };
    expect((await fixture.gateway.objects.finishRestore(target, await find(), testCall())).archived).toBe(false);
    expect(await restore('Bulk', 3)).toBe('renewed');
  });

  test('leaves no copies of the slower one behind', async () => {
    await restore('Standard');
    await restore('Expedited');
    const { restore: urgent, encryption } = await find();
    fixture.advance(30);
    await fixture.sweep();
    const named = (await fixture.names('e/')).map((name) => name.split('!!')[1]?.split('.')[0]);
    expect(named.toSorted()).toEqual([encryption?.token, urgent?.token].toSorted());
  });
});

test('a lost answer, and the version moved meanwhile: the restore runs, and its copies stay', async () => {
  await fixture.version('enabled');
  const { gateway } = fixture;
  let step: 'write' | 'look' | 'done' = 'write';
  gateway.plan = ({ method, ref }) => {
    if (step === 'write' && method === 'setMetadata' && ref.container === 'bucket') {
      step = 'look';
      return { kind: 'loseAnswer' };
    }
    if (step !== 'look' || ref.container !== 'bucket') return undefined;
    step = 'done';
    return { kind: 'interleave', before: () => fixture.put('newer') };
  };
  expect(await restore('Standard')).toBe('started');
  expect(step).toBe('done');
  await gateway.idle();
  const view = await find();
  expect([view.restore?.token !== undefined, view.head.kind]).toEqual([true, 'inline']);
  const copies = (await fixture.names('e/')).filter((name) => name.includes(view.restore?.token ?? '-'));
  expect(copies).toHaveLength(1);
});
