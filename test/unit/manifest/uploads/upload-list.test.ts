import { describe, expect, it } from 'vitest';
import type { UploadListRequest, UploadPage } from '../../../../src/manifest/uploads/upload-list.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf } from '../upload-fixture.ts';

type Listed = UploadPage['entries'][number];

function label(entry: Listed): string {
  return entry.kind === 'upload' ? `${entry.key} ${entry.uploadId}` : entry.prefix;
}

/** All pages, each begun with the markers that the one before ended with. */
async function walk(fixture: UploadFixture, request: UploadListRequest): Promise<string[][]> {
  const pages: string[][] = [];
  let next = request;
  for (;;) {
    const page: UploadPage = await fixture.uploads.list(fixture.bucket, next, testCall());
    expect(page.entries.length).toBeLessThanOrEqual(request.limit);
    pages.push(page.entries.map(label));
    const last = page.entries.at(-1);
    if (!page.isTruncated || last === undefined) return pages;
    next = {
      ...request,
      ...(last.kind === 'upload' ? { afterKey: last.key, afterUpload: last.uploadId } : { afterKey: last.prefix }),
    };
    expect(pages.length).toBeLessThan(500);
  }
}

/** What S3 lists, computed from all uploads. */
function expected(
  uploads: readonly { key: string; uploadId: string }[],
  { prefix, delimiter = '' }: UploadListRequest,
): string[] {
  const bytes = (text: string): Buffer => Buffer.from(text);
  const sorted = [...uploads].sort((a, b) => bytes(a.key).compare(bytes(b.key)) || (a.uploadId < b.uploadId ? -1 : 1));
  const labels = sorted
    .filter(({ key }) => key.startsWith(prefix))
    .map(({ key, uploadId }) => {
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return at < 0 ? `${key} ${uploadId}` : key.slice(0, at + delimiter.length);
    });
  return labels.filter((text, index) => text !== labels[index - 1]);
}

const KEYS = [
  'a',
  'a',
  'a',
  'a!',
  'a/1',
  'a/2',
  'a/2',
  'a0',
  'b/x/1',
  'b/x/2',
  'b/y',
  'c\\d',
  'e\u0301',
  '\u00e9',
  '\ue000',
  '\u{1f600}',
  'z',
];

