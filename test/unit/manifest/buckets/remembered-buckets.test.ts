import { describe, expect, it } from 'vitest';
import { testCall } from '../../../support/test-call.ts';
import type { TestTime } from '../../../support/test-time.ts';
import { codeOf } from '../upload-fixture.ts';
import { TTL, WAIT, NAME, world, asleep } from './two-replicas.ts';

describe('a bucket that is remembered', () => {
  it.each<[string, (time: TestTime) => void]>([
    [
      'when the clock is set back by ten minutes',
      (time) => {
        time.setWall(-600_000);
        time.advance(TTL);
      },
    ],
    ['when the machine stood still and only the clock knows', (time) => time.setWall(TTL)],
  ])('is not remembered for longer %s', async (_what, pass) => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    await b.create('ALT');
    expect((await a.get()).uid).toBe(bucket.uid);
    pass(a.time);
    expect((await a.get()).ownerId).toBe('ALT');
  });

  it('is read for all who ask, also when the first of them hangs up', async () => {
    const { a } = await world();
    a.time.advance(TTL);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    a.plan = ({ method }) =>
      method === 'read' && (reads += 1) > 0 ? { kind: 'interleave', before: () => gate } : undefined;
    const client = new AbortController();
    const first = codeOf(a.buckets.get(NAME, testCall(client.signal)));
    const others = [a.get(), a.get()];
    client.abort();
    expect(await first).toBe('aborted');
    release();
    expect((await Promise.all(others)).map(({ name }) => name)).toEqual([NAME, NAME]);
    expect(reads).toBe(1);
  });

  it('that is missing is remembered for strangers only, and not once it was made here', async () => {
    const { a } = await world();
    let reads = 0;
    a.plan = ({ method }) => {
      if (method === 'read') reads += 1;
      return undefined;
    };
    const ask = (): Promise<string> => codeOf(a.buckets.getForStranger('other', testCall()));
    expect([await ask(), await ask(), reads]).toEqual(['NoSuchBucket', 'NoSuchBucket', 1]);
    expect([await codeOf(a.get('other')), reads]).toEqual(['NoSuchBucket', 2]);
    a.time.advance(TTL);
    expect([await ask(), reads]).toEqual(['NoSuchBucket', 3]);
    await a.create('TENANT', 'other');
    expect(await ask()).toBe('ok');
  });
});
