import type { Call } from '../../observe/call.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { Head } from '../heads/head.ts';
import { readHead } from '../heads/object-read.ts';
import { isBehind, seqOfHead } from '../versions/displace.ts';
import { mayHideVersions } from '../versions/drain-window.ts';
import { type VersionBlob, isVisible, readVersion } from '../versions/version-blob.ts';
import { namedNull, namedVersion } from '../records/record.ts';
import { type VersionToken, isNewer } from '../records/version-token.ts';
import { type VersionsEntry, currentEntry, ownEntry } from './version-entry.ts';
import type { KeyStart } from './version-start.ts';

/** The end of what was looked at: behind a key or a rolled-up prefix, or amid the versions of a key. */
export interface Position {
  readonly key: string;
  readonly version?: string;
}

/** What a second look may find: entries, nothing, or that the first look was at something else. */
export type Looked = VersionsEntry | readonly VersionsEntry[] | 'nothing' | 'outdated';

/** An entry of a page, or what may turn out to be one. */
export interface PageSoFar {
  readonly position: Position;
  readonly found: VersionsEntry | ((call: Call) => Promise<Looked>);
  /** The look is that of an earlier draft of the same key: it costs no call of its own. */
  readonly isShared?: boolean;
}

interface KeyFacts {
  /** Absent: the key has none. */
  readonly head: Head | undefined;
  /** Set when the page begins amid its versions. */
  readonly start: KeyStart | undefined;
  /** Versions may have outlived their head, and the newest is current then. */
  readonly isDraining: boolean;
  /** Entries have views. */
  readonly withViews: boolean | undefined;
}

/**
 * The versions of one key, from its head and from its versions' own blobs, newest first. Head and blobs were not read
 * at one moment: what may have become visible or invisible in between is looked at once more.
 */
export class KeyHistory {
  readonly key: string;
  readonly #bucket: Bucket;
  readonly #head: Head | undefined;
  readonly #start: KeyStart | undefined;
  /** The noncurrent null version that the head names, until it is met. */
  #awaitedNull: VersionToken | undefined;
  #mayBeSurvivor: boolean;
  #headNow: Promise<Head | undefined> | undefined;
  /** A version without a head was met: one look at the head serves them all. */
  #hasLooked = false;

  readonly #withViews: boolean | undefined;
  /** As the head says it; its own blob may say more. */
  #current: { found: VersionsEntry } | undefined;

  constructor({ bucket, key }: KeyRef, { head, start, isDraining, withViews }: KeyFacts) {
    this.key = key;
    this.#bucket = bucket;
    this.#head = head;
    this.#start = start;
    this.#withViews = withViews;
    const awaited = head?.record?.kind === 'void' ? undefined : namedNull(head?.record);
    this.#awaitedNull = awaited !== undefined && this.#isListed(awaited, true) ? undefined : awaited;
    this.#mayBeSurvivor = head === undefined && start === undefined && isDraining;
  }

