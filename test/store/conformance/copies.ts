import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import {
  ABSENT,
  at,
  type BlobRef,
  type CopyRequest,
  type Revision,
  type WriteResult,
} from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { dropContainer } from '../../support/backends/drop-container.ts';
import { type Define, failsWith, md5, type Subject, winnersOf } from './suite.ts';

export function copyTests(subject: Subject, test: Define): void {
  const copy = (
    target: BlobRef,
    source: BlobRef,
    of: WriteResult,
    more: Partial<CopyRequest> = {},
  ): Promise<WriteResult> => {
    const request = {
      source: { ...source, revision: of.revision },
      size: 6,
      headers: {},
      metadata: { copy: '1' },
      sameHeaders: true,
      ...more,
    };
    return subject.store.copy(target, request, subject.call);
  };

  test('copy keeps the headers and md5 of the source, with metadata of its own', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const headers = { contentType: 'a/a', cacheControl: 'no-store', contentLanguage: 'fr' };
    const of = await subject.write(source, 'source', { headers, metadata: { a: '1' } });
    const result = await copy(target, source, of, { headers, metadata: { b: '2' }, md5: md5('source') });
    const properties = await subject.store.head(target, subject.call);
    const { revision, lastModified } = result;
    expect(properties).toMatchObject({ ...headers, size: 6, md5: md5('source'), revision, lastModified });
    expect(properties.metadata).toEqual({ b: '2' });
    expect(await subject.text(target)).toBe('source');
    expect(await subject.store.head(source, subject.call)).toMatchObject({
      metadata: { a: '1' },
      revision: of.revision,
    });
  });

  test('copy gives the target headers of its own, or does nothing', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const of = await subject.write(source, 'source', {
      headers: { contentType: 'a/a', cacheControl: 'no-store' },
      metadata: { a: '1' },
    });
    const more = {
      headers: { contentType: 'b/b', contentLanguage: 'fr' },
      metadata: { b: '2' },
      md5: md5('source'),
      sameHeaders: false,
    };
    const copied = await copy(target, source, of, more).catch((error: unknown) => {
      if (!isStoreError(error, 'tooLarge')) throw error;
    });
    if (copied === undefined) {
      await failsWith(subject.store.head(target, subject.call), 'notFound');
      await subject.write(target, 'free', { condition: ABSENT });
      return;
    }
    const properties = await subject.store.head(target, subject.call);
    expect(properties).toMatchObject({
      contentType: 'b/b',
      contentLanguage: 'fr',
      size: 6,
      md5: md5('source'),
      revision: copied.revision,
    });
    expect(properties.metadata).toEqual({ b: '2' });
    expect(properties.cacheControl).toBeUndefined();
    expect(await subject.text(target)).toBe('source');
    expect(await subject.store.head(source, subject.call)).toMatchObject({ contentType: 'a/a', revision: of.revision });
  });

  test('a copy that fails, for whatever reason, leaves the name free', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const size = 3 * 1024 * 1024;
    const of = await subject.write(source, randomBytes(size));
    await failsWith(copy(target, source, of, { size, condition: at(of.revision) }), 'conditionFailed');
    await subject.write(source, 'change');
    await failsWith(copy(target, source, of, { size }), 'sourceConditionFailed');
    await failsWith(subject.store.head(target, subject.call), 'notFound');
    await subject.write(target, 'free', { condition: ABSENT });
    expect(await subject.text(target)).toBe('free');
  });

  test('a copy that is too large does nothing', async () => {
    const { maxCopy } = subject.store.capabilities;
    if (!Number.isFinite(maxCopy)) return;
    const [source, target] = [subject.ref(), subject.ref()];
    const of = await subject.write(source, 'source');
    await failsWith(copy(target, source, of, { size: maxCopy + 1 }), 'tooLarge');
    await subject.write(target, 'free', { condition: ABSENT });
  });

  test('copy from another container', async () => {
    const container = await subject.newContainer();
    const source = { container, name: 'dir/ü name+%2F' };
    const of = await subject.write(source, 'source');
    const target = subject.ref();
    await copy(target, source, of);
    await dropContainer(subject.store, container);
    expect(await subject.text(target)).toBe('source');
  });

  test('copy of several megabytes, and of an empty blob', async () => {
    for (const bytes of [randomBytes(6_000_000), Buffer.alloc(0)]) {
      const [source, target] = [subject.ref(), subject.ref()];
      await copy(target, source, await subject.write(source, bytes), { size: bytes.byteLength });
      expect((await subject.read(target)).equals(bytes)).toBe(true);
    }
  });

  test('copy of an assembled blob has the md5 that it is given', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const tokens = [...(await subject.stage(source, 'sou')), ...(await subject.stage(source, 'rce'))];
    const request = { tokens, metadata: {}, md5: md5('source') };
    const of = await subject.store.assemble(source, request, subject.call);
    await copy(target, source, of, { md5: md5('source') });
    expect((await subject.store.head(target, subject.call)).md5).toBe(md5('source'));
  });

  test('copy of an empty source that is gone or changed does nothing', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const more = { size: 0, metadata: {}, sameHeaders: false };
    const of = await subject.write(source, '');
    await subject.write(source, 'change');
    await failsWith(copy(target, source, of, more), 'sourceConditionFailed');
    await subject.store.remove(source, undefined, subject.call);
    await failsWith(copy(target, source, of, more), 'sourceNotFound');
    await failsWith(subject.store.head(target, subject.call), 'notFound');
  });

  test('copy onto itself replaces headers and metadata', async () => {
    const ref = subject.ref();
    const of = await subject.write(ref, 'source', { metadata: { a: '1' } });
    const result = await copy(ref, ref, of, { metadata: { b: '2' }, condition: at(of.revision) });
    expect(result.revision).not.toBe(of.revision);
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual({ b: '2' });
    expect(await subject.text(ref)).toBe('source');
  });

  test('copy of a source that is gone or changed leaves the target', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const of = await subject.write(source, 'source');
    await subject.write(target, 'target');
    await subject.write(source, 'change');
    await failsWith(copy(target, source, of), 'sourceConditionFailed');
    await subject.store.remove(source, undefined, subject.call);
    await failsWith(copy(target, source, of), 'sourceNotFound');
    await failsWith(copy(target, { container: 'missing-container', name: 'x' }, of), 'sourceNotFound');
    expect(await subject.text(target)).toBe('target');
  });

  test('a source is pinned with its metadata, and when it is made anew with the same bytes', async () => {
    if (!subject.store.capabilities.pinsSources) return;
    const [source, target, staging] = [subject.ref(), subject.ref(), subject.ref('staging')];
    const wasThere = async (revision: Revision): Promise<void> => {
      await failsWith(copy(target, source, { revision, lastModified: 0 }), 'sourceConditionFailed');
      const part = subject.store.stagePartFrom(staging, { ...source, revision }, { first: 0, last: 5 }, subject.call);
      await failsWith(part, 'sourceConditionFailed');
      const whole = { ...source, revision, size: 6 };
      const sized = subject.store.stagePartFrom(staging, whole, { first: 0, last: 5 }, subject.call);
      await failsWith(sized, 'sourceConditionFailed');
      await failsWith(subject.store.read(source, { revision }, subject.call), 'conditionFailed');
    };
    const first = await subject.write(source, 'source', { metadata: { acl: 'public' } });
    const second = await subject.store.setMetadata(source, { acl: 'private' }, at(first.revision), subject.call);
    await wasThere(first.revision);
    await subject.store.remove(source, undefined, subject.call);
    await subject.write(source, 'source', { metadata: { acl: 'public' } });
    await wasThere(first.revision);
    await wasThere(second.revision);
    await failsWith(subject.store.head(target, subject.call), 'notFound');
  });

  test('copy on a condition of the target', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const of = await subject.write(source, 'source');
    const made = await copy(target, source, of, { condition: ABSENT });
    await failsWith(copy(target, source, of, { condition: ABSENT }), 'conditionFailed');
    const replaced = await copy(target, source, of, { condition: at(made.revision), metadata: { a: '1' } });
    await failsWith(copy(target, source, of, { condition: at(made.revision) }), 'conditionFailed');
    expect(await subject.store.head(target, subject.call)).toMatchObject({
      revision: replaced.revision,
      metadata: { a: '1' },
    });
  });

  test('20 copies on absent: one succeeds', async () => {
    const [source, target] = [subject.ref(), subject.ref()];
    const of = await subject.write(source, 'source');
    const races = Array.from({ length: 20 }, (_, i) =>
      copy(target, source, of, { condition: ABSENT, metadata: { racer: `${i}` } }),
    );
    const winners = await winnersOf(races, 'conditionFailed');
    expect(winners).toHaveLength(1);
    expect((await subject.store.head(target, subject.call)).metadata).toEqual({ racer: `${winners[0]}` });
    expect(await subject.text(target)).toBe('source');
  });
}
