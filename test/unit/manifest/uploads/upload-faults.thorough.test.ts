import { describe, expect, it } from 'vitest';
import { settle } from '../../../../src/manifest/versions/settle.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { type Plan, UploadFixture, codeOf, multipartEtag } from '../upload-fixture.ts';

const TEXTS = ['one,', 'two,', 'end'];
const WHOLE = TEXTS.join('');
const ETAG = multipartEtag(...TEXTS);
/** More backend calls than a Complete makes. */
const MOST_CALLS = 40;

/** What happens to the n-th call, and to those after it. */
const FAULTS: Readonly<Record<string, (n: number) => Plan>> = {
  'a crash before call': (n) => counting((count) => (count >= n ? { kind: 'fail' } : undefined)),
  'a crash after call': (n) =>
    counting((count) => (count === n ? { kind: 'loseAnswer' } : count > n ? { kind: 'fail' } : undefined)),
  'a lost answer of call': (n) => counting((count) => (count === n ? { kind: 'loseAnswer' } : undefined)),
  'a lost request of call': (n) => counting((count) => (count === n ? { kind: 'loseRequest' } : undefined)),
};

function counting(plan: (count: number) => ReturnType<Plan>): Plan {
  let count = 0;
  return () => plan(++count);
}

interface Broken {
  readonly fixture: UploadFixture;
  readonly target: Awaited<ReturnType<UploadFixture['started']>>['target'];
  readonly parts: Awaited<ReturnType<UploadFixture['started']>>['parts'];
  /** Answer of the Complete that met the fault. */
  readonly first: string;
  /** The fault did not come: there were fewer calls. */
  readonly over: boolean;
}

interface Circumstances {
  readonly settling: boolean;
  readonly discarding: boolean;
  readonly before?: string;
  readonly ifNoneMatch?: string;
}

/** A Complete over whatever `before` put at the key, with a fault at its n-th call. */
async function broken(fault: string, n: number, options: Circumstances): Promise<Broken> {
  const fixture = await UploadFixture.open({ settling: options.settling, discarding: options.discarding });
  if (options.before !== undefined) await fixture.put('k', options.before);
  const { target, parts } = await fixture.started('k', ...TEXTS);
  fixture.calls.length = 0;
  fixture.plan = FAULTS[fault]?.(n) ?? (() => undefined);
  const conditions = options.ifNoneMatch === undefined ? {} : { ifNoneMatch: options.ifNoneMatch };
  const first = await codeOf(fixture.complete(target, parts, { conditions }));
  await fixture.idle();
  const over = fixture.calls.length < n;
  fixture.plan = () => undefined;
  return { fixture, target, parts, first, over };
}

/** Runs a check for the fault at each call of a Complete, until there are no more calls. */
async function atEachCall(check: (n: number) => Promise<boolean>): Promise<void> {
  for (let n = 1; n <= MOST_CALLS; n++) {
    if (await check(n)) {
      expect(n).toBeGreaterThan(6); // a Complete that makes fewer calls than this would not have been tested
      return;
    }
  }
  throw new Error('a Complete makes more calls than expected');
}

/** Settles the key up to the call that would discard the parts. */
async function settleHalf(fixture: UploadFixture): Promise<void> {
  fixture.plan = ({ method }) => (method === 'discardParts' ? { kind: 'fail' } : undefined);
  await settle({ bucket: fixture.bucket, key: 'k' }, testCall()).catch(() => undefined);
  fixture.plan = () => undefined;
}

async function expectCompleted({ fixture, target, parts }: Broken): Promise<void> {
  await fixture.idle();
  expect(await fixture.openUploads()).toEqual([]);
  expect(await fixture.names('u/')).toEqual([]);
  expect((await fixture.complete(target, parts)).etag).toBe(ETAG);
  // Until here the claim may be all that tells of the end (record 0040): who asks for it has it noted.
  await fixture.idle();
  expect(await fixture.names('c/')).toEqual([`c/${target.uploadId}`]);
  expect(await codeOf(fixture.complete(target, parts.slice(0, 1)))).toBe('NoSuchUpload');
  expect(await codeOf(fixture.uploads.abort(target, testCall()))).toBe('NoSuchUpload');
}

