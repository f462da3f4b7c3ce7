import { judge, type JudgeContext, type JudgedVersion, type LifecycleAction } from '../../protocol/lifecycle/judge.ts';
import type { VersionPlace } from '../heads/object-requests.ts';
import type { ListedMarker, ListedVersion, VersionsEntry } from '../listing/listing.ts';

export type Listed = ListedVersion | ListedMarker;

/** Something that is due, and where it stands. */
export interface DueVersion {
  readonly entry: Listed;
  /** What the rules want, the first at the front; never empty. */
  readonly actions: readonly LifecycleAction[];
  /** The version that was current when this one was not; absent: this one was. */
  readonly beneath?: VersionPlace;
  /** Noncurrent versions that are newer, the newest first: as many as a rule can ask to be kept. */
  readonly newer?: readonly VersionPlace[];
}

/** What is known of a key whose versions are being listed. */
interface KeySoFar {
  readonly key: string;
  /** Undefined: the listing began amid its versions, or it changed meanwhile. */
  readonly current: VersionPlace | undefined;
  /** When the version listed last was created. */
  since: number;
  /** Noncurrent versions so far, delete markers not counted. */
  newer: number;
  /** The newest of them. */
  readonly newest: VersionPlace[];
}

/** Most of `NewerNoncurrentVersions`. https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html */
const MOST_KEPT = 100;

/**
 * Judges the versions of a bucket in the order in which they are listed: by key, and newest first. So the version above
 * each, and how many are newer, is known without a look back. It holds what it knows of one key, however many versions
 * that has.
 */
export class VersionWalk {
  #key: KeySoFar | undefined;

  /** What is due on the next page. */
  page(entries: readonly VersionsEntry[], context: JudgeContext): DueVersion[] {
    const due: DueVersion[] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry.kind === 'prefix') continue;
      // At the end of a page it is taken to be alone; its removal asks once more.
      const version = this.#place(entry, entries[index + 1]?.key !== entry.key);
      const actions = version === undefined ? [] : judge(version, context);
      const { current, newest } = this.#key ?? {};
      if (actions.length === 0) continue;
      const isNoncurrent = !entry.isLatest && current !== undefined;
      due.push({ entry, actions, ...(isNoncurrent && { beneath: current, newer: newest?.slice() ?? [] }) });
    }
    return due;
  }

  #place(entry: Listed, isAlone: boolean): JudgedVersion | undefined {
    const { key, mtime, isLatest, versionId } = entry;
    const isMarker = entry.kind === 'marker';
    const kept = isMarker ? { size: 0 } : { size: entry.size, storageClass: entry.storageClass };
    const seen = { key, mtime, isMarker, ...kept };
    if (isLatest || this.#key?.key !== key) {
      this.#key = { key, current: isLatest ? { versionId, mtime } : undefined, since: mtime, newer: 0, newest: [] };
      return isLatest ? { ...seen, place: { kind: 'current', isAlone } } : undefined;
    }
    const { current, since, newer, newest } = this.#key;
    this.#key.since = mtime;
    if (!isMarker) this.#key.newer += 1;
    if (!isMarker && newest.length < MOST_KEPT) newest.push({ versionId, mtime });
    // An upload may be entered below a version that is older than it is.
    return current && { ...seen, place: { kind: 'noncurrent', since: Math.max(since, mtime), newer } };
  }
}
