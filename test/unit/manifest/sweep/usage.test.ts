import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { usageName, writtenName } from '../../../../src/manifest/records/usage-record.ts';
import { levelOfBucket } from '../../../../src/manifest/usage/quota-levels.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { UsageFixture } from '../usage/usage-fixture.ts';
import { findings, problemsOf } from './sweep-fixture.ts';

let usage: UsageFixture;
beforeEach(async () => {
  usage = await UsageFixture.open();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Something about usage, written now. */
async function note(name: string): Promise<void> {
  await usage.world.gateway.memory.write(
    { container: 'system', name },
    new Uint8Array(0),
    { metadata: {} },
    testCall(),
  );
}

const names = (): Promise<string[]> => usage.world.names('a/');

describe('a sweep', () => {
  test('removes what processes have noted when no quota goes by it any more, and nothing that is newer', async () => {
    const { bucket } = usage.world;
    await note(writtenName(bucket, 'old'));
    usage.world.advance(3 * 24);
    expect(findings(await usage.world.sweep())).toEqual({});
    await note(writtenName(bucket, 'new'));
    await note(usageName(bucket));
    usage.world.advance(1);
    expect(findings(await usage.world.sweep())).toEqual({ written: 1 });
    expect(await names()).toEqual([usageName(bucket), writtenName(bucket, 'new')]);
  });

  test('goes by how long quotas do', async () => {
    await note(writtenName(usage.world.bucket, 'old'));
    usage.world.advance(25);
    expect(findings(await usage.world.sweep({ quotaAgeMs: 0 }))).toEqual({ written: 1 });
  });

  test('leaves counts and levels of buckets and accounts, however old they are, and what is none of ours', async () => {
    const { bucket } = usage.world;
    const kept = [usageName(bucket), levelOfBucket(bucket).name, `a/${OWNER}/quota`, 'a/x', `a/${OWNER}/gone/b/usage`];
    for (const name of kept) await note(name);
    usage.world.advance(1000);
    expect(findings(await usage.world.sweep())).toEqual({});
    expect(await names()).toEqual(kept.toSorted());
  });

  test('removes all that is known of a bucket that is gone, past the grace', async () => {
    const gone = { ownerId: OWNER, uid: 'gone' };
    for (const name of [usageName(gone), writtenName(gone, 'p'), `a/${OWNER}/gone/quota`]) await note(name);
    usage.world.advance(23);
    expect(findings(await usage.world.sweep())).toEqual({});
    usage.world.advance(2);
    expect(findings(await usage.world.sweep({ bucket: 'bucket' }))).toEqual({});
    const report = await usage.world.sweep();
    expect([findings(report), problemsOf(report)]).toEqual([{ deletedBuckets: 3 }, []]);
    expect(await names()).toEqual([]);
  });
});
