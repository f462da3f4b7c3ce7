import { expect, test } from 'vitest';
import { together } from '../../../src/streams/together.ts';

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
