import { afterEach, describe, expect, it, vi } from 'vitest';
import { newToken } from '../../../../src/manifest/records/version-token.ts';
import { versionRef } from '../../../../src/manifest/records/version-names.ts';
import { SWEEP_DEFAULTS } from '../../../../src/manifest/sweep/sweep-run.ts';
import { sweep } from '../../../../src/manifest/sweep/sweep.ts';
import type { SweepReport } from '../../../../src/manifest/sweep/sweep-report.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { HOUR, SweepFixture, findings } from './sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A sweeper whose machine's clock is off by so many hours; the service's is right. */
function sweepWith(world: SweepFixture, ahead: number, readService: () => number): Promise<SweepReport> {
  const realm = world.realm();
  const local = Date.now() + ahead * HOUR;
  const readClock = async (): Promise<{ sent: number; received: number; service: number }> => ({
    sent: local,
    received: local,
    service: readService(),
  });
  const options = {
    realm,
    backends: realm.backends,
    settings: SWEEP_DEFAULTS,
    now: () => local,
    clockOf: () => ({ readClock }),
  };
  return sweep(options, testCall());
}

/** A version's own blob that no head names, as a writer at work leaves it for a moment, and a crashed one for good. */
async function uncommitted(world: SweepFixture): Promise<void> {
  await world.version('enabled');
  const token = newToken(Date.now() * 1000);
  const metadata = { s3gw: JSON.stringify({ v: 1, s: Date.now() * 1000 }) };
  await world.gateway.memory.write(
    versionRef({ bucket: world.bucket, key: 'k' }, token),
    Buffer.from('bytes'),
    { metadata },
    testCall(),
  );
  await world.put('other', 'k');
}

describe('the age of what a sweeper looks at', () => {
  it('is judged by the clock of the service: one that is days ahead takes nothing from a writer', async () => {
    const world = await SweepFixture.open();
    await uncommitted(world);
    const before = await world.names('v/');
    expect(findings(await sweepWith(world, 72, Date.now))).toEqual({});
    expect(await world.names('v/')).toEqual(before);
    world.advance(25);
    expect(findings(await sweepWith(world, -72, Date.now))).toEqual({ versions: 1 });
    expect(await world.names('v/')).toHaveLength(before.length - 1);
  });

  it('is not judged at all when the service does not tell the time', async () => {
    const world = await SweepFixture.open();
    await uncommitted(world);
    world.advance(25);
    const before = await world.names('v/');
    const silent = (): never => {
      throw new StoreError('unavailable', { call: 'readClock' });
    };
    for (const read of [silent, () => NaN]) {
      const report = await sweepWith(world, 0, read);
      expect(findings(report)).toEqual({});
      expect(report.backends[0]?.problems).toEqual([expect.stringMatching(/^clock: /)]);
    }
    expect(await world.names('v/')).toEqual(before);
  });
});