  /** The current version. It always comes first, and all of it that a listing shows is in the head. */
  current(): PageSoFar | undefined {
    const head = this.#head;
    if (head === undefined || head.record?.kind === 'void' || this.#isCurrentListed(head)) return undefined;
    const entry = currentEntry(this.#place, head, this.#withViews);
    const draft = { position: { key: this.key, version: entry.versionId }, found: entry };
    if (this.#withViews === true) this.#current = draft;
    return draft;
  }

  /** What the next of the versions' own blobs adds. */
  next(version: VersionBlob): PageSoFar[] {
    const drafts: PageSoFar[] = [];
    if (this.#awaitedNull !== undefined && !isNewer(version.token, this.#awaitedNull)) {
      if (version.token !== this.#awaitedNull) drafts.push(this.#nullDraft(this.#awaitedNull));
      this.#awaitedNull = undefined;
    }
    const found = this.#find(version);
    if (found !== undefined) drafts.push({ position: { key: this.key, version: version.token }, ...found });
    return drafts;
  }

  /** What is missing when there are no more blobs. */
  rest(): PageSoFar[] {
    const awaited = this.#awaitedNull;
    this.#awaitedNull = undefined;
    return awaited === undefined ? [] : [this.#nullDraft(awaited)];
  }

  #find(version: VersionBlob): Omit<PageSoFar, 'position'> | undefined {
    const { token, record } = version;
    const head = this.#head;
    if (token === namedVersion(head?.record)) this.#refineCurrent(version);
    if (token === namedVersion(head?.record) || this.#isListed(token, record?.isNull === true)) return undefined;
    if (head !== undefined && !isBehind(token, { head, seq: seqOfHead(head) })) return this.#findAbove(head, version);
    if (isVisible(head, version)) {
      return head === undefined ? this.#findHeadless(version) : { found: this.#ownEntry(version) };
    }
    return this.#mayBecomeVisible(version) ? { found: (call) => this.#lookAgain(token, call) } : undefined;
  }

  /**
   * It has outlived its head, or the key came into being after the heads were read. Then the head that it has by now,
   * which is younger than what was read of the version, says what is shown, itself included: no version without a
   * current one.
   */
  #findHeadless(version: VersionBlob): Omit<PageSoFar, 'position'> {
    const survivor = this.#ownEntry(version, this.#isLatestSurvivor());
    const isShared = this.#hasLooked;
    this.#hasLooked = true;
    const found = async (call: Call): Promise<Looked> => {
      this.#headNow ??= readHead(this.#place, call);
      const head = await this.#headNow;
      return head === undefined ? survivor : this.#shownWith(head, version, isShared ? 'beneath' : 'first');
    };
    return { found, isShared };
  }

  /**
   * As if this head had been read at first. Null versions beneath it came with it, after the listing began, and need
   * not be shown.
   */
  #shownWith(head: Head, version: VersionBlob, place: 'first' | 'beneath'): Looked {
    const history = new KeyHistory(this.#place, {
      head,
      start: this.#start,
      isDraining: false,
      withViews: this.#withViews,
    });
    const current = place === 'first' ? history.current()?.found : undefined;
    const isOwn = version.token !== namedVersion(head.record) && isVisible(head, version);
    if (isOwn && !isBehind(version.token, { head, seq: seqOfHead(head) })) return 'outdated';
    const own = isOwn ? [this.#ownEntry(version)] : [];
    return [...(typeof current === 'object' ? [current] : []), ...own];
  }

  /**
   * Mostly it was committed after the head was read, which is as if it came after the listing. Or the head came late,
   * from a writer that knew of no versions, and is the current one all the same: then it stands there still.
   */
  #findAbove(head: Head, version: VersionBlob): Omit<PageSoFar, 'position'> | undefined {
    if (!mayHideVersions(head) || !isVisible(head, version)) return undefined;
    const found = async (call: Call): Promise<Looked> => {
      this.#headNow ??= readHead(this.#place, call);
      const isSame = (await this.#headNow)?.properties.revision === head.properties.revision;
      return isSame ? this.#ownEntry(version) : 'outdated';
    };
    return { found };
  }

  /** It may have been current when it was read, and have been displaced, and stamped, before the head was. */
  #mayBecomeVisible({ record, token }: VersionBlob): boolean {
    if (this.#head === undefined || record === undefined || record.isNull === true) return false;
    return this.#head.record?.kind !== 'void' && this.#head.record?.dels?.includes(token) !== true;
  }

  async #lookAgain(token: VersionToken, call: Call): Promise<Looked> {
    const version = await readVersion(this.#place, token, call);
    if (version === undefined || !isVisible(this.#head, version)) return 'nothing';
    return this.#ownEntry(version);
  }

  /** What a head repeats of a version may have changed on the version's own blob since, which is listed, too. */
  #refineCurrent(version: VersionBlob): void {
    const current = this.#current;
    const entry = current?.found;
    if (current === undefined || entry?.kind !== 'version') return;
    const own = this.#ownEntry(version, true);
    if (own.kind === 'version' && own.view !== undefined) current.found = { ...entry, view: own.view };
  }

  get #place(): KeyRef {
    return { bucket: this.#bucket, key: this.key };
  }

  #ownEntry(version: VersionBlob, isLatest = false): VersionsEntry {
    return ownEntry(this.#place, version, { isLatest, withViews: this.#withViews });
  }

  #nullDraft(token: VersionToken): PageSoFar {
    return { position: { key: this.key, version: token }, found: (call) => this.#findNull(token, call) };
  }

  /** It got its blob after the blobs were read, or lost it after the head was: then the head is another by now. */
  async #findNull(token: VersionToken, call: Call): Promise<Looked> {
    const version = await readVersion(this.#place, token, call);
    if (version !== undefined) return this.#ownEntry(version);
    const head = await readHead(this.#place, call);
    // Should a head ever name what is not there, a listing must not fail of it.
    return namedNull(head?.record) === token ? 'nothing' : 'outdated';
  }

  #isLatestSurvivor(): boolean {
    const isLatest = this.#mayBeSurvivor;
    this.#mayBeSurvivor = false;
    return isLatest;
  }

  #isListed(token: VersionToken, isNull: boolean): boolean {
    if (this.#start === undefined) return false;
    const { behind, nullListed } = this.#start;
    return (isNull && nullListed) || (behind !== undefined && !isNewer(behind, token));
  }

  #isCurrentListed({ record }: Head): boolean {
    if (record?.kind === 'link' || record?.kind === 'marker') {
      return this.#isListed(record.version, record.isNull === true);
    }
    return this.#start !== undefined && (this.#start.nullListed || this.#start.behind !== undefined);
  }
}