describe.each(Object.keys(FAULTS))('Complete with %s n', (fault) => {
  const MODES = [
    { settling: true, discarding: true },
    { settling: false, discarding: true },
    { settling: false, discarding: false },
  ];
  describe.each(MODES)('settling $settling, discarding $discarding', (mode) => {
    it.each([{ before: undefined }, { before: 'old' }])(
      'is finished by sending it again, over $before',
      async ({ before }) => {
        await atEachCall(async (n) => {
          const state = await broken(fault, n, { ...mode, ...(before !== undefined && { before }) });
          const { fixture, target, parts, first } = state;
          expect([before, WHOLE]).toContain(await fixture.text('k'));
          if (first === 'ok') expect(await fixture.text('k')).toBe(WHOLE);
          expect((await fixture.complete(target, parts)).etag).toBe(ETAG);
          expect(await fixture.text('k')).toBe(WHOLE);
          await expectCompleted(state);
          expect(await fixture.text('k')).toBe(WHOLE);
          expect((await fixture.objects.find({ bucket: fixture.bucket, key: 'k' }, testCall())).parts).toHaveLength(3);
          return state.over;
        });
      },
    );

    it('takes effect once when the key is written before it is sent again', async () => {
      await atEachCall(async (n) => {
        const state = await broken(fault, n, { ...mode, before: 'old' });
        const { fixture, target, parts } = state;
        const wasVisible = (await fixture.text('k')) === WHOLE;
        await fixture.put('k', 'later');
        expect((await fixture.complete(target, parts)).etag).toBe(ETAG);
        await fixture.idle();
        expect(wasVisible ? ['later'] : ['later', WHOLE]).toContain(await fixture.text('k'));
        await expectCompleted(state);
        return state.over;
      });
    });

    it.each([
      { what: 'the key is deleted before it is sent again', before: undefined, halfSettled: false },
      { what: 'the key is deleted before it is sent again', before: 'old', halfSettled: false },
      { what: 'it is half settled, and the key deleted', before: undefined, halfSettled: true },
      { what: 'it is half settled, and the key deleted', before: 'old', halfSettled: true },
    ])('takes effect once when $what, over $before', async ({ before, halfSettled }) => {
      await atEachCall(async (n) => {
        const state = await broken(fault, n, { ...mode, ...(before !== undefined && { before }) });
        const { fixture, target, parts } = state;
        const wasVisible = (await fixture.text('k')) === WHOLE;
        if (halfSettled) await settleHalf(fixture);
        await fixture.objects.remove(
          { bucket: fixture.bucket, key: 'k' },
          { conditions: {}, ownerId: OWNER },
          testCall(),
        );
        expect((await fixture.complete(target, parts)).etag).toBe(ETAG);
        await fixture.idle();
        expect(wasVisible ? [undefined] : [undefined, WHOLE]).toContain(await fixture.text('k'));
        await expectCompleted(state);
        return state.over;
      });
    });

    it('with If-None-Match: * is finished by sending it again, and never answers that it was refused', async () => {
      await atEachCall(async (n) => {
        const state = await broken(fault, n, { ...mode, ifNoneMatch: '*' });
        const { fixture, target, parts, first } = state;
        expect(['ok', 'unavailable']).toContain(first);
        expect((await fixture.complete(target, parts, { conditions: { ifNoneMatch: '*' } })).etag).toBe(ETAG);
        await expectCompleted(state);
        expect(await fixture.text('k')).toBe(WHOLE);
        return state.over;
      });
    });

    it('with If-None-Match: * is never said to have failed when it was seen and overwritten', async () => {
      await atEachCall(async (n) => {
        const { fixture, target, parts, over } = await broken(fault, n, { ...mode, ifNoneMatch: '*' });
        const wasVisible = (await fixture.text('k')) === WHOLE;
        await fixture.put('k', 'later');
        const again = await codeOf(fixture.complete(target, parts, { conditions: { ifNoneMatch: '*' } }));
        expect(wasVisible ? ['ok', 'unavailable'] : ['PreconditionFailed', 'unavailable']).toContain(again);
        await fixture.idle();
        expect(await fixture.text('k')).toBe('later');
        return over;
      });
    });

    it('leaves an upload that can be aborted or completed, one of them', async () => {
      await atEachCall(async (n) => {
        const state = await broken(fault, n, { ...mode, before: 'old' });
        const { fixture, target, parts } = state;
        const visible = await fixture.text('k');
        const aborted = await codeOf(fixture.uploads.abort(target, testCall()));
        if (visible === WHOLE) {
          expect(aborted).toBe('NoSuchUpload');
          await expectCompleted(state);
        } else if (aborted === 'ok') {
          expect(await codeOf(fixture.complete(target, parts))).toBe('NoSuchUpload');
          expect(await fixture.names('u/', 'p/', 'c/')).toEqual([]);
          expect(await fixture.text('k')).toBe('old');
        } else {
          expect(aborted).toBe('OperationAborted');
          await fixture.complete(target, parts);
          await expectCompleted(state);
          expect(await fixture.text('k')).toBe(WHOLE);
        }
        return state.over;
      });
    });
  });
});
