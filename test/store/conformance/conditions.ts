import { expect } from 'vitest';
import { ABSENT, at, type Condition } from '../../../src/store/blob-store.ts';
import { type Define, failsWith, streamOf, type Subject, winnersOf } from './suite.ts';

const RACERS = Array.from({ length: 20 }, (_, i) => i);

export function conditionTests(subject: Subject, test: Define): void {
  writeConditionTests(subject, test);
  otherConditionTests(subject, test);
  raceTests(subject, test);
}

function writeConditionTests(subject: Subject, test: Define): void {
  test('write on absent: creates, then conditionFailed and the old state', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'first', { condition: ABSENT });
    await failsWith(subject.write(ref, 'second', { condition: ABSENT }), 'conditionFailed');
    await failsWith(subject.write(ref, streamOf(6, [Buffer.from('second')]), { condition: ABSENT }), 'conditionFailed');
    expect(await subject.text(ref)).toBe('first');
  });

  test('write on absent works again after remove', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'first');
    await subject.store.remove(ref, undefined, subject.call);
    await subject.write(ref, 'second', { condition: ABSENT });
    expect(await subject.text(ref)).toBe('second');
  });

  test('write on a revision: replaces that one only', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'first');
    const second = await subject.write(ref, 'second', { condition: at(first.revision) });
    expect(second.revision).not.toBe(first.revision);
    await failsWith(subject.write(ref, 'third', { condition: at(first.revision) }), 'conditionFailed');
    expect(await subject.text(ref)).toBe('second');
  });

  test('write on a revision of a blob that is gone: conditionFailed, nothing made', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'first');
    await subject.store.remove(ref, undefined, subject.call);
    await failsWith(subject.write(ref, 'second', { condition: at(first.revision) }), 'conditionFailed');
    await failsWith(subject.store.head(ref, subject.call), 'notFound');
  });

  test('the same bytes and metadata again make another revision', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'same', { metadata: { a: '1' } });
    const second = await subject.write(ref, 'same', { metadata: { a: '1' } });
    expect(second.revision).not.toBe(first.revision);
  });

  test('head, read, write and list agree on the revision', async () => {
    const ref = subject.ref('agree');
    const { revision } = await subject.write(ref, 'bytes');
    expect((await subject.store.head(ref, subject.call)).revision).toBe(revision);
    const { properties, body } = await subject.store.read(ref, {}, subject.call);
    body.discard();
    expect(properties.revision).toBe(revision);
    const [entry] = await subject.list(ref.container, { prefix: ref.name });
    expect(entry).toMatchObject({ kind: 'blob', name: ref.name, revision });
  });
}

function otherConditionTests(subject: Subject, test: Define): void {
  test('setMetadata on a stale revision: conditionFailed; on a missing blob: notFound or conditionFailed', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'first', { metadata: { a: '1' } });
    const second = await subject.store.setMetadata(ref, { a: '2' }, at(first.revision), subject.call);
    await failsWith(subject.store.setMetadata(ref, { a: '3' }, at(first.revision), subject.call), 'conditionFailed');
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual({ a: '2' });
    await subject.store.remove(ref, second.revision, subject.call);
    await failsWith(
      subject.store.setMetadata(ref, { a: '4' }, at(second.revision), subject.call),
      'notFound',
      'conditionFailed',
    );
    await failsWith(subject.store.head(ref, subject.call), 'notFound');
  });

  test('remove on a revision: removes that one only', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'first');
    const second = await subject.write(ref, 'second');
    await failsWith(subject.store.remove(ref, first.revision, subject.call), 'conditionFailed');
    expect(await subject.text(ref)).toBe('second');
    await subject.store.remove(ref, second.revision, subject.call);
    await failsWith(subject.store.head(ref, subject.call), 'notFound');
  });

  test('a change of metadata makes the revision before it stale for write and remove', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'first');
    await subject.store.setMetadata(ref, { a: '1' }, at(first.revision), subject.call);
    await failsWith(subject.write(ref, 'second', { condition: at(first.revision) }), 'conditionFailed');
    await failsWith(subject.store.remove(ref, first.revision, subject.call), 'conditionFailed');
  });
}

function raceTests(subject: Subject, test: Define): void {
  const raceToWrite = async (condition: Condition, ref = subject.ref()): Promise<void> => {
    const races = RACERS.map((racer) =>
      subject.write(ref, `racer ${racer}`, { condition, metadata: { racer: `${racer}` } }),
    );
    const winners = await winnersOf(races, 'conditionFailed');
    expect(winners).toHaveLength(1);
    expect(await subject.text(ref)).toBe(`racer ${winners[0]}`);
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual({ racer: `${winners[0]}` });
  };

  test('20 writes on absent: one succeeds, its state stays', async () => {
    await raceToWrite(ABSENT);
  });

  test('20 writes on one revision: one succeeds, its state stays', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'start');
    await raceToWrite(at(revision), ref);
  });

  test('20 setMetadata on one revision: one succeeds', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'start');
    const races = RACERS.map((racer) =>
      subject.store.setMetadata(ref, { racer: `${racer}` }, at(revision), subject.call),
    );
    const winners = await winnersOf(races, 'conditionFailed');
    expect(winners).toHaveLength(1);
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual({ racer: `${winners[0]}` });
  });

  test('20 removes of one revision: one succeeds', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'start');
    const races = RACERS.map(() => subject.store.remove(ref, revision, subject.call));
    expect(await winnersOf(races, 'conditionFailed', 'notFound')).toHaveLength(1);
  });

  test('writes, changes of metadata and removes on one revision: one succeeds', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'start');
    const races = RACERS.map((racer): Promise<unknown> => {
      if (racer % 3 === 0) return subject.write(ref, `racer ${racer}`, { condition: at(revision) });
      if (racer % 3 === 1) return subject.store.setMetadata(ref, { racer: `${racer}` }, at(revision), subject.call);
      return subject.store.remove(ref, revision, subject.call);
    });
    expect(await winnersOf(races, 'conditionFailed', 'notFound')).toHaveLength(1);
  });

  test('20 unconditional writes: all succeed, the blob is one of them whole', async () => {
    const ref = subject.ref();
    const body = (racer: number): Buffer => Buffer.alloc(50_000, `racer ${racer} `);
    const races = RACERS.map((racer) => subject.write(ref, body(racer), { metadata: { racer: `${racer}` } }));
    expect(await winnersOf(races)).toHaveLength(20);
    const { revision, metadata } = await subject.store.head(ref, subject.call);
    const bytes = await subject.read(ref, undefined, revision);
    expect(bytes.equals(body(Number(metadata['racer'])))).toBe(true);
  });
}
