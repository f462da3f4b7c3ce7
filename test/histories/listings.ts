import type { VersionsListing } from '../model/history/check-listing.ts';
import type { Recorded } from './client.ts';

interface Row {
  readonly kind: string;
  readonly versionId: string;
  readonly isLatest: boolean;
}

/**
 * What ListObjectVersions said. Listings show no notes: who wrote a version is known where somebody read it; else it
 * may be anybody.
 */
export function listingsOf(recorded: readonly Recorded[]): VersionsListing[] {
  const seen = new Map(
    recorded.flatMap(({ answer }) => {
      const { 'x-amz-version-id': version, 'x-amz-meta-note': note } = answer?.headers ?? {};
      return version === undefined || version === 'null' || note === undefined ? [] : [[version, note] as const];
    }),
  );
  const everybody = recorded.flatMap(({ call }) => ('note' in call ? [call.note] : []));
  const writersOf = (version: string): readonly string[] => {
    const writer = seen.get(version);
    return writer === undefined ? everybody : [writer];
  };
  return recorded.flatMap(({ call, answer, sentAt, answeredAt }, index) => {
    if (call.op !== 'ListObjectVersions' || answer?.status !== 200 || call.prefix === undefined) return [];
    const { versions = [] } = (answer.body ?? {}) as { readonly versions?: readonly Row[] };
    const rows = versions.map(({ kind, versionId, isLatest }) => {
      const marker = kind === 'DeleteMarker';
      return { versionId, marker, latest: isLatest, ...(!marker && { writers: writersOf(versionId) }) };
    });
    return [{ id: `list ${index}`, key: call.prefix, began: sentAt, ended: answeredAt, versions: rows }];
  });
}
