import { expect } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { InventoryOutcome } from '../../../src/inventory/inventory-run.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import type { Inventory } from '../../../src/protocol/inventory/inventory.ts';
import { wrapStore } from '../../../src/store/wrap-store.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { putOf } from '../../support/manifest/manifest.ts';
import { readReport, ReportingProcess } from '../../support/inventory/reports.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';

/* What tests of inventories share: one bucket and its destination, the time, and processes that write reports. */

export const MINUTE = 60_000;
export const DAY = 86_400_000;
export const INVENTORY: Inventory = {
  id: 'all',
  isEnabled: true,
  versions: 'Current',
  fields: ['Size'],
  frequency: 'Daily',
  destination: { bucketArn: 'arn:aws:s3:::reports', format: 'CSV' },
};
export const LETS_IN = {
  Version: '2012-10-17',
  Statement: {
    Effect: 'Allow',
    Principal: { Service: 's3.amazonaws.com' },
    Action: 's3:PutObject',
    Resource: 'arn:aws:s3:::reports/*',
    Condition: { StringEquals: { 'aws:SourceAccount': '444444444444' } },
  },
};
export const KEYS = Array.from({ length: 7 }, (_, n) => `key-${String(n)}`);

export let time: TestTime;
export let store: MemoryBlobStore;
export let world: ReportingProcess;

/** A bucket with seven keys, an inventory of it, and a destination that takes the reports. */
export async function openScene(): Promise<void> {
  time = new TestTime();
  store = new MemoryBlobStore({ now: time.now });
  world = new ReportingProcess(store, time);
  await make('photos');
  await make('reports');
  await configure('photos', INVENTORY);
  await setPolicy(LETS_IN);
  for (const key of KEYS) await put('photos', key);
}

export async function make(name: string, ownerId = CANONICAL_ID): Promise<void> {
  await world.manifest.buckets.create({ name, ownerId }, testCall());
}

export const find = (name: string): Promise<Bucket> => world.manifest.buckets.get(name, testCall());

export async function put(name: string, key: string): Promise<void> {
  await world.manifest.objects.put(
    { bucket: await find(name), key },
    putOf('bytes', { ownerId: CANONICAL_ID }),
    testCall(),
  );
}

export async function configure(name: string, ...inventories: Inventory[]): Promise<void> {
  const bucket = await find(name);
  await world.manifest.buckets.amend(bucket, (settings) => ({ ...settings, inventories }), testCall());
  time.advance(1000);
}

export async function setPolicy(policy: object): Promise<void> {
  const bucket = await find('reports');
  await world.manifest.buckets.amend(bucket, (all) => ({ ...all, policy: JSON.stringify(policy) }), testCall());
  time.advance(1000);
}

/** What a process of its own makes of the first inventory. */
export async function run(
  more: Parameters<ReportingProcess['run']>[0] = {},
  through = store as typeof store | ReturnType<typeof wrapStore>,
): Promise<InventoryOutcome | undefined> {
  const { inventories, problems } = await new ReportingProcess(through, time).run({ time, fileRows: 2, ...more });
  expect(problems).toEqual([]);
  return inventories[0];
}

export async function stored(): Promise<string[]> {
  const { entries } = await store.list('reports', { limit: 1000 }, testCall());
  return entries.map(({ name }) => name);
}

export const read = async (key: string): Promise<Buffer> =>
  readAll((await store.read({ container: 'reports', name: key }, {}, testCall())).body);

export const keysOf = async (manifest = ''): Promise<unknown[]> =>
  (await readReport(manifest, read)).rows.map(({ Key }) => Key);

/** A process that dies at the n-th call of its store. @returns whether it came so far */
export async function dyingAt(n: number): Promise<boolean> {
  let calls = 0;
  const dying = wrapStore(store, async (_call, work) => {
    calls += 1;
    if (calls > n) throw new Error('the process is dead');
    const answer = await work();
    // What was done before it died stays; the answer is heard by nobody.
    if (calls === n) throw new Error('the process is dead');
    return answer;
  });
  await new ReportingProcess(dying, time).run({ time, fileRows: 2 });
  return calls >= n;
}
