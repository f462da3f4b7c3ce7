import { type AskedBlob, type AzureRefusal, type AzuriteFront, startFront } from './azurite-front.ts';

const TIER = 'x-ms-access-tier';
const STATUS = 'x-ms-archive-status';
const SCOPE = 'x-ms-encryption-scope';
const ARCHIVE = 'Archive';

/** What changes or reads an archived blob, as `method comp`. Copies over it are a PUT without a comp. */
const FROZEN = new Set([
  'GET ',
  'PUT ',
  'PUT block',
  'PUT blocklist',
  'PUT metadata',
  'PUT properties',
  'PUT snapshot',
]);

interface KeptBlob {
  readonly tier: string;
  /** On its way back: there at this time, milliseconds since the epoch. */
  readonly until?: number;
  readonly hasScope: boolean;
}

export interface TierKeeperOptions {
  /** Milliseconds that an archived blob takes to come back; may be changed between tests. */
  rehydrationMs: number;
}

/**
 * Azurite moves blobs out of Archive at once, lets archived blobs be changed in some ways, and forgets the tier of what
 * is overwritten. This stands in front of one, keeps the tiers by itself, and does as the service does
 * (https://learn.microsoft.com/azure/storage/blobs/archive-rehydrate-overview). It forgets everything when it ends.
 */
export function startTierKeeper(endpoint: string, options: TierKeeperOptions): Promise<AzuriteFront> {
  const tiers = new Map<string, KeptBlob>();
  const find = (path: string): KeptBlob | undefined => {
    const kept = tiers.get(path);
    if (kept?.until === undefined || kept.until > Date.now()) return kept;
    const { until: _past, ...there } = kept;
    tiers.set(path, there);
    return there;
  };
  return startFront(endpoint, {
    before: (asked) => refusalOf(asked, find),
    after(asked, status) {
      if (status >= 300) {
        if (status === 404) tiers.delete(asked.path);
        return undefined;
      }
      const after = keptAfter(asked, find, options);
      if (after !== undefined) tiers.set(asked.path, after);
      if (asked.method === 'DELETE') tiers.delete(asked.path);
      return undefined;
    },
    headers({ method, path, comp }, status) {
      const kept = status < 300 && comp === '' && method !== 'PUT' ? find(path) : undefined;
      return kept === undefined ? {} : shownHeaders(kept);
    },
    listing: ({ path }, document) =>
      document.replaceAll(/<Blob><Name[^>]*>([^<]*)<\/Name>.*?<\/Blob>/gs, (blob, name: string) => {
        const kept = find(`${path}/${unescaped(name)}`);
        return kept === undefined ? blob : blob.replace(/<AccessTier>[^<]*<\/AccessTier>/, shownElements(kept));
      }),
  });
}

type Find = (path: string) => KeptBlob | undefined;

function isArchived(kept: KeptBlob | undefined): boolean {
  return kept !== undefined && (kept.tier === ARCHIVE || kept.until !== undefined);
}

function refusalOf({ method, path, comp, source, headers }: AskedBlob, find: Find): AzureRefusal | undefined {
  const kept = find(path);
  const tier = headers[TIER];
  const hasScope = headers[SCOPE] !== undefined || (comp === 'tier' && kept?.hasScope === true);
  if (hasScope && (comp === 'tier' || tier === ARCHIVE)) return { status: 400, code: 'InvalidBlobTier' };
  // What is on its way back cannot be called off.
  const callsOff = comp === 'tier' && tier === ARCHIVE && kept?.until !== undefined;
  if (callsOff) return { status: 409, code: 'BlobBeingRehydrated' };
  if (isArchived(kept) && FROZEN.has(`${method} ${comp}`)) {
    return { status: 409, code: kept?.until === undefined ? 'BlobArchived' : 'BlobBeingRehydrated' };
  }
  const from = source === undefined ? undefined : find(source);
  if (!isArchived(from)) return undefined;
  // Out of Archive leads Copy Blob alone, into an online tier and to another name.
  const isCopyBlob = comp === '' && headers['x-ms-requires-sync'] === undefined;
  const leadsOut = isCopyBlob && tier !== undefined && tier !== ARCHIVE && source !== path && from?.until === undefined;
  return leadsOut ? undefined : { status: 409, code: 'BlobArchived' };
}

/** What a request that succeeded makes of a blob's tier; undefined: nothing. */
function keptAfter(
  { method, path, comp, source, headers }: AskedBlob,
  find: Find,
  { rehydrationMs }: TierKeeperOptions,
): KeptBlob | undefined {
  const replaces = method === 'PUT' && (comp === '' || comp === 'blocklist');
  if (!replaces && comp !== 'tier') return undefined;
  const before = find(path);
  const tier = headers[TIER]?.toString() ?? before?.tier ?? 'Hot';
  const hasScope = replaces ? headers[SCOPE] !== undefined : before?.hasScope === true;
  const from = comp === 'tier' ? before : source === undefined ? undefined : find(source);
  const waits = isArchived(from) && tier !== ARCHIVE;
  // A second Set Blob Tier only hurries.
  const sooner = comp === 'tier' ? (before?.until ?? Infinity) : Infinity;
  return { tier, hasScope, ...(waits && { until: Math.min(sooner, Date.now() + rehydrationMs) }) };
}

function shownHeaders({ tier, until }: KeptBlob): Record<string, string> {
  return until === undefined
    ? { [TIER]: tier }
    : { [TIER]: ARCHIVE, [STATUS]: `rehydrate-pending-to-${tier.toLowerCase()}` };
}

function shownElements({ tier, until }: KeptBlob): string {
  return until === undefined
    ? `<AccessTier>${tier}</AccessTier>`
    : `<AccessTier>${ARCHIVE}</AccessTier><ArchiveStatus>rehydrate-pending-to-${tier.toLowerCase()}</ArchiveStatus>`;
}

function unescaped(name: string): string {
  return name.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
