import { describe, expect, it, vi } from 'vitest';
import type { PlannedCall } from '../../../../adapters/doubles/faults.ts';
import { stagingRef } from '../../../../src/manifest/records/upload-names.ts';
import { at } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture } from '../upload-fixture.ts';

/*
 * Behind a Complete the last batch of the parts' records takes along the blob that the object's bytes were assembled
 * to, once these lie at the key.
 */

/** What removals name, without the upload's id: in the order of the calls, and the copies between them. */
async function completed(fixture: UploadFixture, parts: number): Promise<string[]> {
  const { target, parts: listed } = await fixture.started('k', ...Array.from({ length: parts }, (_, n) => `part ${n}`));
  const seen: string[] = [];
  const { memory } = fixture;
  const [removeMany, remove, copy] = [memory.removeMany, memory.remove, memory.copy].map((own) => own.bind(memory)) as [
    typeof memory.removeMany,
    typeof memory.remove,
    typeof memory.copy,
  ];
  const short = (name: string): string =>
    name.startsWith('v/') ? 'blob' : `${name.slice(0, 2)}${Number(name.slice(-5))}`;
  vi.spyOn(memory, 'removeMany').mockImplementation(async (container, items, call) => {
    seen.push(items.map(({ name, revision }) => short(name) + (revision === undefined ? '' : ' as it was')).join());
    return removeMany(container, items, call);
  });
  vi.spyOn(memory, 'remove').mockImplementation(async (ref, revision, call) => {
    if (ref.name.startsWith('v/')) seen.push('blob alone');
    return remove(ref, revision, call);
  });
  vi.spyOn(memory, 'copy').mockImplementation(async (ref, request, call) => {
    seen.push('copy');
    return copy(ref, request, call);
  });
  await fixture.complete(target, listed);
  await fixture.idle();
  expect(fixture.backgroundErrors).toEqual([]);
  return seen;
}

async function nothingIsLeft(fixture: UploadFixture): Promise<void> {
  expect(await fixture.names('u/', 'p/', 'v/')).toEqual([]);
}

describe('the last batch of records', () => {
  it.each<[number, string[]]>([
    [1, ['copy', 'p/1,blob as it was']],
    [2, ['copy', 'p/1,p/2,blob as it was']],
    [3, ['blob alone', 'copy', 'p/1,p/2,p/3']],
    [5, ['copy', 'p/1,p/2,p/3', 'p/4,p/5,blob as it was']],
  ])(
    'of %i parts, three of which are a batch, takes the blob along when the bytes are copied',
    async (parts, calls) => {
      const fixture = await UploadFixture.open({ capabilities: { maxBatch: 3 } });
      const seen = await completed(fixture, parts);
      expect(seen.toSorted()).toEqual(calls);
      const blob = seen.findIndex((call) => call.includes('blob'));
      expect(blob).toBeGreaterThan(seen.indexOf('copy'));
      await nothingIsLeft(fixture);
    },
  );

  it('is not forgotten when a reader has the object settled first', async () => {
    const fixture = await UploadFixture.open({ capabilities: { maxBatch: 2 } });
    let open = (): void => undefined;
    const busy = new Promise<void>((resolve) => (open = resolve));
    fixture.settler.later('something that takes long', () => busy);
    let reads = 0;
    fixture.plan = ({ method }) => {
      if (method !== 'removeMany' || reads > 0) return undefined;
      reads += 1;
      const before = async (): Promise<void> => {
        expect(await fixture.text('k')).toBe('part 0part 1part 2');
        open();
      };
      return { kind: 'interleave', before };
    };
    await completed(fixture, 3);
    expect(reads).toBe(1);
    await nothingIsLeft(fixture);
  });

  const isCopy = ({ method, ref }: PlannedCall): boolean => method === 'copy' && ref.name === 'k';

  it.each(['loseAnswer', 'loseRequest'] as const)('goes although the copy is in doubt (%s)', async (kind) => {
    const fixture = await UploadFixture.open();
    fixture.plan = (call) => (isCopy(call) ? { kind } : undefined);
    const { target, parts } = await fixture.started('k', 'one,', 'end');
    await fixture.complete(target, parts);
    await fixture.idle();
    expect(await fixture.names('p/')).toEqual([]);
    expect(await fixture.text('k')).toBe('one,end');
  });

  it('goes although somebody has replaced the object', async () => {
    const fixture = await UploadFixture.open();
    const { target, parts } = await fixture.started('k', 'one,', 'end');
    let isDone = false;
    fixture.plan = (call) => {
      if (!isCopy(call) || isDone) return undefined;
      isDone = true;
      return { kind: 'interleave', before: () => fixture.put('k', 'new') };
    };
    await fixture.complete(target, parts);
    await fixture.idle();
    expect(await fixture.names('p/')).toEqual([]);
    expect(await fixture.text('k')).toBe('new');
  });

  it('leaves a blob that was changed since to a second look', async () => {
    const fixture = await UploadFixture.open();
    const { target, parts } = await fixture.started('k', 'one,', 'end');
    const touch = async (): Promise<void> => {
      const { metadata, revision } = await fixture.memory.head(stagingRef(target), testCall());
      await fixture.memory.setMetadata(stagingRef(target), metadata, at(revision), testCall());
    };
    fixture.plan = ({ method }) => (method === 'removeMany' ? { kind: 'interleave', before: touch } : undefined);
    await fixture.complete(target, parts);
    await fixture.idle();
    expect(fixture.backgroundErrors).toEqual([]);
    await nothingIsLeft(fixture);
  });

  it.each([true, false])('is sent again when nobody knows what became of it; it has happened: %s', async (happened) => {
    const fixture = await UploadFixture.open();
    const { target, parts } = await fixture.started('k', 'one,', 'end');
    const { memory } = fixture;
    const original = memory.removeMany.bind(memory);
    let calls = 0;
    vi.spyOn(memory, 'removeMany').mockImplementation(async (container, items, call) => {
      calls += 1;
      if (calls > 1) return original(container, items, call);
      if (happened) await original(container, items, call);
      return items.map(() => new StoreError('unavailable', { call: 'removeMany', lost: true }));
    });
    await fixture.complete(target, parts);
    await fixture.idle();
    expect([calls, fixture.backgroundErrors]).toEqual([2, []]);
    await nothingIsLeft(fixture);
  });
});
