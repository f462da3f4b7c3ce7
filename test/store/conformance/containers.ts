import { expect } from 'vitest';
import type { ContainerEntry, Revision } from '../../../src/store/blob-store.ts';
import { newCallFacts } from '../../../src/observe/call.ts';
import { testCall } from '../../support/test-call.ts';
import { type Define, failsWith, type Subject, winnersOf } from './suite.ts';

export function containerTests(subject: Subject, test: Define): void {
  lifecycleTests(subject, test);
  missingContainerTests(subject, test);
  foreignContainerTests(subject, test);

  test('a call counts what it sends to the backend', async () => {
    const call = { ...subject.call, facts: newCallFacts() };
    await subject.store.headContainer(subject.container, call);
    expect(call.facts).toMatchObject({ backendCalls: 1, backendRetries: 0 });
  });

  test('a call whose signal is aborted already fails as aborted', async () => {
    await failsWith(subject.store.headContainer(subject.container, testCall(AbortSignal.abort())), 'aborted');
  });

  test('ping answers', async () => {
    await subject.store.ping(subject.call);
  });
}

function lifecycleTests(subject: Subject, test: Define): void {
  test('a container made is there, with the time of its making', async () => {
    const name = await subject.newContainer();
    const entry = await subject.store.headContainer(name, subject.call);
    expect(entry.name).toBe(name);
    expect(Math.abs(Date.now() - entry.lastModified)).toBeLessThan(60_000);
    await subject.store.removeContainer(name, subject.call);
  });

  test('a container cannot be made twice', async () => {
    await failsWith(subject.store.createContainer(subject.container, {}, subject.call), 'containerExists');
  });

  test('20 creations of one container: one succeeds', async () => {
    const name = subject.freshContainerName();
    const races = Array.from({ length: 20 }, () => subject.store.createContainer(name, {}, subject.call));
    expect(await winnersOf(races, 'containerExists')).toHaveLength(1);
    await subject.store.removeContainer(name, subject.call);
  });

  test('a container keeps the owner it was made with, in its head and in the list', async () => {
    const [owned, plain] = [subject.freshContainerName(), subject.freshContainerName()];
    const owner = '0f8fad5b-d9cb-469f-a165-70867728950e';
    expect(await subject.store.createContainer(owned, { owner }, subject.call)).toMatchObject({ name: owned, owner });
    await subject.store.createContainer(plain, {}, subject.call);
    expect(await subject.store.headContainer(owned, subject.call)).toMatchObject({ name: owned, owner });
    expect(await subject.store.headContainer(plain, subject.call)).not.toHaveProperty('owner');
    const listed = await containersOf(subject);
    expect(listed.find(({ name }) => name === owned)?.owner).toBe(owner);
    expect(listed.find(({ name }) => name === plain)).not.toHaveProperty('owner');
    await failsWith(subject.store.createContainer(owned, { owner: 'somebody-else' }, subject.call), 'containerExists');
    expect((await subject.store.headContainer(owned, subject.call)).owner).toBe(owner);
    for (const name of [owned, plain]) await subject.store.removeContainer(name, subject.call);
  });

  test('of 20 owners at once one has the container', async () => {
    const name = subject.freshContainerName();
    const races = Array.from({ length: 20 }, (_, i) =>
      subject.store.createContainer(name, { owner: `owner-${i}` }, subject.call),
    );
    const [winner] = await winnersOf(races, 'containerExists');
    expect((await subject.store.headContainer(name, subject.call)).owner).toBe(`owner-${winner}`);
    await subject.store.removeContainer(name, subject.call);
  });

  test('removing a container takes everything in it, or fails and leaves everything', async () => {
    const name = await subject.newContainer();
    const ref = { container: name, name: 'blob' };
    await subject.write(ref, 'bytes');
    if (subject.store.capabilities.removesFullContainers !== true) {
      await failsWith(subject.store.removeContainer(name, subject.call), 'containerNotEmpty');
      expect(await subject.text(ref)).toBe('bytes');
      await subject.store.remove(ref, undefined, subject.call);
    }
    await subject.store.removeContainer(name, subject.call);
    await failsWith(subject.store.headContainer(name, subject.call), 'containerNotFound');
    await failsWith(
      subject.store.head({ container: name, name: 'blob' }, subject.call),
      'notFound',
      'containerNotFound',
    );
  });

  test('listContainers names all containers, in pages', async () => {
    const made = [await subject.newContainer(), await subject.newContainer()];
    const seen = (await containersOf(subject)).map((entry) => entry.name);
    for (const name of [...made, subject.container]) expect(seen.filter((other) => other === name)).toHaveLength(1);
    for (const name of made) await subject.store.removeContainer(name, subject.call);
  });
}

