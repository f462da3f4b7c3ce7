import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { CopySource, StagedPart } from '../../../src/store/blob-store.ts';
import { brokenStream, type Define, failsWith, md5, streamOf, type Subject } from './suite.ts';

/** Above this a test of the split would move too many bytes. */
const AFFORDABLE_BLOCK = 32 * 1024 * 1024;

export function partTests(subject: Subject, test: Define): void {
  stageTests(subject, test);
  splitTests(subject, test);
  stageFromTests(subject, test);
}

function stageTests(subject: Subject, test: Define): void {
  test('parts staged in any order are assembled in the order of their tokens', async () => {
    const staging = subject.ref('staging');
    const third = await subject.stage(staging, 'three');
    const first = await subject.stage(staging, streamOf(4, [Buffer.from('one,')]));
    const second = await subject.stage(staging, 'two,');
    await subject.assemble(staging, [...first, ...second, ...third]);
    expect(await subject.text(staging)).toBe('one,two,three');
  });

  test('staging does not make the staging blob exist, nor shows it in listings', async () => {
    const staging = subject.ref('unseen');
    await subject.stage(staging, 'part');
    await failsWith(subject.store.head(staging, subject.call), 'notFound');
    await failsWith(subject.store.read(staging, {}, subject.call), 'notFound');
    expect(await subject.names(subject.container, { prefix: 'unseen' })).toEqual([]);
  });

  test('a part staged twice has tokens of its own each time, in parallel too', async () => {
    const staging = subject.ref('staging');
    const attempts = await Promise.all(['a', 'b', 'c', 'a'].map((text) => subject.stage(staging, text)));
    expect(new Set(attempts.flat()).size).toBe(4);
    await subject.assemble(staging, [...(attempts[3] ?? []), ...(attempts[1] ?? [])]);
    expect(await subject.text(staging)).toBe('ab');
  });

  test('tokens are short ASCII', async () => {
    for (const token of await subject.stage(subject.ref('staging'), 'part')) expect(token).toMatch(/^[!-~]{1,100}$/);
  });

  test('two stagings side by side do not disturb each other', async () => {
    const [left, right] = [subject.ref('staging'), subject.ref('staging')];
    const l1 = await subject.stage(left, 'left 1 ');
    const r1 = await subject.stage(right, 'right 1 ');
    const l2 = await subject.stage(left, 'left 2');
    await subject.assemble(left, [...l1, ...l2]);
    const r2 = await subject.stage(right, 'right 2');
    await subject.store.discardParts(left, subject.call);
    await subject.assemble(right, [...r1, ...r2]);
    expect(await subject.text(left)).toBe('left 1 left 2');
    expect(await subject.text(right)).toBe('right 1 right 2');
  });

  test('a part is refused that has not the MD5 it is told', async () => {
    const staging = subject.ref('staging');
    const { store, call } = subject;
    for (const body of [Buffer.from('hello'), streamOf(5, [Buffer.from('hello')])]) {
      await failsWith(store.stagePart(staging, body, { md5: md5('other') }, call), 'digestMismatch');
    }
    const { tokens } = await store.stagePart(staging, Buffer.from('hello'), { md5: md5('hello') }, call);
    await subject.assemble(staging, tokens);
    expect(await subject.text(staging)).toBe('hello');
  });

  test('the MD5 of a part is said where it was promised, and is that of its bytes', async () => {
    const { store, call } = subject;
    const staging = subject.ref('staging');
    const isPromised = await store.partDigests?.ask(staging, 5, call);
    expect(store.partDigests?.active).toBe(isPromised);
    const staged = await store.stagePart(staging, streamOf(5, [Buffer.from('hello')]), {}, call);
    if (isPromised === true) expect(staged.md5).toBe(md5('hello'));
    await subject.assemble(staging, staged.tokens);
    expect(await subject.text(staging)).toBe('hello');
  });

  test('a part whose stream breaks or ends early is not staged and disturbs no other', async () => {
    const staging = subject.ref('staging');
    const good = await subject.stage(staging, 'good');
    await failsWith(subject.stage(staging, brokenStream(100_000, Buffer.alloc(60_000))), 'aborted');
    await failsWith(subject.stage(staging, streamOf(100, [Buffer.alloc(99)])), 'aborted');
    await subject.assemble(staging, good);
    expect(await subject.text(staging)).toBe('good');
  });

  test('30 parts staged in parallel keep their bytes', async () => {
    const staging = subject.ref('staging');
    const bodies = Array.from({ length: 30 }, () => randomBytes(40_000));
    const tokens = await Promise.all(bodies.map((body) => subject.stage(staging, body)));
    await subject.assemble(staging, tokens.flat());
    expect(md5(await subject.read(staging))).toBe(md5(Buffer.concat(bodies)));
  });
}

