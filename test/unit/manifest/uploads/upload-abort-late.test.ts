import { expect, it } from 'vitest';
import { testCall } from '../../../support/test-call.ts';
import type { PlannedCall } from '../../../../adapters/doubles/faults.ts';
import { UploadFixture, codeOf } from '../upload-fixture.ts';

/* An upload whose Abort was acknowledged stays aborted, whatever was under way. */

it('a part that is staged behind the claim of an Abort cannot be assembled when the claim is gone', async () => {
  const fixture = await UploadFixture.open({ settling: false });
  const { target } = await fixture.started('k', 'early');
  const aborted = Promise.withResolvers<unknown>();
  const reachedAssembly = Promise.withResolvers<unknown>();
  let completed: Promise<string> | undefined;
  const stageAndComplete = async (): Promise<void> => {
    // The record is there yet, so the part counts; the Complete has found it when the Abort removes the record.
    const late = await fixture.part(target, 1, 'late');
    fixture.plan = ({ method }) =>
      method === 'assemble'
        ? {
            kind: 'interleave',
            before: async () => {
              reachedAssembly.resolve(undefined);
              await aborted.promise;
            },
          }
        : undefined;
    completed = codeOf(fixture.complete(target, [late]));
    await reachedAssembly.promise;
    fixture.plan = () => undefined;
  };
  fixture.plan = ({ method, ref }) =>
    isRecordRemoval({ method, ref }) ? { kind: 'interleave', before: stageAndComplete } : undefined;

  expect(await codeOf(fixture.uploads.abort(target, testCall()))).toBe('ok');
  aborted.resolve(undefined);
  expect(await completed).toMatch(/^(InvalidPart|NoSuchUpload)$/);
  expect(await fixture.text('k')).toBeUndefined();
});

it('a claim without parts that lands behind an Abort publishes nothing, whoever takes it over', async () => {
  const fixture = await UploadFixture.open({ settling: false });
  const { target, parts } = await fixture.started('k', '');
  let first = 'none';
  const otherCompleteAndAbort = async (): Promise<void> => {
    fixture.plan = ({ method }) => (method === 'assemble' ? { kind: 'interleave', before: abortAndFail } : undefined);
    first = await codeOf(fixture.complete(target, parts));
    fixture.plan = () => undefined;
  };
  const abortAndFail = async (): Promise<void> => {
    fixture.plan = () => undefined;
    expect(await codeOf(fixture.uploads.abort(target, testCall()))).toBe('ok');
    fixture.plan = () => ({ kind: 'fail' });
  };
  fixture.plan = ({ method }) =>
    method === 'assemble' ? { kind: 'interleave', before: otherCompleteAndAbort } : undefined;

  expect(await codeOf(fixture.complete(target, parts))).toBe('NoSuchUpload');
  expect(first).toBe('unavailable');
  expect(await fixture.text('k')).toBeUndefined();
  expect(await fixture.names('u/', 'p/', 'c/', 'v/')).toEqual([]);
});

function isRecordRemoval({ method, ref }: Pick<PlannedCall, 'method' | 'ref'>): boolean {
  return method === 'remove' && ref.name?.startsWith('u/') === true;
}
