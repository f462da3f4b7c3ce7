import type { Tier } from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { keepNewest } from '../../../src/observe/bounded-map.ts';
import type { GcsClient } from '../client.ts';
import { bucketPath } from '../paths.ts';

/** How long a bucket's answer counts; milliseconds. Autoclass is switched by people. */
const REMEMBERED_MS = 10 * 60_000;
const MOST_BUCKETS = 1024;

/**
 * Refuses a tier that the bucket would not keep: with Autoclass everything begins as STANDARD, whatever a write says
 * (https://cloud.google.com/storage/docs/autoclass), and no answer refuses it. Asks the bucket once in ten minutes, and
 * only for other tiers than `hot`.
 * @throws StoreError tierRefused
 */
export async function requireTier(
  client: GcsClient,
  container: string,
  { tier, name }: { readonly tier: Tier | undefined; readonly name: string },
  call: Call,
): Promise<void> {
  if (tier === undefined || tier === 'hot') return;
  const known = client.askedBuckets.get(container);
  const now = performance.now();
  const asked =
    known !== undefined && now < known.until
      ? known
      : { until: now + REMEMBERED_MS, hasAutoclass: askBucket(client, container, call) };
  if (asked !== known) keepNewest(client.askedBuckets, container, asked, MOST_BUCKETS);
  let hasAutoclass: boolean;
  try {
    hasAutoclass = await asked.hasAutoclass;
  } catch (error) {
    client.askedBuckets.delete(container);
    throw error;
  }
  if (hasAutoclass) throw new StoreError('tierRefused', { call: name, code: 'Autoclass' });
}

/** A credential that may not read the bucket leaves it at the operator's word. */
async function askBucket(client: GcsClient, container: string, call: Call): Promise<boolean> {
  try {
    const { autoclass } = await client.rest.sendForJson<{ readonly autoclass?: { readonly enabled?: boolean } }>(
      {
        call: 'survey',
        method: 'GET',
        path: bucketPath(client, container),
        query: [['fields', 'autoclass']],
        effect: 'read',
        missing: 'bucket',
      },
      call,
    );
    return autoclass?.enabled === true;
  } catch (error) {
    if (isStoreError(error, 'denied')) return false;
    throw error;
  }
}
