import { expect, test } from 'vitest';
import { mapConcurrent, mapOrAbort, together } from '../../../src/streams/map-concurrent.ts';

test('both results, and both begin at once', async () => {
  const begun: string[] = [];
  const work = (name: string) => async () => {
    begun.push(name);
    await Promise.resolve();
    expect(begun).toEqual(['a', 'b']);
    return name;
  };
  expect(await together(work('a'), work('b'))).toEqual(['a', 'b']);
});

test.each([0, 1])('a failure of work %i is told when the other one has ended', async (failing) => {
  const slow = Promise.withResolvers<string>();
  const error = new Error('refused');
  const work = (index: number) => (): Promise<string> => (index === failing ? Promise.reject(error) : slow.promise);
  let told = false;
  const outcome = together(work(0), work(1)).catch((thrown: unknown) => {
    told = true;
    return thrown;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toBe(false);
  slow.resolve('done');
  expect(await outcome).toBe(error);
});

test('of two failures, the first one’s', async () => {
  const fail = (message: string) => (): Promise<never> => Promise.reject(new Error(message));
  await expect(together(fail('one'), fail('other'))).rejects.toThrow('one');
});

test('parallel work: never wider than asked, results in order, the first failure stops it', async () => {
  let running = 0;
  let widest = 0;
  const work = async (item: number): Promise<number> => {
    running += 1;
    widest = Math.max(widest, running);
    await new Promise((resolve) => setTimeout(resolve, (item * 7) % 5));
    running -= 1;
    return item * 2;
  };
  const items = Array.from({ length: 30 }, (_, i) => i);
  expect(await mapConcurrent(items, 4, work)).toEqual(items.map((item) => item * 2));
  expect(widest).toBe(4);
  const begun: number[] = [];
  const failing = mapConcurrent(items, 2, async (item) => {
    begun.push(item);
    if (item === 3) throw new Error('three');
    return work(item);
  });
  await expect(failing).rejects.toThrow('three');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun.length).toBeLessThan(7);
});

test('the first failure ends works that are under way, and is what is thrown', async () => {
  const begun: string[] = [];
  const untilAborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  const { signal } = new AbortController();
  const failing = mapOrAbort(['slow', 'bad', 'late'], { limit: 2, signal }, async (name, either) => {
    begun.push(name);
    if (name === 'bad') throw new Error('refused');
    return untilAborted(either);
  });
  await expect(failing).rejects.toThrow('refused');
  expect(begun).toEqual(['slow', 'bad']);
});

test('what ends the call ends all works', async () => {
  const client = new AbortController();
  const left = new Error('left');
  const working = mapOrAbort(['a', 'b'], { limit: 2, signal: client.signal }, (_name, signal) => {
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  });
  client.abort(left);
  await expect(working).rejects.toBe(left);
});
