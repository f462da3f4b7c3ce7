import { describe, expect, it } from 'vitest';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { SYSTEM_TIME } from '../../../../src/manifest/records/time.ts';
import type { UploadTarget } from '../../../../src/manifest/uploads/upload-find.ts';
import { NULL_VERSION } from '../../../../src/manifest/heads/head.ts';
import type { ListedPart } from '../../../../src/manifest/uploads/upload-plan.ts';
import { stagingRef } from '../../../../src/manifest/records/upload-names.ts';
import { testCall } from '../../../support/test-call.ts';
import { TestTime } from '../../../support/test-time.ts';
import { UploadFixture, codeOf } from '../upload-fixture.ts';

const MINUTE = 60_000;

/** The bucket as another replica sees it, so many minutes later; its clock may be off by so many more. */
function later({ bucket }: UploadFixture, minutes: number, ahead: number): Bucket {
  const time = { ...SYSTEM_TIME, now: () => Date.now() + (minutes + ahead) * MINUTE };
  return { ...bucket, home: { ...bucket.home, time } };
}

/** A Complete that stands still after it has claimed its upload, and does `meanwhile`. */
async function standing(
  versioning: Bucket['versioning'],
  meanwhile: (fixture: UploadFixture, target: UploadTarget, parts: readonly ListedPart[]) => Promise<void>,
) {
  const fixture = await UploadFixture.open();
  fixture.bucket = { ...fixture.bucket, versioning };
  const { target, parts } = await fixture.started('k', 'one,', 'two');
  const completed = await codeOf(
    fixture.complete(target, parts, { beforePublication: () => meanwhile(fixture, target, parts) }),
  );
  return { completed, text: await fixture.text('k') };
}

describe.each(['never', 'enabled'] as const)(
  'the claim of a Complete that is at work (versioning: %s)',
  (versioning) => {
    // A head is written within a quarter of an hour after the claim.
    it.each([
      [1, 0],
      [6, 10],
      [15, 10],
      [15, -10],
    ])(
      'is not taken by an Abort %i minutes later, on a machine whose clock is %i minutes ahead',
      async (minutes, ahead) => {
        let aborted = 'none';
        const outcome = await standing(versioning, async (fixture, target) => {
          aborted = await codeOf(
            fixture.uploads.abort({ ...target, bucket: later(fixture, minutes, ahead) }, testCall()),
          );
        });
        expect(aborted).toBe('OperationAborted');
        expect(outcome).toEqual({ completed: 'ok', text: 'one,two' });
      },
    );

    it.each([
      ['set back', -20],
      ['not set', 0],
      ['set forward', 20],
    ])('is renewed after some minutes, though the clock was %s', async (_how, by) => {
      const time = new TestTime();
      const fixture = await UploadFixture.open();
      fixture.bucket = { ...fixture.bucket, versioning, home: { ...fixture.bucket.home, time } };
      const { target, parts } = await fixture.started('k', 'one,', 'two');
      const calls = () =>
        fixture.calls.filter(({ method, ref }) => method === 'setMetadata' && ref.name === stagingRef(target).name)
          .length;
      let counted = 0;
      const beforePublication = async (): Promise<void> => {
        counted = calls();
        time.advance(6 * MINUTE);
        time.setWall(by * MINUTE);
      };
      await fixture.complete(target, parts, { beforePublication });
      expect(calls()).toBeGreaterThan(counted);
    });
  },
);

const CHANGES: readonly (readonly [Bucket['versioning'], Bucket['versioning']])[] = [
  ['never', 'enabled'],
  ['enabled', 'suspended'],
  ['suspended', 'enabled'],
];

describe.each(CHANGES)('a Complete of a bucket whose versioning was %s, repeated when it is %s', (before, after) => {
  const changed = (fixture: UploadFixture, target: UploadTarget, minutes: number, ahead: number): UploadTarget => ({
    ...target,
    bucket: { ...later(fixture, minutes, ahead), versioning: after },
  });

  it.each([
    [0, 0],
    [15, 10],
    [15, -10],
  ])('waits for the first one after %i minutes, with a clock that is %i minutes ahead', async (minutes, ahead) => {
    let repeated = 'none';
    const outcome = await standing(before, async (fixture, target, parts) => {
      repeated = await codeOf(fixture.complete(changed(fixture, target, minutes, ahead), parts));
    });
    expect(repeated).toBe('OperationAborted');
    expect(outcome).toEqual({ completed: 'ok', text: 'one,two' });
  });

  it.each([0, 10, -10])(
    'is carried out 45 minutes after the first one crashed, with a clock that is %i minutes ahead',
    async (ahead) => {
      const fixture = await UploadFixture.open();
      fixture.bucket = { ...fixture.bucket, versioning: before };
      const { target, parts } = await fixture.started('k', 'one,', 'two');
      const beforePublication = async (): Promise<void> => {
        fixture.plan = () => ({ kind: 'fail' });
      };
      expect(await codeOf(fixture.complete(target, parts, { beforePublication }))).not.toBe('ok');
      fixture.plan = () => undefined;
      const { versionId } = await fixture.complete(changed(fixture, target, 45, ahead), parts);
      expect(versionId === NULL_VERSION).toBe(after === 'suspended');
      fixture.bucket = { ...fixture.bucket, versioning: after };
      expect(await fixture.text('k')).toBe('one,two');
    },
  );
});

describe('the claim of a Complete that crashed', () => {
  it.each([0, 10, -10])(
    'is taken by an Abort 45 minutes later, on a machine whose clock is %i minutes ahead',
    async (ahead) => {
      let crashed = false;
      const fixture = await UploadFixture.open();
      const { target, parts } = await fixture.started('k', 'one,', 'two');
      fixture.plan = () => (crashed ? { kind: 'fail' } : undefined);
      const beforePublication = async (): Promise<void> => {
        crashed = true;
      };
      expect(await codeOf(fixture.complete(target, parts, { beforePublication }))).not.toBe('ok');
      fixture.plan = () => undefined;
      expect(await codeOf(fixture.uploads.abort({ ...target, bucket: later(fixture, 45, ahead) }, testCall()))).toBe(
        'ok',
      );
      expect([await fixture.text('k'), await fixture.names('u/', 'p/'), await fixture.openUploads()]).toEqual([
        undefined,
        [],
        [],
      ]);
    },
  );
});
