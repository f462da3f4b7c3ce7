import type { Call } from '../../observe/call.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { Bucket } from '../records/bucket.ts';
import { asNoSuchBucket } from '../heads/object-read.ts';
import type { PageSoFar, Looked, Position } from './key-history.ts';
import type { ListingPage } from './listing-entry.ts';
import type { VersionsEntry } from './version-entry.ts';
import { VersionScan, type VersionScanOptions } from './version-scan.ts';
import { type VersionsRequest, versionStartOf } from './version-start.ts';
import { AGAIN, TURNS, inTurns } from '../records/turns.ts';

/** Second looks at the same time. */
const CONCURRENCY = 8;
/** After so many in one page the page ends. */
const MAX_LOOKS = 64;

export interface VersionsPage extends ListingPage<VersionsEntry> {
  /** Goes with `next` when the page ended amid the versions of a key. */
  readonly nextVersion?: string;
}

interface VersionsQuery {
  readonly request: VersionsRequest;
  readonly isDraining: boolean;
}

/** One page of versions and delete markers of a bucket that ever had versioning. @throws S3Error NoSuchBucket */
export async function listVersions(
  bucket: Bucket,
  { request, isDraining }: VersionsQuery,
  call: Call,
): Promise<VersionsPage> {
  if (request.limit === 0) return { entries: [] };
  try {
    return await inTurns(TURNS.list, async () => {
      const start = await versionStartOf(bucket, request, call);
      if (start === 'end') return { entries: [] };
      const page = await readPage({ bucket, request, start, isDraining }, call);
      return page === 'outdated' ? AGAIN : page;
    });
  } catch (error) {
    throw asNoSuchBucket(error, bucket);
  }
}

/** @returns `outdated` when heads and versions that were read do not belong together */
async function readPage(options: VersionScanOptions, call: Call): Promise<VersionsPage | 'outdated'> {
  const { limit } = options.request;
  const scan = new VersionScan(options);
  const entries: VersionsEntry[] = [];
  let passed: Position | undefined;
  let looks = 0;
  while (entries.length <= limit && !scan.isOver) {
    // More than the page takes: so it is known that there is more.
    const drafts = await scan.draft(limit + 1 - entries.length, call);
    for (let done = 0; done < drafts.length; done += CONCURRENCY) {
      const batch = drafts.slice(done, done + CONCURRENCY);
      const open = batch.filter(({ found, isShared }) => isShared !== true && typeof found === 'function').length;
      if (open > 0 && looks >= MAX_LOOKS) return pageOf(entries, limit, passed);
      looks += open;
      const found = await mapConcurrent(batch, CONCURRENCY, (draft) => settle(draft, call));
      if (found.includes('outdated')) return 'outdated';
      entries.push(...found.filter((one) => typeof one !== 'string').flat());
      passed = batch.at(-1)?.position;
    }
  }
  return pageOf(entries, limit, scan.cutAt);
}

async function settle({ found }: PageSoFar, call: Call): Promise<Looked> {
  return typeof found === 'function' ? found(call) : found;
}

/** @param cutAt all up to there is in the entries; absent: there is no more */
function pageOf(entries: readonly VersionsEntry[], limit: number, cutAt: Position | undefined): VersionsPage {
  if (entries.length <= limit) return { entries, ...nextOf(cutAt) };
  const last = entries[limit - 1];
  const version = last === undefined || last.kind === 'prefix' ? {} : { version: last.versionId };
  return { entries: entries.slice(0, limit), ...nextOf(last && { key: last.key, ...version }) };
}

function nextOf(position: Position | undefined): Pick<VersionsPage, 'next' | 'nextVersion'> {
  if (position === undefined) return {};
  return { next: position.key, ...(position.version !== undefined && { nextVersion: position.version }) };
}
