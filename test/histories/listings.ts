import type { VersionsListing } from '../model/history/check-listing.ts';
import type { Event, ListedVersion } from '../model/history/event.ts';
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
    const rows = rowsOf(answer).map(({ kind, versionId, isLatest }) => {
      const marker = kind === 'DeleteMarker';
      return { versionId, marker, latest: isLatest, ...(!marker && { writers: writersOf(versionId) }) };
    });
    return [{ id: `list ${index}`, key: call.prefix, began: sentAt, ended: answeredAt, versions: rows }];
  });
}

/**
 * What ListObjectVersions said of a key when nothing was under way: exactly these versions, in this order. Left out
 * where a version of it was not read, so that nobody knows who wrote it.
 */
export function wholeHistories(recorded: readonly Recorded[]): Event[] {
  const notes = new Map(
    recorded.flatMap(({ call, answer, atRest }) => {
      const note = answer?.headers['x-amz-meta-note'];
      const versionId = call.op === 'GetObject' ? call.versionId : undefined;
      return atRest === undefined || note === undefined || versionId === undefined ? [] : [[versionId, note] as const];
    }),
  );
  return recorded.flatMap(({ call, answer, sentAt, answeredAt, atRest }, index) => {
    if (atRest === undefined || call.op !== 'ListObjectVersions' || answer?.status !== 200) return [];
    const versions = rowsOf(answer).flatMap(({ kind, versionId }): ListedVersion[] => {
      if (kind === 'DeleteMarker') return [{ versionId, marker: true }];
      const note = notes.get(versionId);
      return note === undefined ? [] : [{ versionId, marker: false, writers: [note] }];
    });
    if (versions.length < rowsOf(answer).length) return [];
    const times = { began: sentAt, ended: answeredAt };
    const outcome = { kind: 'history', versions } as const;
    return [{ id: `rest ${index}`, key: call.prefix ?? '', ...times, action: { kind: 'readHistory' }, outcome }];
  });
}

function rowsOf({ body }: NonNullable<Recorded['answer']>): readonly Row[] {
  return ((body ?? {}) as { readonly versions?: readonly Row[] }).versions ?? [];
}
