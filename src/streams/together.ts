/**
 * Two works side by side. A failure of one is thrown when the other has ended, too: nothing goes on behind it.
 */
export async function together<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([first(), second()]);
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
}
