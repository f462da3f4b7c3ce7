import { expect } from 'vitest';
import { at, type BlobRef, type Tier } from '../../../src/store/blob-store.ts';
import { type Define, type Subject, failsWith } from './suite.ts';

/** Tiers whose bytes can be read at once, on every service. */
const ONLINE: readonly Tier[] = ['hot', 'cool', 'cold'];

export function tierTests(subject: Subject, test: Define): void {
  const tierOf = async (ref: BlobRef): Promise<(Tier | undefined)[]> => {
    const { tier } = await subject.store.head(ref, subject.call);
    const { properties, body } = await subject.store.read(ref, {}, subject.call);
    body.discard();
    const [listed] = await subject.list(ref.container, { prefix: ref.name });
    return [tier, properties.tier, listed?.kind === 'blob' ? listed.tier : undefined];
  };

  test('a blob lies in the tier that its write names, and says so', async () => {
    for (const tier of ONLINE) {
      const ref = subject.ref();
      await subject.write(ref, 'bytes', { tier });
      expect(await tierOf(ref)).toEqual([tier, tier, tier]);
    }
  });

  test('a write over a blob of another tier moves it', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'bytes', { tier: 'cool' });
    await subject.write(ref, '', { tier: 'hot' });
    expect((await subject.store.head(ref, subject.call)).tier).toBe('hot');
  });

  test('a copy lies in the tier that it names, also one onto itself', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const { revision } = await subject.write(source, 'bytes', { metadata: { a: '1' } });
    const wire = { size: 5, headers: {}, sameHeaders: true, metadata: { a: '1' } };
    await subject.store.copy(target, { ...wire, source: { ...source, revision }, tier: 'cold' }, subject.call);
    expect((await subject.store.head(target, subject.call)).tier).toBe('cold');
    const onto = { ...wire, source: { ...source, revision }, condition: at(revision), tier: 'cool' } as const;
    await subject.store.copy(source, onto, subject.call);
    expect(await tierOf(source)).toEqual(['cool', 'cool', 'cool']);
    expect(await subject.text(source)).toBe('bytes');
  });

  test('an assembled blob lies in the tier that its assembly names', async () => {
    const ref = subject.ref();
    const { tokens } = await subject.store.stagePart(ref, Buffer.from('part'), {}, subject.call);
    await subject.store.assemble(ref, { tokens, metadata: {}, tier: 'cool' }, subject.call);
    expect(await tierOf(ref)).toEqual(['cool', 'cool', 'cool']);
  });

  test('a change of metadata leaves the tier', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'bytes', { tier: 'cool' });
    await subject.store.setMetadata(ref, { a: '1' }, at(revision), subject.call);
    expect((await subject.store.head(ref, subject.call)).tier).toBe('cool');
  });

  test('an archived blob is brought back as a copy of another name', async () => {
    const { store, call } = subject;
    if (store.rehydrate === undefined) return;
    const [source, target] = [subject.ref(), subject.ref()];
    await subject.write(source, 'bytes', { tier: 'archive' });
    await store.rehydrate(target, { source, tier: 'hot', isUrgent: false }, call);
    const isBack = async (): Promise<boolean> => (await store.head(target, call)).archived !== true;
    await expect.poll(isBack).toBe(true);
    expect(await subject.text(target)).toBe('bytes');
    expect(await store.head(source, call)).toMatchObject({ tier: 'archive', archived: true });
    const again = store.rehydrate(target, { source, tier: 'hot', isUrgent: false }, call);
    await failsWith(again, 'conditionFailed');
  });

  test('an archived blob cannot be changed where its bytes are offline, and can be removed', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'bytes', { tier: 'archive' });
    const properties = await subject.store.head(ref, subject.call);
    const { archiveIsOffline } = subject.store.capabilities;
    expect(properties).toMatchObject({ tier: 'archive', size: 5 });
    expect(properties.archived ?? false).toBe(archiveIsOffline);
    const { store, call } = subject;
    if (archiveIsOffline) {
      await failsWith(store.read(ref, {}, call), 'archived');
      await failsWith(store.write(ref, Buffer.from('x'), { metadata: {}, tier: 'hot' }, call), 'archived');
      await failsWith(store.setMetadata(ref, { a: '1' }, at(revision), call), 'archived');
      await failsWith(store.assemble(ref, { tokens: [], metadata: {} }, call), 'archived');
    } else {
      expect(await subject.text(ref)).toBe('bytes');
    }
    await store.remove(ref, revision, call);
    await failsWith(store.head(ref, call), 'notFound');
  });
}
