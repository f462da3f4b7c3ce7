import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PlannedCall } from '../../../../adapters/doubles/faults.ts';
import { stagingRef } from '../../../../src/manifest/records/upload-names.ts';
import { at } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER, UploadFixture, codeOf } from '../upload-fixture.ts';

/*
 * A Complete has its object settled from what it wrote itself, and removes the records of the parts that it saw: what
 * others did meanwhile, and what may get lost.
 */

afterEach(() => vi.restoreAllMocks());

const isSettling = ({ method, ref }: PlannedCall): boolean => method === 'copy' && ref.name === 'k';

async function completed(): Promise<{
  readonly fixture: UploadFixture;
  readonly run: () => Promise<string>;
  readonly target: Awaited<ReturnType<UploadFixture['started']>>['target'];
}> {
  const fixture = await UploadFixture.open();
  const { target, parts } = await fixture.started('k', 'one,', 'end');
  const run = async (): Promise<string> => {
    const outcome = await codeOf(fixture.complete(target, parts));
    await fixture.idle();
    return outcome;
  };
  return { fixture, run, target };
}

/** Has something else done right before the object is settled, once. */
function meanwhile(fixture: UploadFixture, before: () => Promise<unknown>): void {
  let isDone = false;
  fixture.plan = (call) => {
    if (!isSettling(call) || isDone) return undefined;
    isDone = true;
    return { kind: 'interleave', before };
  };
}

/** Calls behind the answer. */
function behind(fixture: UploadFixture): string[] {
  const end = fixture.calls.findIndex(({ method, ref }) => method === 'write' && ref.name?.startsWith('c/') === true);
  return fixture.calls
    .slice(end)
    .map(({ method }) => method)
    .filter((method) => method !== 'write');
}

/** The blob at the key, as native tools see it. */
async function nativeSize(fixture: UploadFixture): Promise<number | undefined> {
  return (await fixture.memory.head({ container: 'bucket', name: 'k' }, testCall())).size;
}

async function everythingIsThere(fixture: UploadFixture): Promise<void> {
  expect(await fixture.text('k')).toBe('one,end');
  expect(await nativeSize(fixture)).toBe(7);
  expect(await fixture.names('u/', 'p/', 'v/')).toEqual([]);
}

describe('what a Complete wrote itself', () => {
  it('is not looked at again, and the parts are not listed again', async () => {
    const { fixture, run } = await completed();
    expect(await run()).toBe('ok');
    expect(behind(fixture).filter((method) => ['head', 'read', 'list'].includes(method))).toEqual([]);
    await everythingIsThere(fixture);
  });

  it('keeps what the client said of it meanwhile', async () => {
    const { fixture, run } = await completed();
    const tag = (): Promise<unknown> =>
      fixture.objects.amend(
        { bucket: fixture.bucket, key: 'k', versionId: undefined },
        () => ({ tags: [{ key: 'a', value: 'b' }] }),
        testCall(),
      );
    meanwhile(fixture, tag);
    expect(await run()).toBe('ok');
    const { tags } = await fixture.objects.find({ bucket: fixture.bucket, key: 'k', versionId: undefined }, testCall());
    expect(tags).toEqual([{ key: 'a', value: 'b' }]);
    await everythingIsThere(fixture);
  });

  it.each<[string, (fixture: UploadFixture) => Promise<unknown>, string | undefined]>([
    ['put', (fixture) => fixture.put('k', 'new'), 'new'],
    [
      'deleted',
      ({ objects, bucket }) =>
        objects.remove({ bucket, key: 'k', versionId: undefined }, { conditions: {}, ownerId: OWNER }, testCall()),
      undefined,
    ],
  ])('is left to who has %s the key meanwhile', async (_what, change, text) => {
    const { fixture, run } = await completed();
    meanwhile(fixture, () => change(fixture));
    expect(await run()).toBe('ok');
    expect(await fixture.text('k')).toBe(text);
  });

  it('is looked at when its blob was changed since', async () => {
    const { fixture, run, target } = await completed();
    const touch = async (): Promise<void> => {
      const { metadata, revision } = await fixture.memory.head(stagingRef(target), testCall());
      await fixture.memory.setMetadata(stagingRef(target), metadata, at(revision), testCall());
    };
    meanwhile(fixture, touch);
    expect(await run()).toBe('ok');
    expect(fixture.backgroundErrors).toEqual([]);
    expect(behind(fixture)).toContain('head');
    await everythingIsThere(fixture);
  });

  it('goes only when the end of the upload is written down: a lost note, and another', async () => {
    const { fixture, run } = await completed();
    let notes = 0;
    fixture.plan = ({ method, ref }) => {
      if (method !== 'write' || ref.name?.startsWith('c/') !== true) return undefined;
      notes += 1;
      return notes <= 2 ? { kind: 'loseRequest' } : undefined;
    };
    expect(await run()).toBe('ok');
    // Whoever settles writes the note first, or leaves the blob.
    const [noted, left] = [await fixture.names('c/'), await fixture.names('v/')];
    expect(noted.length + left.length).toBeGreaterThan(0);
    fixture.plan = () => undefined;
    expect(await fixture.text('k')).toBe('one,end');
    await fixture.idle();
    expect(await run()).toBe('ok');
    expect(await fixture.text('k')).toBe('one,end');
  });

  it('stays readable when the answer to the copy is lost, and is settled by the next reader', async () => {
    for (const kind of ['loseAnswer', 'loseRequest'] as const) {
      const { fixture, run } = await completed();
      fixture.plan = (call) => (isSettling(call) ? { kind } : undefined);
      expect(await run()).toBe('ok');
      fixture.plan = () => undefined;
      expect(await fixture.text('k')).toBe('one,end');
      await fixture.idle();
      expect(await nativeSize(fixture)).toBe(7);
      expect(await fixture.names('u/', 'p/')).toEqual([]);
    }
  });
});