describe.each([{ maxListPage: 5000 }, { maxListPage: 3 }])(
  'listing uploads from pages of $maxListPage',
  (capabilities) => {
    it.each([
      { prefix: '' },
      { prefix: 'a' },
      { prefix: 'a/' },
      { prefix: '', delimiter: '/' },
      { prefix: 'b/', delimiter: '/' },
      { prefix: '', delimiter: 'x/' },
      { prefix: '', delimiter: '\\' },
      { prefix: 'none' },
    ])('shows each once, by key and initiation: $prefix $delimiter', async (request) => {
      const fixture = await UploadFixture.open({ capabilities });
      const uploads = [];
      for (const key of [...KEYS].reverse()) uploads.push(await fixture.create(key));
      const all = expected(uploads, { ...request, limit: 1000 });
      for (const limit of [1, 2, 3, 1000]) {
        const pages = await walk(fixture, { ...request, limit });
        expect(pages.flat()).toEqual(all);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    });
  },
);

describe('listing uploads', () => {
  it('goes on behind a key that has none, and behind all uploads of one that has', async () => {
    const fixture = await UploadFixture.open();
    for (const key of ['a', 'b', 'b', 'c']) await fixture.create(key);
    const keysAfter = async (afterKey: string): Promise<string[]> => {
      const { entries } = await fixture.uploads.list(fixture.bucket, { prefix: '', afterKey, limit: 10 }, testCall());
      return entries.map((entry) => (entry.kind === 'upload' ? entry.key : entry.prefix));
    };
    expect(await keysAfter('b')).toEqual(['c']);
    expect(await keysAfter('aa')).toEqual(['b', 'b', 'c']);
    expect(await keysAfter('')).toEqual(['a', 'b', 'b', 'c']);
    expect(await keysAfter('z')).toEqual([]);
  });

  it('refuses an upload marker that is not of the key', async () => {
    const fixture = await UploadFixture.open();
    const { uploadId } = await fixture.create('a');
    const list = (afterKey: string, afterUpload: string): Promise<unknown> =>
      fixture.uploads.list(fixture.bucket, { prefix: '', afterKey, afterUpload, limit: 10 }, testCall());
    expect(await codeOf(list('a', uploadId))).toBe('ok');
    expect(await codeOf(list('b', uploadId))).toBe('InvalidArgument');
    expect(await codeOf(list('a', '../../x'))).toBe('InvalidArgument');
  });

  it('shows only the uploads of the bucket', async () => {
    const fixture = await UploadFixture.open();
    const other = await fixture.addBucket('other');
    await fixture.create('a');
    expect(await fixture.uploads.list(other, { prefix: '', limit: 10 }, testCall())).toEqual({
      entries: [],
      isTruncated: false,
    });
  });

  it('asks for nothing when nothing is wanted, and once for a page', async () => {
    const fixture = await UploadFixture.open();
    for (let i = 0; i < 30; i++) await fixture.create(`k${i}`);
    const none = testCall();
    expect(await fixture.uploads.list(fixture.bucket, { prefix: '', limit: 0 }, none)).toEqual({
      entries: [],
      isTruncated: false,
    });
    expect(none.facts.backendCalls).toBe(0);
    const one = testCall();
    expect((await fixture.uploads.list(fixture.bucket, { prefix: '', limit: 20 }, one)).entries).toHaveLength(20);
    expect(one.facts.backendCalls).toBe(1);
  });

  it('jumps over what lies beneath a prefix that it has shown', async () => {
    const fixture = await UploadFixture.open({ capabilities: { maxListPage: 10 } });
    for (let i = 0; i < 300; i++) await fixture.create(`dir/${i}`);
    await fixture.create('z');
    const call = testCall();
    const { entries } = await fixture.uploads.list(fixture.bucket, { prefix: '', delimiter: '/', limit: 100 }, call);
    expect(entries).toMatchObject([{ prefix: 'dir/' }, { key: 'z' }]);
    expect(call.facts.backendCalls).toBe(2);
  });

  it('shows keys that share more than a name can hold', async () => {
    const fixture = await UploadFixture.open();
    const stem = '\u4e2d'.repeat(330);
    const keys = [`${stem}a`, `${stem}b`, `${stem}c/1`, `${stem}c/2`, '\u4e2d', '\u4e2e'];
    const uploads = [];
    for (const key of keys) uploads.push(await fixture.create(key));
    const pages = await walk(fixture, { prefix: '\u4e2d', limit: 1 });
    const all = uploads.filter(({ key }) => key.startsWith('\u4e2d')).map(({ key, uploadId }) => `${key} ${uploadId}`);
    expect(pages.flat().sort()).toEqual(all.sort());
    const narrow = await walk(fixture, { prefix: `${stem}b`, limit: 2 });
    expect(narrow).toEqual([[`${stem}b ${uploads[1]?.uploadId ?? ''}`]]);
  });
});

describe('listing parts', () => {
  it('goes by number, in pages', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    for (const number of [10_000, 3, 99, 1, 100]) await fixture.part(target, number, `part ${number}`);
    const upload = await fixture.uploads.find(target, testCall());
    const numbers = async (after: number, limit: number): Promise<[number[], boolean]> => {
      const { parts, isTruncated } = await fixture.uploads.listParts(upload, { after, limit }, testCall());
      return [parts.map((part) => part.number), isTruncated];
    };
    expect(await numbers(0, 1000)).toEqual([[1, 3, 99, 100, 10_000], false]);
    expect(await numbers(0, 2)).toEqual([[1, 3], true]);
    expect(await numbers(3, 2)).toEqual([[99, 100], true]);
    expect(await numbers(100, 2)).toEqual([[10_000], false]);
    expect(await numbers(2_147_483_647, 5)).toEqual([[], false]);
    expect(await numbers(0, 0)).toEqual([[], false]);
  });
});

describe('10,000 parts', () => {
  it('cost as many calls as two, but for the pages of part records', async () => {
    const costs: number[] = [];
    for (const count of [2, 10_000]) {
      const fixture = await UploadFixture.open({ minPartSize: 1 });
      const target = await fixture.create('k');
      const upload = await fixture.uploads.find(target, testCall());
      const parts = [];
      for (let number = 1; number <= count; number++) {
        const body = Buffer.from(String(number % 10));
        const { etag } = await fixture.uploads.putPart(upload, { number, body, facts: {} }, testCall());
        parts.push({ number, etag, checksums: {} });
      }
      const call = testCall();
      const { etag } = await fixture.complete(target, parts, {}, call);
      expect(etag).toMatch(new RegExp(`-${count}$`));
      costs.push(call.facts.backendCalls);
      await fixture.idle();
      expect(fixture.backgroundErrors).toEqual([]);
      const view = await fixture.objects.find({ bucket: fixture.bucket, key: 'k' }, testCall());
      expect(view.parts).toHaveLength(count);
      expect(view.size).toBe(count);
      expect(await fixture.names('u/', 'p/')).toEqual([]);
    }
    // Pages of 5,000 part records: one and two.
    expect(costs[0]).toBeLessThanOrEqual(8);
    expect(costs[1]).toBe((costs[0] ?? 0) + 1);
  }, 60_000);
});
