import type { Call } from '../../observe/call.ts';
import { compareUtf8 } from '../../store/name-order.ts';
import type { Bucket } from '../records/bucket.ts';
import type { ListedEntry, ListingPage, ListingRequest } from './listing-entry.ts';
import { type Regions, regionsOf } from './listing-region.ts';
import { type RegionSlice, scanRegion } from './listing-scan.ts';
import { type ListingStart, startOf } from './listing-start.ts';
import { asNoSuchBucket } from '../heads/object-read.ts';

const EMPTY: RegionSlice = { entries: [], provesNoForeign: false };

/** One page of live objects: both regions of the bucket, merged. @throws S3Error NoSuchBucket */
export async function listLive(bucket: Bucket, request: ListingRequest, call: Call): Promise<ListingPage<ListedEntry>> {
  const start = startOf(request);
  if (request.limit === 0 || start === 'end') return { entries: [] };
  try {
    return merge(await scanRegions(bucket, { request, start }, call), request.limit);
  } catch (error) {
    throw asNoSuchBucket(error, bucket);
  }
}

interface Plan {
  readonly request: ListingRequest;
  readonly start: ListingStart | undefined;
}

/**
 * Both regions are read in parallel. But a listing from the beginning that would run across the
 * escaped names goes first: when it meets none, which is the rule in a small bucket or at a
 * bucket's top level, the second call is saved.
 */
async function scanRegions(bucket: Bucket, plan: Plan, call: Call): Promise<readonly RegionSlice[]> {
  const { plain, escaped }: Regions = regionsOf(bucket, plan.request);
  const scanEscaped = (): Promise<RegionSlice> => scanRegion({ bucket, region: escaped, ...plan }, call);
  if (plain === undefined) return [await scanEscaped()];
  const scanPlain = (): Promise<RegionSlice> => scanRegion({ bucket, region: plain, ...plan }, call);
  if (plain.foreign === undefined || plan.start !== undefined) return Promise.all([scanPlain(), scanEscaped()]);
  const slice = await scanPlain();
  return [slice, slice.provesNoForeign ? EMPTY : await scanEscaped()];
}

/** By key, as far as every region has been read. A prefix that both know stands once. */
function merge(slices: readonly RegionSlice[], limit: number): ListingPage<ListedEntry> {
  const [first = EMPTY, second = EMPTY] = slices;
  const through = earlier(first.through, second.through);
  const entries: ListedEntry[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const a = first.entries[i];
    const b = second.entries[j];
    const order = a === undefined ? 1 : b === undefined ? -1 : compareUtf8(a.key, b.key);
    const next = order <= 0 ? a : b;
    const isWithin = next !== undefined && (through === undefined || compareUtf8(next.key, through) <= 0);
    if (!isWithin) return { entries, ...(through !== undefined && { next: through }) };
    if (entries.length === limit) return { entries, next: entries.at(-1)?.key ?? '' };
    entries.push(next);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareUtf8(a, b) <= 0 ? a : b;
}
