import { describe, expect, it } from 'vitest';
import { settle } from '../../../../src/manifest/versions/settle.ts';
import type { ListedPart } from '../../../../src/manifest/uploads/upload-plan.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { stagingRef } from '../../../../src/manifest/records/upload-names.ts';
import { testCall } from '../../../support/test-call.ts';
import { everywhere, interleave } from '../interleave.ts';
import { UploadFixture, codeOf, md5Of, multipartEtag } from '../upload-fixture.ts';

const TEXTS = ['one,', 'two,', 'end'];
const WHOLE = TEXTS.join('');
const ETAG = multipartEtag(...TEXTS);

interface Scene {
  readonly fixture: UploadFixture;
  readonly target: Awaited<ReturnType<UploadFixture['started']>>['target'];
  readonly parts: ListedPart[];
}

async function scene(before?: string): Promise<Scene> {
  const fixture = await UploadFixture.open({ settling: false });
  if (before !== undefined) await fixture.put('k', before);
  return { fixture, ...(await fixture.started('k', ...TEXTS)) };
}

/** What must hold however a Complete went: readable, and nothing left that a reader would trip over. */
async function expectSound({ fixture, target, parts }: Scene, completed: boolean): Promise<void> {
  expect(fixture.backgroundErrors).toEqual([]);
  expect(await fixture.openUploads()).toEqual([]);
  expect(await codeOf(fixture.complete(target, parts))).toBe(completed ? 'ok' : 'NoSuchUpload');
  const text = await fixture.text('k');
  await settle({ bucket: fixture.bucket, key: 'k' }, testCall());
  expect(await fixture.text('k')).toBe(text);
  expect(await codeOf(fixture.uploads.abort(target, testCall()))).toBe('NoSuchUpload');
  expect(await fixture.text('k')).toBe(text);
}

