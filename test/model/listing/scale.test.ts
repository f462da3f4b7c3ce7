import { beforeAll, describe, expect, it } from 'vitest';
import { withCallLog } from '../../../adapters/doubles/call-log.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { createListing } from '../../../src/manifest/listing/listing.ts';
import { headPlace } from '../../../src/manifest/records/names.ts';
import { type LooseRecord, RECORD_NAME, encodeRecord } from '../../../src/manifest/records/record.ts';
import { deletionRef, versionRef } from '../../../src/manifest/records/version-names.ts';
import { newToken } from '../../../src/manifest/records/version-token.ts';
import type { BlobRef } from '../../../src/store/blob-store.ts';
import { testManifest } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';

const KEYS = 10_000;
const VERSIONS = 20;
const FOLDERS = 200;
const NOBODY_LEFT = 'd007/';
const EMPTY = new Uint8Array(0);

const memory = new MemoryBlobStore();
let held = 0;
/** Counts all entries that list calls handed over: more than that no page can hold. */
const store = {
  ...withCallLog(memory),
  list: async (...args: Parameters<MemoryBlobStore['list']>) => {
    const page = await memory.list(...args);
    held += page.entries.length;
    return page;
  },
};
const listing = createListing();
const keys = Array.from(
  { length: KEYS },
  (_, i) => `d${String(i % FOLDERS).padStart(3, '0')}/k${String(i).padStart(5, '0')}`,
);
/** Every fifth key, and all of one folder. */
const isDeleted = (key: string): boolean => key.startsWith(NOBODY_LEFT) || key.endsWith('5');
let bucket: Bucket;

async function write(ref: BlobRef, record: LooseRecord): Promise<void> {
  await memory.write(ref, EMPTY, { metadata: { [RECORD_NAME]: encodeRecord(record) } }, testCall());
}

beforeAll(async () => {
  const manifest = await testManifest({ store });
  bucket = { ...manifest.bucket, versioning: 'enabled' };
  for (const key of keys) {
    for (let seq = 1; seq <= VERSIONS; seq++) {
      const token = newToken(seq * 1_000_000);
      const isNewest = seq === VERSIONS;
      const kind = isNewest && isDeleted(key) ? 'marker' : 'inline';
      const record: LooseRecord = {
        kind,
        seq: seq * 1_000_000,
        etag: `etag-${seq}`,
        ...(!isNewest && { stamp: true }),
      };
      await write(versionRef({ bucket, key }, token), record);
      if (isNewest) {
        await write(headPlace({ bucket, key }).ref, {
          ...record,
          kind: kind === 'marker' ? 'marker' : 'link',
          version: token,
          size: 0,
        });
      }
    }
    if (isDeleted(key)) await write(deletionRef({ bucket, key }).ref, { kind: 'void', seq: 1 });
  }
}, 300_000);

interface Cost {
  readonly calls: number;
  readonly entries: number;
}

async function costOf<T>(work: (call: ReturnType<typeof testCall>) => Promise<T>): Promise<{ page: T; cost: Cost }> {
  const call = testCall();
  held = 0;
  const page = await work(call);
  return { page, cost: { calls: call.facts.backendCalls, entries: held } };
}

function most(costs: readonly Cost[]): Cost {
  return {
    calls: Math.max(...costs.map(({ calls }) => calls)),
    entries: Math.max(...costs.map(({ entries }) => entries)),
  };
}

describe(`${KEYS} keys with ${VERSIONS} versions each`, () => {
  it.each([
    [1000, 4, 4000],
    [100, 4, 400],
    [1, 4, 12],
  ])(
    'all versions, %i a page: at most %i calls and %i entries a page',
    async (limit, calls, entries) => {
      const costs: Cost[] = [];
      let shown = 0;
      let latest = 0;
      let place: { after: string; afterVersion?: string } | undefined =
        limit === 1 ? { after: 'd100/' } : { after: '' };
      while (place !== undefined && costs.length < 250) {
        const from: { after: string; afterVersion?: string } = place;
        const { page, cost } = await costOf((call) =>
          listing.versions(bucket, { prefix: '', delimiter: '', limit, ...from }, call),
        );
        costs.push(cost);
        shown += page.entries.length;
        latest += page.entries.filter((entry) => entry.kind !== 'prefix' && entry.isLatest).length;
        place =
          page.next === undefined
            ? undefined
            : { after: page.next, ...(page.nextVersion !== undefined && { afterVersion: page.nextVersion }) };
      }
      const { calls: mostCalls, entries: mostEntries } = most(costs);
      console.info(
        `versions by ${limit}: ${costs.length} pages, at most ${mostCalls} calls and ${mostEntries} entries of list answers a page`,
      );
      if (limit === 1000) expect({ shown, latest }).toEqual({ shown: KEYS * VERSIONS, latest: KEYS });
      else expect(shown).toBe(250 * limit);
      expect(mostCalls).toBeLessThanOrEqual(calls);
      expect(mostEntries).toBeLessThanOrEqual(entries);
    },
    120_000,
  );

  it.each([
    ['', 1000, 8, 6000],
    ['/', 1000, 150, 2500],
    ['/', 20, 30, 500],
  ])(
    'objects rolled up at "%s", %i a page: at most %i calls and %i entries a page',
    async (delimiter, limit, calls, entries) => {
      const costs: Cost[] = [];
      const shown: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after;
        const { page, cost } = await costOf((call) =>
          listing.objects(bucket, { prefix: '', delimiter, after: from, limit }, call),
        );
        costs.push(cost);
        shown.push(...page.entries.map(({ key }) => key));
        after = page.next;
      }
      const { calls: mostCalls, entries: mostEntries } = most(costs);
      console.info(
        `objects by ${limit} rolled up at "${delimiter}": ${costs.length} pages, at most ${mostCalls} calls and ${mostEntries} entries a page`,
      );
      const live = keys.filter((key) => !isDeleted(key)).sort();
      expect(shown).toEqual(
        delimiter === '' ? live : [...new Set(live.map((key) => key.slice(0, NOBODY_LEFT.length)))],
      );
      expect(mostCalls).toBeLessThanOrEqual(calls);
      expect(mostEntries).toBeLessThanOrEqual(entries);
    },
    120_000,
  );

  it('versions rolled up: the folder of the deleted ones too, and the cost does not depend on what lies beneath', async () => {
    const { page, cost } = await costOf((call) =>
      listing.versions(bucket, { prefix: '', delimiter: '/', after: '', limit: 1000 }, call),
    );
    expect(page.entries).toHaveLength(FOLDERS);
    expect(page.entries).toContainEqual({ kind: 'prefix', key: NOBODY_LEFT });
    console.info(`versions rolled up: ${cost.calls} calls and ${cost.entries} entries`);
    expect(cost.calls).toBeLessThanOrEqual(4);
    expect(cost.entries).toBeLessThanOrEqual(2 * FOLDERS);
  });

  it('versions rolled up by us', async () => {
    const { page, cost } = await costOf((call) =>
      listing.versions(bucket, { prefix: '', delimiter: '/k', after: '', limit: 10 }, call),
    );
    expect(page.entries.map(({ key }) => key)).toEqual(
      Array.from({ length: 10 }, (_, i) => `d${String(i).padStart(3, '0')}/k`),
    );
    expect(cost.calls).toBeLessThanOrEqual(48);
  });
});