describe('the note of its end, which follows the answer', () => {
  /** The key is put and deleted when the Complete was answered, and nobody has written its note. */
  async function replaced(fixture: UploadFixture, complete: () => Promise<unknown>): Promise<void> {
    await complete();
    await fixture.idle();
    await fixture.put('k', 'later');
    const request = { conditions: {}, ownerId: OWNER };
    await fixture.objects.remove({ bucket: fixture.bucket, key: 'k' }, request, testCall());
  }

  const isNote = ({ method, ref }: PlannedCall): boolean => method === 'write' && ref.name?.startsWith('c/') === true;

  it.each([undefined, 'old'])(
    'is not missed by the same Complete, which comes late: nothing comes back, over %s',
    async (before) => {
      const fixture = await UploadFixture.open({ settling: false });
      if (before !== undefined) await fixture.put('k', before);
      const { target, parts } = await fixture.started('k', 'one,', 'end');
      let met = false;
      fixture.plan = (call) => {
        if (isNote(call)) return { kind: 'loseRequest' };
        if (call.method !== 'assemble' || met) return undefined;
        met = true;
        return { kind: 'interleave', before: () => replaced(fixture, () => fixture.complete(target, parts)) };
      };
      expect(await codeOf(fixture.complete(target, parts))).toBe('ok');
      await fixture.idle();
      expect(await fixture.text('k')).toBeUndefined();
      expect(await fixture.names('c/', 'u/')).toEqual([]);
    },
  );

  it('is not missed by an Abort that met the claim', async () => {
    const fixture = await UploadFixture.open({ settling: false });
    const { target, parts } = await fixture.started('k', 'one,', 'end');
    const complete = async (): Promise<void> => {
      fixture.plan = (call) => (isNote(call) ? { kind: 'loseRequest' } : undefined);
      await replaced(fixture, () => fixture.complete(target, parts));
      fixture.plan = () => undefined;
    };
    fixture.plan = ({ method }) => (method === 'assemble' ? { kind: 'interleave', before: complete } : undefined);
    expect(await codeOf(fixture.uploads.abort(target, testCall()))).toBe('NoSuchUpload');
    expect(await fixture.text('k')).toBeUndefined();
  });

  it.each(['fail', 'loseAnswer', 'loseRequest'] as const)(
    'precedes it when the record of the upload cannot be removed (%s), and the object is there',
    async (kind) => {
      const { fixture, run, target } = await completed();
      const isRecord = ({ method, ref }: PlannedCall): boolean =>
        method === 'remove' && ref.name?.startsWith('u/') === true;
      let faults = 0;
      fixture.plan = (call) => {
        if (!isRecord(call) || faults > 0) return undefined;
        faults += 1;
        return kind === 'fail' ? { kind, error: 'unavailable' } : { kind };
      };
      expect(await run()).toBe('ok');
      const order = fixture.calls.filter((call) => isRecord(call) || isNote(call)).map(({ method }) => method);
      expect(order).toEqual(['remove', 'write', 'remove']);
      expect(await codeOf(fixture.uploads.find(target, testCall()))).toBe('NoSuchUpload');
      await everythingIsThere(fixture);
    },
  );
});

describe('the records of its parts', () => {
  const failing = (fixture: UploadFixture, times: number, isFailing: (name: string) => boolean): (() => number) => {
    const original = fixture.memory.removeMany.bind(fixture.memory);
    let calls = 0;
    vi.spyOn(fixture.memory, 'removeMany').mockImplementation(async (container, items, call) => {
      calls += 1;
      if (calls > times) return original(container, items, call);
      const lost = new StoreError('unavailable', { call: 'removeMany', lost: true });
      const kept = items.filter(({ name }) => !isFailing(name));
      await original(container, kept, call);
      return items.map(({ name }) => (isFailing(name) ? lost : 'removed'));
    });
    return () => calls;
  };

  it('are removed a second time where the first left them in doubt', async () => {
    const { fixture, run } = await completed();
    const calls = failing(fixture, 1, (name) => name.endsWith('1'));
    expect(await run()).toBe('ok');
    expect(calls()).toBe(2);
    expect(fixture.backgroundErrors).toEqual([]);
    await everythingIsThere(fixture);
  });

  it('stay for the sweeper when the second removal fails too; the object does not mind', async () => {
    const { fixture, run } = await completed();
    const calls = failing(fixture, 2, (name) => name.endsWith('1'));
    expect(await run()).toBe('ok');
    expect(calls()).toBe(2);
    expect(fixture.backgroundErrors).toHaveLength(1);
    expect(await fixture.names('p/')).toHaveLength(1);
    expect(await fixture.text('k')).toBe('one,end');
  });

  it('that the list does not name are found and removed', async () => {
    for (const named of [[1], [2], [1, 3]]) {
      const fixture = await UploadFixture.open();
      const { target, parts } = await fixture.started('k', 'one,', 'two,', 'three', 'four');
      await fixture.complete(
        target,
        parts.filter(({ number }) => named.includes(number)),
      );
      await fixture.idle();
      expect(await fixture.names('u/', 'p/', 'v/')).toEqual([]);
    }
  });
});
