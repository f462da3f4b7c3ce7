import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { testCall } from '../../support/test-call.ts';
import { codeOf } from './upload-fixture.ts';
import { TTL, WAIT, NAME, world, asleep, pass } from './buckets/two-replicas.ts';

describe('DeleteBucket', () => {
  it('is not told "gone" of, nor a writer "stored", when a slow write lands after its last look', async () => {
    const { memory, a, b, bucket } = await world();
    let outcome = Promise.resolve('');
    b.plan = ({ method }) =>
      method !== 'removeContainer'
        ? undefined
        : {
            kind: 'interleave',
            before: async () => {
              a.time.advance(5000);
              outcome = a.put(bucket, 'late');
              await asleep(a);
            },
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    await pass(a);
    expect(await outcome).toBe('NoSuchBucket');
    await expect(memory.headContainer('photos', testCall())).rejects.toMatchObject({ kind: 'containerNotFound' });
  });

  it('that finds something keeps a writer waiting, which is told "stored" then', async () => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    a.time.advance(TTL);
    const outcome = a.put(bucket, 'beside');
    await asleep(a);
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    await pass(a);
    expect(await outcome).toBe('ok');
    expect(await a.text(await a.get(), 'beside')).toBe('beside');
  });

  it('that a slow removal made possible lets it say so', async () => {
    const { a, b, bucket } = await world();
    expect(await a.put(bucket, 'last')).toBe('ok');
    const removal = { hold: Promise.withResolvers<undefined>(), done: Promise.withResolvers<undefined>() };
    a.plan = ({ method }) =>
      method === 'remove'
        ? {
            kind: 'interleave',
            after: async () => {
              removal.done.resolve(undefined);
              await removal.hold.promise;
            },
          }
        : undefined;
    const outcome = codeOf(
      a.objects.remove(
        { bucket, key: 'last', versionId: undefined },
        { conditions: {}, ownerId: 'TENANT' },
        testCall(),
      ),
    );
    await removal.done.promise;
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    a.time.advance(WAIT);
    removal.hold.resolve(undefined);
    expect(await outcome).toBe('ok');
  });

  it.each(['mark', 'tombstone'])('that dies after its %s leaves a writer in doubt, and not for long', async (after) => {
    const { a, b, bucket } = await world();
    b.plan = ({ method }) =>
      method === (after === 'mark' ? 'list' : 'removeContainer')
        ? { kind: 'interleave', before: () => new Promise(() => undefined) }
        : undefined;
    void b.buckets.delete(await b.get(), () => Promise.resolve(true), testCall());
    await asleep(b);
    if (after === 'tombstone') {
      b.time.advance(WAIT);
      for (let turns = 0; turns < 1000; turns += 1) await turn();
    }
    a.time.advance(TTL);
    const outcome = a.put(bucket, 'doubtful');
    await asleep(a);
    for (let pauses = 0; pauses < 10 && a.time.isAsleep; pauses += 1) await pass(a);
    expect(a.time.isAsleep).toBe(false);
    expect(await outcome).toBe('ServiceUnavailable');
    expect(a.time.monotonic()).toBeLessThan(20_000);
  });

  it('sees what was acknowledged by a record that was still fresh', async () => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    a.time.advance(TTL - 1);
    expect(await a.put(bucket, 'fresh')).toBe('ok');
    b.time.advance(WAIT);
    expect(await deletion).toBe('BucketNotEmpty');
    a.time.advance(1);
    expect(await a.text(await a.get(), 'fresh')).toBe('fresh');
  });

  it('a write that takes longer than records are remembered asks once more, and is stored when nobody deletes', async () => {
    const { a, bucket } = await world();
    const reads: string[] = [];
    a.plan = ({ method, ref }) => {
      if (method === 'read') reads.push(ref.name ?? '');
      return undefined;
    };
    expect(await a.put(bucket, 'fast')).toBe('ok');
    expect(reads).toEqual([]);
    a.time.advance(5000);
    expect(await a.put(bucket, 'slow')).toBe('ok');
    expect(reads).toEqual(['b/photos']);
  });

  it.each(['was stopped for 61.5 s', 'has a clock that is 90 s behind'])(
    'removes nothing when it %s and others have taken its mark away',
    async (what) => {
      const { a, b, bucket } = await world();
      if (what.includes('behind')) b.time.setWall(-90_000);
      const deletion = b.delete(await b.get());
      await asleep(b);
      a.time.advance(TTL);
      expect(await codeOf(a.get())).toBe('OperationAborted');
      a.time.advance(61_500);
      const revived = await a.get();
      expect(revived.uid).toBe(bucket.uid);
      expect(await a.put(revived, 'acknowledged')).toBe('ok');
      b.time.advance(61_500);
      expect(await deletion).toMatch(/BucketNotEmpty|OperationAborted/);
      expect(await a.text(revived, 'acknowledged')).toBe('acknowledged');
    },
  );

  it('does not remove what came between its last look and the tombstone, because its mark is gone', async () => {
    const { a, b } = await world();
    b.plan = ({ method, ref, count }) =>
      method !== 'list' || ref.container !== 'photos' || count < 2
        ? undefined
        : {
            kind: 'interleave',
            after: async () => {
              await a.create('TENANT');
              expect(await a.put(await a.get(), 'kept')).toBe('ok');
            },
          };
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('OperationAborted');
    expect(await a.text(await a.get(), 'kept')).toBe('kept');
  });

  it("a held write for the deleted bucket does not land in the next owner's of that name", async () => {
    const { a, b, bucket } = await world();
    const deletion = b.delete(await b.get());
    await asleep(b);
    b.time.advance(WAIT);
    expect(await deletion).toBe('ok');
    expect(await b.create('ALT')).toBe(true);
    const next = await b.get();
    expect(next).toMatchObject({ ownerId: 'ALT', name: NAME });
    expect(next.home.container).not.toBe(bucket.home.container);
    expect(await a.put(bucket, 'held')).not.toBe('ok');
    expect(await b.text(next, 'held')).toBe('NoSuchKey');
  });
});
