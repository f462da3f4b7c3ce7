import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ObjectView } from '../../../../src/manifest/records/object-view.ts';
import { isRestored, isRestoring } from '../../../../src/manifest/records/restore.ts';
import { readAll } from '../../../../src/streams/bytes.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { SweepFixture } from './sweep-fixture.ts';

const CLASSES = {
  tiers: new Map([['GLACIER', 'archive']] as const),
  restore: 'contract',
  defaultOf: () => 'STANDARD',
} as const;
const DAYS = 2;
const DAY = 24;

describe.each(['never', 'enabled'] as const)('restores under the broom, versioning %s', (versioning) => {
  let fixture: SweepFixture;

  beforeEach(async () => {
    fixture = await SweepFixture.open({ classes: CLASSES, capabilities: { archiveIsOffline: true } });
    if (versioning !== 'never') await fixture.version(versioning);
  });

  afterEach(() => vi.useRealTimers());

  async function put(key: string): Promise<void> {
    const attributes = { headers: {}, userMetadata: {}, storageClass: 'GLACIER' };
    const keepApart = { kind: 'archive' } as const;
    const request = { body: Buffer.from('bytes'), attributes, ownerId: OWNER, conditions: {}, keepApart };
    await fixture.gateway.objects.put({ bucket: fixture.bucket, key }, request, testCall());
  }

  const find = (key: string): Promise<ObjectView> =>
    fixture.gateway.objects.find({ bucket: fixture.bucket, key }, testCall());
  const pieces = (): Promise<string[]> => fixture.gateway.names('e/');

  async function restore(key: string): Promise<void> {
    fixture.gateway.memory.holdsRehydration = true;
    const request = { days: DAYS, tier: 'Standard', guard: () => undefined } as const;
    await fixture.gateway.objects.restore({ bucket: fixture.bucket, key }, request, testCall());
  }

  /** What the service is bringing back is there. */
  async function arrive(before: readonly string[]): Promise<void> {
    for (const name of await pieces()) {
      if (!before.includes(name)) fixture.gateway.memory.setArchived({ container: 'system', name }, false);
    }
  }

  async function problems(): Promise<unknown> {
    const report = await fixture.sweep();
    return report.backends.flatMap(({ buckets }) => buckets.flatMap((bucket) => bucket.problems));
  }

  it('that have come to their end are written down, so that their days begin', async () => {
    await put('k');
    const before = await pieces();
    await restore('k');
    fixture.advance(30);
    expect(await problems()).toEqual([]);
    expect(isRestoring((await find('k')).restore, Date.now())).toBe(true);
    await arrive(before);
    expect(await problems()).toEqual([]);
    const view = await find('k');
    expect(isRestored(view.restore, Date.now())).toBe(true);
    expect(view.restore?.until).toBeGreaterThanOrEqual(Date.now() + DAYS * DAY * 3_600_000);
    const body = await fixture.gateway.objects.openView(fixture.bucket, view, {}, testCall());
    expect(String(await readAll(body))).toBe('bytes');
  });

  it('that are over leave the archived bytes, and no copy of them', async () => {
    await put('k');
    const before = await pieces();
    await restore('k');
    await arrive(before);
    await problems();
    fixture.advance((DAYS - 1) * DAY);
    expect(await problems()).toEqual([]);
    expect((await pieces()).length).toBeGreaterThan(before.length);
    expect((await find('k')).archived).toBe(false);
    fixture.advance(3 * DAY);
    expect(await problems()).toEqual([]);
    expect(await pieces()).toEqual(before);
    expect((await find('k')).archived).toBe(true);
  });

  it('that never end may be asked for again, and their copies go', async () => {
    await put('k');
    const before = await pieces();
    await restore('k');
    fixture.advance(4 * DAY);
    expect(await problems()).toEqual([]);
    expect(await pieces()).toEqual(before);
    await restore('k');
    await arrive(before);
    await problems();
    expect((await find('k')).archived).toBe(false);
  });

  it('leave nothing of an object that was deleted meanwhile', async () => {
    await put('k');
    await restore('k');
    await fixture.remove(versioning === 'never' ? undefined : (await find('k')).versionId);
    await fixture.gateway.idle();
    fixture.advance(30);
    expect(await problems()).toEqual([]);
    expect(await pieces()).toEqual([]);
  });
});
