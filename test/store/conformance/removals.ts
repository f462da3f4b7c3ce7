import { expect } from 'vitest';
import { type Define, failsWith, type Subject } from './suite.ts';

export function removeTests(subject: Subject, test: Define): void {
  test('remove without a revision removes any', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'first');
    await subject.write(ref, 'second');
    await subject.store.remove(ref, undefined, subject.call);
    await failsWith(subject.store.head(ref, subject.call), 'notFound');
  });

  test('remove of what does not exist: notFound', async () => {
    await failsWith(subject.store.remove(subject.ref(), undefined, subject.call), 'notFound');
  });

  test('removeMany: an outcome for each item, in order', async () => {
    const [gone, stale, pinned, plain] = [subject.ref(), subject.ref(), subject.ref(), subject.ref()];
    const old = await subject.write(stale, 'old');
    await subject.write(stale, 'new');
    const current = await subject.write(pinned, 'pinned');
    await subject.write(plain, 'plain');
    const items = [
      { name: plain.name },
      { name: gone.name },
      { name: stale.name, revision: old.revision },
      { name: pinned.name, revision: current.revision },
    ];
    const outcomes = await subject.store.removeMany(subject.container, items, subject.call);
    expect(outcomes).toEqual(['removed', 'notFound', 'conditionFailed', 'removed']);
    expect(await subject.text(stale)).toBe('new');
    for (const ref of [plain, pinned]) await failsWith(subject.store.head(ref, subject.call), 'notFound');
  });

  test('removeMany of nothing does nothing', async () => {
    expect(await subject.store.removeMany(subject.container, [], subject.call)).toEqual([]);
  });

  test('removeMany of 600 items, with names that need escaping on the wire', async () => {
    const odd = ['many/a b', 'many/a+b', 'many/a%2Fb', 'many/ü/é', 'many/?x=1&y#z', 'many//', 'many/"<>\''];
    const names = [...odd, ...Array.from({ length: 593 }, (_, i) => `many/${i}`)];
    for (const name of [...odd, 'many/7', 'many/500', 'many/592']) {
      await subject.write({ container: subject.container, name }, 'x');
    }
    const outcomes = await subject.store.removeMany(
      subject.container,
      names.map((name) => ({ name })),
      subject.call,
    );
    expect(outcomes).toHaveLength(600);
    const removed = names.filter((_, i) => outcomes[i] === 'removed');
    expect(removed).toEqual([...odd, 'many/7', 'many/500', 'many/592']);
    expect(outcomes.filter((outcome) => outcome === 'notFound')).toHaveLength(590);
    expect(await subject.names(subject.container, { prefix: 'many/' })).toEqual([]);
  });
}
