import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rule } from './rule.ts';
import { World, element } from './world.ts';

const MIB = 1024 * 1024;
const LIMIT = 5 * 1024 * MIB;
const TOO_LARGE = `The specified copy source is larger than the maximum allowable size for a copy source: ${LIMIT}`;

let world: World;
let bucket: string;

/** Objects that are made of copies: memory holds their bytes once. */
beforeAll(async () => {
  world = await World.open();
  bucket = await world.bucket();
  await world.put(`/${bucket}/8m`, '8'.repeat(8 * MIB));
  await repeated('64m', ['8m', 8]);
  await repeated('512m', ['64m', 8]);
  await world.put(`/${bucket}/one`, '1');
  await repeated('limit', ['512m', 10]);
  await repeated('larger', ['512m', 10], ['one', 1]);
});
afterAll(() => world.close());

/** Makes an object of others, one after the other, each some times. */
async function repeated(key: string, ...sources: readonly (readonly [source: string, times: number])[]): Promise<void> {
  const upload = await world.upload(`/${bucket}/${key}`);
  const etags: string[] = [];
  for (const [source, times] of sources) {
    for (let turn = 0; turn < times; turn++) {
      const part = await world.copyPart(upload, `/${bucket}/${source}`, {}, etags.length + 1);
      expect(part.outcome, part.body).toBe('200');
      etags.push(element(part.body, 'ETag'));
    }
  }
  expect((await world.complete(upload, etags)).outcome).toBe('200');
}

const sizeOf = async (key: string): Promise<number> =>
  Number((await world.must('HEAD', `/${bucket}/${key}`)).headers['content-length']);

describe('5 GB', () => {
  test(rule('copy.size', 'are copied in one action'), async () => {
    expect(await sizeOf('limit')).toBe(LIMIT);
    expect((await world.copy(`/${bucket}/copy`, `/${bucket}/limit`)).outcome).toBe('200');
    expect(await sizeOf('copy')).toBe(LIMIT);
  });

  test(rule('source.too-large', 'and a byte are not'), async () => {
    expect(await sizeOf('larger')).toBe(LIMIT + 1);
    const answer = await world.copy(`/${bucket}/none`, `/${bucket}/larger`);
    expect([answer.outcome, element(answer.body, 'Message')]).toEqual(['400 InvalidRequest', TOO_LARGE]);
    expect(await world.outcome('HEAD', `/${bucket}/none`)).toBe('404');
  });
});

describe('as a part', () => {
  test.each([
    [rule('part-copy.range.too-large', 'all of a source that is too large'), undefined, TOO_LARGE],
    [rule('part-copy.range.too-large', 'a range of more than 5 GB'), `bytes=0-${LIMIT}`, TOO_LARGE],
  ])('%s', async (_title, range, message) => {
    const upload = await world.upload(`/${bucket}/parts`);
    const answer = await world.copyPart(
      upload,
      `/${bucket}/larger`,
      range === undefined ? {} : { 'x-amz-copy-source-range': range },
    );
    expect([answer.outcome, element(answer.body, 'Message')]).toEqual(['400 InvalidRequest', message]);
  });

  test(rule('part-copy.large', 'it is copied range by range'), async () => {
    const upload = await world.upload(`/${bucket}/parts`);
    const middle = LIMIT / 2;
    const etags: string[] = [];
    for (const range of [`bytes=0-${middle - 1}`, `bytes=${middle}-${LIMIT}`]) {
      const part = await world.copyPart(
        upload,
        `/${bucket}/larger`,
        { 'x-amz-copy-source-range': range },
        etags.length + 1,
      );
      expect(part.outcome, part.body).toBe('200');
      etags.push(element(part.body, 'ETag'));
    }
    expect((await world.complete(upload, etags)).outcome).toBe('200');
    expect(await sizeOf('parts')).toBe(LIMIT + 1);
    const end = await world.ask('GET', `/${bucket}/parts`, { headers: { range: 'bytes=-2' } });
    expect(end.body).toBe('81');
  });

  test(rule('part-copy.large', 'a part of 5 GB'), async () => {
    const upload = await world.upload(`/${bucket}/part`);
    expect(
      (await world.copyPart(upload, `/${bucket}/larger`, { 'x-amz-copy-source-range': `bytes=1-${LIMIT}` })).outcome,
    ).toBe('200');
    expect(element((await world.must('GET', upload)).body, 'Size')).toBe(String(LIMIT));
  });
});
