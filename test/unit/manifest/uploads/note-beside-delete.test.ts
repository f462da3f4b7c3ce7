import { expect, test } from 'vitest';
import { isStoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER, UploadFixture } from '../upload-fixture.ts';

const NOTES = 'c/';

test('an object stays whose DELETE failed while the note of its Complete was written', async () => {
  const fixture = await UploadFixture.open();
  const { objects, bucket } = fixture;
  const { target, parts } = await fixture.started('k', 'text');
  let deleted: Promise<string> | undefined;
  let isRefused = true;
  fixture.plan = ({ method, ref }) => {
    if (method === 'remove' && isRefused && ref.container !== 'system') return { kind: 'fail', error: 'throttled' };
    if (method !== 'write' || ref.name?.startsWith(NOTES) !== true || deleted !== undefined) return undefined;
    const remove = objects.remove(
      { bucket, key: 'k', versionId: undefined },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    deleted = remove.then(
      () => 'done',
      (error: unknown) => (isStoreError(error, 'throttled') ? 'throttled' : 'failed'),
    );
    return {
      kind: 'interleave',
      before: async () => {
        await deleted;
        isRefused = false;
      },
    };
  };
  await fixture.complete(target, parts);
  await fixture.idle();
  expect(await deleted).toBe('throttled');
  expect(await fixture.text('k')).toBe('text');
});
