import { expect } from 'vitest';
import { ABSENT, at } from '../../../src/store/blob-store.ts';
import { type Define, failsWith, md5, type Subject, winnersOf } from './suite.ts';

export function stagingTests(subject: Subject, test: Define): void {
  assembleTests(subject, test);
  claimTests(subject, test);
  discardTests(subject, test);
}

function assembleTests(subject: Subject, test: Define): void {
  test('an assembled blob has the headers, metadata and md5 it was given', async () => {
    const staging = subject.ref();
    const tokens = [...(await subject.stage(staging, 'ab')), ...(await subject.stage(staging, 'cd'))];
    const headers = { contentType: 'text/x', contentEncoding: 'gzip', cacheControl: 'private' };
    const request = { tokens, headers, metadata: { a: '1' }, md5: md5('abcd'), condition: ABSENT };
    const result = await subject.store.assemble(staging, request, subject.call);
    const { revision, lastModified } = result;
    const expected = { ...headers, size: 4, metadata: { a: '1' }, md5: md5('abcd'), revision, lastModified };
    expect(await subject.store.head(staging, subject.call)).toMatchObject(expected);
  });

  test('parts that assemble does not name are left out', async () => {
    const staging = subject.ref();
    await subject.stage(staging, 'left out');
    const named = await subject.stage(staging, 'named');
    await subject.assemble(staging, named);
    expect(await subject.text(staging)).toBe('named');
  });

  test('an unknown token: partsGone, nothing made', async () => {
    const staging = subject.ref();
    const other = subject.ref();
    const tokens = await subject.stage(staging, 'part');
    const foreign = await subject.stage(other, 'foreign');
    await subject.store.discardParts(staging, subject.call);
    await failsWith(subject.assemble(staging, tokens), 'partsGone');
    await failsWith(subject.store.head(staging, subject.call), 'notFound');
    await failsWith(subject.assemble(staging, foreign), 'partsGone');
  });

  test('one unknown token among good ones: partsGone, and the good ones stay', async () => {
    const staging = subject.ref();
    const gone = await subject.stage(staging, 'gone');
    await subject.store.discardParts(staging, subject.call);
    const good = await subject.stage(staging, 'good');
    await failsWith(subject.assemble(staging, [...good, ...gone]), 'partsGone');
    await subject.assemble(staging, good);
    expect(await subject.text(staging)).toBe('good');
  });

  test('parts staged after assemble do not change the blob', async () => {
    const staging = subject.ref();
    const { revision } = await subject.assemble(staging, await subject.stage(staging, 'assembled'));
    await subject.stage(staging, 'late');
    expect(await subject.text(staging)).toBe('assembled');
    expect((await subject.store.head(staging, subject.call)).revision).toBe(revision);
  });

  test('assemble on a condition that fails leaves the blob, and the parts for another try', async () => {
    const staging = subject.ref();
    const claim = await subject.assemble(staging, []);
    const tokens = await subject.stage(staging, 'part');
    const request = { tokens, metadata: { a: '1' } };
    await failsWith(
      subject.store.assemble(staging, { ...request, condition: ABSENT }, subject.call),
      'conditionFailed',
    );
    expect((await subject.store.head(staging, subject.call)).revision).toBe(claim.revision);
    await subject.store.assemble(staging, { ...request, condition: at(claim.revision) }, subject.call);
    expect(await subject.text(staging)).toBe('part');
  });

  test('assemble on a stale revision: conditionFailed, and blob and parts stay', async () => {
    const staging = subject.ref();
    const claim = await subject.assemble(staging, []);
    const current = await subject.store.setMetadata(staging, { a: '1' }, at(claim.revision), subject.call);
    const request = { tokens: await subject.stage(staging, 'part'), metadata: {} };
    const stale = subject.store.assemble(staging, { ...request, condition: at(claim.revision) }, subject.call);
    await failsWith(stale, 'conditionFailed');
    expect(await subject.store.head(staging, subject.call)).toMatchObject({ size: 0, revision: current.revision });
    await subject.store.assemble(staging, { ...request, condition: at(current.revision) }, subject.call);
    expect(await subject.text(staging)).toBe('part');
  });

  test('an assembled blob is a blob like others: read by range, given metadata, removed', async () => {
    const staging = subject.ref();
    const tokens = [...(await subject.stage(staging, '01234')), ...(await subject.stage(staging, '56789'))];
    const request = { tokens, metadata: {}, md5: md5('0123456789') };
    const { revision } = await subject.store.assemble(staging, request, subject.call);
    expect(await subject.text(staging, { first: 3, last: 6 })).toBe('3456');
    const changed = await subject.store.setMetadata(staging, { a: '1' }, at(revision), subject.call);
    expect(await subject.text(staging)).toBe('0123456789');
    expect(await subject.store.head(staging, subject.call)).toMatchObject({ metadata: { a: '1' }, md5: request.md5 });
    await subject.store.remove(staging, changed.revision, subject.call);
    await failsWith(subject.store.head(staging, subject.call), 'notFound');
  });
}

