/**
 * Maps with at most `limit` calls of `work` under way; results in the order of the items.
 * The first rejection stops new work and rejects, once the calls under way have ended.
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failed: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (failed === undefined && next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failed !== undefined) throw failed.error;
  return results;
}

/**
 * The same for works that end when a signal says so: the first rejection aborts the calls under way, so that none of
 * them keeps it waiting.
 * @param signal ends all of them
 */
export function mapOrAbort<T, R>(
  items: readonly T[],
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  return mapConcurrent(items, limit, async (item) => {
    try {
      return await work(item, either);
    } catch (error) {
      stop.abort();
      throw error;
    }
  });
}

/**
 * Two works side by side. A failure of one is thrown when the other has ended, too: nothing goes on behind it.
 */
export async function together<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([first(), second()]);
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
}