describe('Complete, in the midst of which', () => {
  it.each([undefined, 'old'])('the same Complete comes: both succeed, over %s', async (before) => {
    await everywhere(5, async (at) => {
      const state = await scene(before);
      const { fixture, target, parts } = state;
      const results: unknown[] = [];
      const complete = async (): Promise<unknown> => results.push(await fixture.complete(target, parts));
      const course = await interleave(fixture, at, complete, complete);
      for (const result of results) expect(result).toMatchObject({ etag: ETAG, versionId: 'null' });
      expect(await fixture.text('k')).toBe(WHOLE);
      await expectSound(state, true);
      return course;
    });
  });

  it('the same Complete with If-None-Match: * comes: both succeed', async () => {
    await everywhere(5, async (at) => {
      const state = await scene();
      const { fixture, target, parts } = state;
      const codes: string[] = [];
      const complete = async (): Promise<unknown> =>
        codes.push(await codeOf(fixture.complete(target, parts, { conditions: { ifNoneMatch: '*' } })));
      const course = await interleave(fixture, at, complete, complete);
      expect(codes).toEqual(course.met ? ['ok', 'ok'] : ['ok']);
      expect(await fixture.text('k')).toBe(WHOLE);
      await expectSound(state, true);
      return course;
    });
  });

  it('a Complete with other parts comes: one of them succeeds', async () => {
    await everywhere(5, async (at) => {
      const state = await scene();
      const { fixture, target, parts } = state;
      let outer = 'none';
      let inner = 'none';
      const course = await interleave(
        fixture,
        at,
        async () => (outer = await codeOf(fixture.complete(target, parts))),
        async () => (inner = await codeOf(fixture.complete(target, parts.slice(1)))),
      );
      expect(['ok none', 'ok InvalidPart', 'ok NoSuchUpload', 'InvalidPart ok', 'NoSuchUpload ok']).toContain(
        `${outer} ${inner}`,
      );
      expect(await fixture.text('k')).toBe(outer === 'ok' ? WHOLE : 'two,end');
      expect(await codeOf(fixture.complete(target, outer === 'ok' ? parts : parts.slice(1)))).toBe('ok');
      return course;
    });
  });

  it.each([undefined, 'old'])('an Abort comes: one of them succeeds, over %s', async (before) => {
    await everywhere(5, async (at) => {
      const state = await scene(before);
      const { fixture, target, parts } = state;
      let aborted = 'none';
      let completed = 'none';
      const course = await interleave(
        fixture,
        at,
        async () => (completed = await codeOf(fixture.complete(target, parts))),
        async () => (aborted = await codeOf(fixture.uploads.abort(target, testCall()))),
      );
      const pair = `${completed} ${aborted}`;
      expect(['ok none', 'ok NoSuchUpload', 'ok OperationAborted', 'NoSuchUpload ok', 'InvalidPart ok']).toContain(
        pair,
      );
      expect(await fixture.text('k')).toBe(completed === 'ok' ? WHOLE : before);
      if (aborted === 'ok') expect(await fixture.names('u/', 'p/', 'c/')).toEqual([]);
      await expectSound(state, completed === 'ok');
      return course;
    });
  });

  it.each([undefined, 'old'])('a PUT comes: the object is one of both, over %s', async (before) => {
    await everywhere(5, async (at) => {
      const state = await scene(before);
      const { fixture, target, parts } = state;
      const course = await interleave(
        fixture,
        at,
        async () => expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' }),
        () => fixture.put('k', 'put'),
      );
      expect(course.met ? [WHOLE, 'put'] : [WHOLE]).toContain(await fixture.text('k'));
      await expectSound(state, true);
      return course;
    });
  });

  it('a PUT comes: with If-None-Match: * the one that was second is refused', async () => {
    await everywhere(5, async (at) => {
      const { fixture, target, parts } = await scene();
      let completed = 'none';
      const course = await interleave(
        fixture,
        at,
        async () => (completed = await codeOf(fixture.complete(target, parts, { conditions: { ifNoneMatch: '*' } }))),
        () => fixture.put('k', 'put'),
      );
      expect(['ok', 'PreconditionFailed', 'ConditionalRequestConflict']).toContain(completed);
      expect(await fixture.text('k')).toBe(course.met ? 'put' : WHOLE);
      if (completed === 'ok') return course;

      // Refused, the upload is as open as before: it can be aborted at once, or completed without the condition.
      if (at.n % 2 === 0) {
        expect(await codeOf(fixture.uploads.abort(target, testCall()))).toBe('ok');
        expect(await fixture.names('u/', 'p/', 'c/')).toEqual([]);
        expect(await fixture.text('k')).toBe('put');
      } else {
        expect(await codeOf(fixture.complete(target, parts, { conditions: { ifNoneMatch: '*' } }))).toBe(
          'PreconditionFailed',
        );
        expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' });
        expect(await fixture.text('k')).toBe(WHOLE);
      }
      return course;
    });
  });

  it('a DELETE comes: it is before or after, never half', async () => {
    await everywhere(5, async (at) => {
      const state = await scene('old');
      const { fixture, target, parts } = state;
      const course = await interleave(
        fixture,
        at,
        async () => expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' }),
        () =>
          fixture.objects.remove({ bucket: fixture.bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall()),
      );
      expect(course.met ? [undefined, WHOLE] : [WHOLE]).toContain(await fixture.text('k'));
      await expectSound(state, true);
      return course;
    });
  });

  const AFTERWARDS: Record<string, { act: (fixture: UploadFixture) => Promise<unknown>; text: string | undefined }> = {
    'is settled': { act: (fixture) => settle({ bucket: fixture.bucket, key: 'k' }, testCall()), text: WHOLE },
    'is settled, then overwritten': {
      act: async (fixture) => {
        await settle({ bucket: fixture.bucket, key: 'k' }, testCall());
        await fixture.put('k', 'later');
      },
      text: 'later',
    },
    'is overwritten': { act: (fixture) => fixture.put('k', 'later'), text: 'later' },
  };
  it.each([undefined, 'old'])(
    'the same Complete comes whose object is settled and deleted: nothing comes back, over %s',
    async (before) => {
      await everywhere(5, async (at) => {
        const state = await scene(before);
        const { fixture, target, parts } = state;
        const course = await interleave(
          fixture,
          at,
          async () => expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' }),
          async () => {
            await fixture.complete(target, parts);
            await settle({ bucket: fixture.bucket, key: 'k' }, testCall());
            await fixture.objects.remove(
              { bucket: fixture.bucket, key: 'k' },
              { conditions: {}, ownerId: OWNER },
              testCall(),
            );
          },
        );
        expect(await fixture.text('k')).toBe(course.met ? undefined : WHOLE);
        await expectSound(state, true);
        return course;
      });
    },
  );

  it.each(
    Object.keys(AFTERWARDS).flatMap((name) => [
      { name, before: undefined },
      { name, before: 'old' },
    ]),
  )('the same Complete comes whose object $name: nothing comes back, over $before', async ({ name, before }) => {
    const afterwards = AFTERWARDS[name];
    if (afterwards === undefined) throw new Error(name);
    await everywhere(5, async (at) => {
      const state = await scene(before);
      const { fixture, target, parts } = state;
      const course = await interleave(
        fixture,
        at,
        async () => expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' }),
        async () => {
          expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' });
          await afterwards.act(fixture);
        },
      );
      expect(await fixture.text('k')).toBe(course.met ? afterwards.text : WHOLE);
      await expectSound(state, true);
      return course;
    });
  });

  it.each([undefined, 'old'])(
    'the same Complete comes whose object is deleted: nothing comes back, over %s',
    async (before) => {
      await everywhere(5, async (at) => {
        const state = await scene(before);
        const { fixture, target, parts } = state;
        const course = await interleave(
          fixture,
          at,
          async () => expect(await fixture.complete(target, parts)).toMatchObject({ etag: ETAG, versionId: 'null' }),
          async () => {
            await fixture.complete(target, parts);
            await fixture.objects.remove(
              { bucket: fixture.bucket, key: 'k' },
              { conditions: {}, ownerId: OWNER },
              testCall(),
            );
          },
        );
        expect(await fixture.text('k')).toBe(course.met ? undefined : WHOLE);
        await expectSound(state, true);
        return course;
      });
    },
  );
});

describe('a part that arrives while the upload ends', () => {
  it.each(['complete', 'abort'] as const)('by %s leaves nothing behind', async (end) => {
    await everywhere(1, async (at) => {
      const { fixture, target, parts } = await scene();
      const upload = await fixture.uploads.find(target, testCall());
      const body = Buffer.from('late');
      let code = 'none';
      const course = await interleave(
        fixture,
        at,
        async () =>
          (code = await codeOf(
            fixture.uploads.putPart(upload, { number: 9, body, facts: { md5: md5Of(body) } }, testCall()),
          )),
        () => (end === 'abort' ? fixture.uploads.abort(target, testCall()) : fixture.complete(target, parts)),
      );
      if (!course.met) return course;
      expect(['ok', 'NoSuchUpload']).toContain(code);
      await fixture.idle();
      expect(await fixture.names('u/', 'p/', 'v/')).toEqual(end === 'abort' ? [] : [stagingRef(target).name]);
      expect(await fixture.text('k')).toBe(end === 'abort' ? undefined : WHOLE);
      return course;
    });
  });
});