function splitTests(subject: Subject, test: Define): void {
  test('a part above maxStagedBlock becomes several tokens', async () => {
    const block = subject.store.capabilities.maxStagedBlock;
    if (block > AFFORDABLE_BLOCK) {
      console.warn(
        `[${subject.store.kind}] split of parts not tested: maxStagedBlock is ${block}; inject a smaller one`,
      );
      return;
    }
    const staging = subject.ref('staging');
    const bytes = randomBytes(2 * block + 17);
    const fromMemory = await subject.stage(staging, bytes);
    const fromStream = await subject.stage(staging, streamOf(bytes.byteLength, chunksOf(bytes, 10_007)));
    const exact = await subject.stage(staging, bytes.subarray(0, block));
    expect([fromMemory.length, fromStream.length, exact.length]).toEqual([3, 3, 1]);
    await subject.assemble(staging, [...fromMemory, ...exact, ...fromStream]);
    const whole = Buffer.concat([bytes, bytes.subarray(0, block), bytes]);
    expect(md5(await subject.read(staging))).toBe(md5(whole));
  });

  test('a copied part above maxStagedBlock becomes several tokens', async () => {
    const block = subject.store.capabilities.maxStagedBlock;
    if (block > AFFORDABLE_BLOCK) return;
    const [ref, staging] = [subject.ref('source'), subject.ref('staging')];
    const bytes = randomBytes(block + block + 5);
    const { revision } = await subject.write(ref, bytes);
    const range = { first: 3, last: bytes.byteLength - 1 };
    const { tokens } = await subject.store.stagePartFrom(staging, { ...ref, revision }, range, subject.call);
    expect(tokens).toHaveLength(3);
    await subject.assemble(staging, tokens);
    expect(md5(await subject.read(staging))).toBe(md5(bytes.subarray(3)));
  });
}

function* chunksOf(bytes: Buffer, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

function stageFromTests(subject: Subject, test: Define): void {
  const sourceOf = async (text: string): Promise<CopySource> => {
    const ref = subject.ref('source');
    return { ...ref, revision: (await subject.write(ref, text)).revision };
  };
  const stageFrom = (
    staging: { container: string; name: string },
    source: CopySource,
    first: number,
    last: number,
  ): Promise<StagedPart> => subject.store.stagePartFrom(staging, source, { first, last }, subject.call);

  test('stagePartFrom takes the whole of a blob, or a range, beside parts that were sent', async () => {
    const staging = subject.ref('staging');
    const source = await sourceOf('0123456789');
    const whole = await stageFrom(staging, source, 0, 9);
    const start = await stageFrom(staging, source, 0, 2);
    const middle = await stageFrom(staging, source, 3, 5);
    const end = await stageFrom(staging, source, 8, 9);
    const sent = await subject.stage(staging, '-sent-');
    const parts = [middle.tokens, sent, whole.tokens, end.tokens, start.tokens];
    await subject.assemble(staging, parts.flat());
    expect(await subject.text(staging)).toBe('345-sent-012345678989012');
  });

  test('stagePartFrom keeps the bytes it took when the source changes afterwards', async () => {
    const staging = subject.ref('staging');
    const source = await sourceOf('before');
    const { tokens } = await stageFrom(staging, source, 0, 5);
    await subject.write(source, 'afterwards');
    await subject.store.remove(source, undefined, subject.call);
    await subject.assemble(staging, tokens);
    expect(await subject.text(staging)).toBe('before');
  });

  test('stagePartFrom a changed source: sourceConditionFailed; a missing one: sourceNotFound', async () => {
    const staging = subject.ref('staging');
    const source = await sourceOf('before');
    await subject.write(source, 'after!');
    await failsWith(stageFrom(staging, source, 0, 5), 'sourceConditionFailed');
    await failsWith(stageFrom(staging, source, 1, 4), 'sourceConditionFailed');
    await subject.store.remove(source, undefined, subject.call);
    await failsWith(stageFrom(staging, source, 0, 5), 'sourceNotFound');
    await failsWith(stageFrom(staging, source, 1, 4), 'sourceNotFound');
    await failsWith(stageFrom(staging, { ...source, container: 'missing-container' }, 0, 5), 'sourceNotFound');
  });
}