async function containersOf({ store, call }: Subject): Promise<ContainerEntry[]> {
  const seen: ContainerEntry[] = [];
  let token: string | undefined;
  do {
    const page = await store.listContainers(token, call);
    seen.push(...page.containers);
    token = page.nextToken;
  } while (token !== undefined);
  return seen;
}

/** Nobody may find there what was meant for us, whether he lets us in or not. */
function foreignContainerTests(subject: Subject, test: Define): void {
  for (const name of subject.options.foreign ?? []) {
    test(`a container of somebody else, ${name}, is busy for us, and not listed`, async () => {
      await failsWith(subject.store.headContainer(name, subject.call), 'containerBusy');
      await failsWith(subject.store.createContainer(name, {}, subject.call), 'containerBusy');
      const { containers } = await subject.store.listContainers(undefined, subject.call);
      expect(containers.map((entry) => entry.name)).not.toContain(name);
    });
  }
}

function missingContainerTests(subject: Subject, test: Define): void {
  const missing = { container: 'missing-container', name: 'blob' };
  const revision = '"0x8D0000000000000"' as Revision;

  test('headContainer and removeContainer without the container: containerNotFound', async () => {
    await failsWith(subject.store.headContainer(missing.container, subject.call), 'containerNotFound');
    await failsWith(subject.store.removeContainer(missing.container, subject.call), 'containerNotFound');
  });

  test('head without the container: notFound or containerNotFound', async () => {
    await failsWith(subject.store.head(missing, subject.call), 'notFound', 'containerNotFound');
  });

  test('read, write and list without the container: containerNotFound', async () => {
    await failsWith(subject.store.read(missing, {}, subject.call), 'containerNotFound');
    await failsWith(subject.write(missing, 'bytes'), 'containerNotFound');
    await failsWith(subject.store.list(missing.container, { limit: 10 }, subject.call), 'containerNotFound');
  });

  test('remove and setMetadata without the container: notFound or containerNotFound', async () => {
    await failsWith(subject.store.remove(missing, undefined, subject.call), 'notFound', 'containerNotFound');
    const change = subject.store.setMetadata(missing, {}, { kind: 'match', revision }, subject.call);
    await failsWith(change, 'notFound', 'containerNotFound');
  });

  test('copy and stagePart into a missing container: containerNotFound', async () => {
    const ref = subject.ref();
    const source = { ...ref, revision: (await subject.write(ref, 'bytes')).revision };
    const request = { source, size: 5, headers: {}, metadata: { copy: '1' }, sameHeaders: true };
    await failsWith(subject.store.copy(missing, request, subject.call), 'containerNotFound');
    await failsWith(subject.store.stagePart(missing, Buffer.from('part'), {}, subject.call), 'containerNotFound');
  });

  test('removeMany without the container fails, as a whole or item by item', async () => {
    const outcomes = await subject.store
      .removeMany(missing.container, [{ name: 'blob' }], subject.call)
      .catch((error: unknown) => [error]);
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).not.toBe('removed');
    if (outcomes[0] instanceof Error) await failsWith(Promise.reject(outcomes[0]), 'containerNotFound', 'notFound');
  });
}