function claimTests(subject: Subject, test: Define): void {
  test('assemble without tokens on absent claims the name; a second claim fails', async () => {
    const staging = subject.ref();
    const claim = { tokens: [], metadata: { owner: 'one' }, condition: ABSENT };
    await subject.store.assemble(staging, claim, subject.call);
    expect(await subject.store.head(staging, subject.call)).toMatchObject({ size: 0, metadata: { owner: 'one' } });
    const second = { ...claim, metadata: { owner: 'two' } };
    await failsWith(subject.store.assemble(staging, second, subject.call), 'conditionFailed');
    expect((await subject.store.head(staging, subject.call)).metadata).toEqual({ owner: 'one' });
  });

  test('a name with staged parts can still be claimed on absent', async () => {
    const staging = subject.ref();
    await subject.stage(staging, 'part');
    await subject.store.assemble(staging, { tokens: [], metadata: {}, condition: ABSENT }, subject.call);
    expect(await subject.text(staging)).toBe('');
  });

  test('20 assembles of the same parts on absent: one succeeds', async () => {
    const staging = subject.ref();
    const tokens = await subject.stage(staging, 'part');
    const races = Array.from({ length: 20 }, (_, i) =>
      subject.store.assemble(staging, { tokens, metadata: { racer: `${i}` }, condition: ABSENT }, subject.call),
    );
    const winners = await winnersOf(races, 'conditionFailed', 'partsGone');
    expect(winners).toHaveLength(1);
    expect((await subject.store.head(staging, subject.call)).metadata).toEqual({ racer: `${winners[0]}` });
    expect(await subject.text(staging)).toBe('part');
  });
}

function discardTests(subject: Subject, test: Define): void {
  test('discardParts is idempotent, and does nothing where nothing was staged', async () => {
    const staging = subject.ref();
    await subject.store.discardParts(staging, subject.call);
    await subject.stage(staging, 'part');
    await subject.store.discardParts(staging, subject.call);
    await subject.store.discardParts(staging, subject.call);
    await failsWith(subject.store.head(staging, subject.call), 'notFound');
  });

  test('where parts are blobs of their own, none is left behind discardParts, nor for long behind assemble', async () => {
    const { staged } = subject.store;
    if (staged === undefined) return;
    const staging = subject.ref();
    const lie = async (): Promise<number> =>
      (await subject.names(staging.container, { prefix: staged.prefixOf(staging) })).length;
    await Promise.all(['a', 'b', 'c'].map((text) => subject.stage(staging, text)));
    expect([staged.prefixOf(staging).startsWith(staged.prefix), await lie()]).toEqual([true, 3]);
    await subject.store.discardParts(staging, subject.call);
    expect(await lie()).toBe(0);
    const tokens = [...(await subject.stage(staging, 'x')), ...(await subject.stage(staging, 'y'))];
    await subject.assemble(staging, tokens);
    await expect.poll(lie, { timeout: 30_000 }).toBe(0);
    expect(await subject.text(staging)).toBe('xy');
  });

  test('discardParts after assemble leaves the blob', async () => {
    const staging = subject.ref();
    const { revision } = await subject.assemble(staging, await subject.stage(staging, 'assembled'), {
      metadata: { a: '1' },
    });
    await subject.stage(staging, 'late');
    await subject.store.discardParts(staging, subject.call);
    expect(await subject.text(staging)).toBe('assembled');
    const properties = await subject.store.head(staging, subject.call);
    expect(properties.metadata).toEqual({ a: '1' });
    expect(properties.revision).toBe(revision);
  });

  test('where the service keeps parts to itself, an assembled blob that is made anew throws away later ones', async () => {
    if (subject.store.staged !== undefined) return;
    const staging = subject.ref();
    const { revision } = await subject.assemble(staging, [], { metadata: { a: '1' } });
    const late = await subject.stage(staging, 'late');
    const again = await subject.assemble(staging, [], { metadata: { a: '1' }, condition: at(revision) });
    await subject.store.remove(staging, again.revision, subject.call);
    await failsWith(subject.assemble(staging, late), 'partsGone');
    await failsWith(subject.assemble(staging, [], { condition: at(revision) }), 'conditionFailed', 'notFound');
  });

  test('after discardParts the name can be used again', async () => {
    const staging = subject.ref();
    await subject.stage(staging, 'first try');
    await subject.store.discardParts(staging, subject.call);
    await subject.assemble(staging, await subject.stage(staging, 'second try'));
    expect(await subject.text(staging)).toBe('second try');
  });
}
