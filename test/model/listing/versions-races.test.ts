import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Fault, withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { createListing } from '../../../src/manifest/listing/listing.ts';
import { testManifest } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { ModelledBucket, labelOf } from './versions-model.ts';

type Deed = (model: ModelledBucket) => Promise<unknown>;

const enabled: Deed = async (model) => model.set('enabled');
const suspended: Deed = async (model) => model.set('suspended');
const put: Deed = (model) => model.put('k');
const remove: Deed = (model) => model.remove('k');
const removeNth =
  (n: number): Deed =>
  (model) =>
    model.removeVersion('k', n);

/** What the key is when the listing begins. */
const BEGINNINGS: readonly (readonly [string, readonly Deed[]])[] = [
  ['a native null version', [put, enabled]],
  ['one version', [enabled, put]],
  ['three versions', [enabled, put, put, put]],
  ['a null version below two', [put, enabled, put, put]],
  ['a null version between two', [enabled, put, suspended, put, enabled, put]],
  ['a null version on top', [enabled, put, put, suspended, put]],
  ['a delete marker on top', [enabled, put, put, remove]],
  ['a null delete marker on top', [enabled, put, suspended, put, remove]],
  ['a null delete marker below', [enabled, put, suspended, remove, enabled, put]],
  ['a null version that came back', [enabled, put, suspended, put, enabled, put, removeNth(0)]],
  ['nothing', [enabled]],
];

/** What happens while it is listed. */
const DEEDS: readonly (readonly [string, readonly Deed[]])[] = [
  ['a PUT', [enabled, put]],
  ['two PUTs', [enabled, put, put]],
  ['a PUT while suspended', [suspended, put]],
  ['a DELETE', [enabled, remove]],
  ['a DELETE while suspended', [suspended, remove]],
  ['the newest is deleted for good', [removeNth(0)]],
  ['the second is deleted for good', [removeNth(1)]],
  ['the null version is replaced, then covered', [suspended, put, enabled, put]],
  ['all is deleted for good, then a PUT', [enabled, removeNth(0), removeNth(0), removeNth(0), put]],
];

interface Meeting {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly shown: readonly string[];
  readonly reached: boolean;
}

/** Lists in pages of `limit` while the deeds are done at the n-th call of the listing. */
async function meet(
  prepare: readonly Deed[],
  deeds: readonly Deed[],
  { n, side, limit }: { n: number; side: 'before' | 'after'; limit: number },
): Promise<Meeting> {
  let plan: () => Fault | undefined = () => undefined;
  const store = withFaults(new MemoryBlobStore(), () => plan());
  const { bucket, objects, settler } = await testManifest({ store });
  const model = new ModelledBucket(bucket, objects);
  const does = async (what: readonly Deed[]): Promise<void> => {
    for (const deed of what) await deed(model);
    for (let turn = 0; turn < 20; turn++) await nextTurn(); // what follows in the background
    await settler.idle();
  };
  await model.put('a');
  await does(prepare);
  await model.put('z');

  const everything = { prefix: '', delimiter: '', after: '' };
  const before = model.expected(everything);
  const listed = model.bucket;
  let calls = 0;
  let after: string[] | undefined;
  const act = async (): Promise<void> => {
    plan = () => undefined;
    await does(deeds);
    after = model.expected(everything);
  };
  plan = () => (++calls === n ? { kind: 'interleave', [side]: act } : undefined);
  const shown = await list(listed, limit);
  plan = () => undefined;
  return { before, after: after ?? before, shown, reached: after !== undefined };
}

async function list(bucket: ModelledBucket['bucket'], limit: number): Promise<string[]> {
  const listing = createListing();
  const shown: string[] = [];
  let place: { after: string; afterVersion?: string } | undefined = { after: '' };
  for (let pages = 0; place !== undefined; pages++) {
    const page = await listing.versions(bucket, { prefix: '', delimiter: '', limit, ...place }, testCall());
    shown.push(...page.entries.map(labelOf));
    place =
      page.next === undefined
        ? undefined
        : { after: page.next, ...(page.nextVersion !== undefined && { afterVersion: page.nextVersion }) };
    expect(pages).toBeLessThan(40);
  }
  return shown;
}

const isLatest = (label: string): boolean => label.charAt(1) === '*';
const whichever = (label: string): string => label.replace('*', '');

describe.each(BEGINNINGS)('listing a key with %s', (_, prepare) => {
  it.each(DEEDS)('while this happens: %s', async (_name, deeds) => {
    for (const side of ['before', 'after'] as const) {
      for (let n = 1; ; n++) {
        const { before, after, shown, reached } = await meet(prepare, deeds, { n, side, limit: 1000 });
        const once = shown.map(whichever);
        // Null versions have all one name; which of them is shown is told by the rest.
        const stayed = before.filter((label) => after.map(whichever).includes(whichever(label))).map(whichever);
        expect(new Set(once).size).toBe(once.length);
        expect(stayed.filter((label) => !once.includes(label))).toEqual([]);
        expect(shown.filter((label) => ![...before, ...after].map(whichever).includes(whichever(label)))).toEqual([]);
        const latest = shown.filter((label) => isLatest(label) && label.includes(':k@'));
        expect(latest.length).toBe(shown.some((label) => label.includes(':k@')) ? 1 : 0);
        expect(latest.filter((label) => ![...before, ...after].includes(label))).toEqual([]);
        const known = [before, after].filter((state) =>
          shown.every((label) => state.map(whichever).includes(whichever(label))),
        );
        const inOrder = known.map((state) => state.map(whichever).filter((label) => once.includes(label)));
        if (known.length > 0) expect(inOrder).toContainEqual(once);
        if (!reached) break;
        expect(n).toBeLessThan(60);
      }
    }
  });

  it('page by page, while versions come and go', async () => {
    for (const [, deeds] of DEEDS) {
      for (let n = 1; ; n += 2) {
        const { before, after, shown, reached } = await meet(prepare, deeds, { n, side: 'after', limit: 1 });
        const once = shown.map(whichever);
        const stayed = before
          .filter((label) => !label.endsWith('@null') && after.map(whichever).includes(whichever(label)))
          .map(whichever);
        expect(stayed.filter((label) => !once.includes(label))).toEqual([]);
        expect(shown.filter((label) => ![...before, ...after].map(whichever).includes(whichever(label)))).toEqual([]);
        if (!reached) break;
        expect(n).toBeLessThan(200);
      }
    }
  });
});
