import { CLAIM_NAME, recordIn } from '../../../src/manifest/records/metadata.ts';
import type { LooseRecord } from '../../../src/manifest/records/record.ts';
import { mtimeOfSeq } from '../../../src/manifest/records/clock.ts';
import { encodeOrdered } from '../../../src/store/ordered-encoding.ts';
import { BUCKET_UID, CONTAINER, type RawBlob, SYSTEM, type World } from './world.ts';

/** A version as S3 shows it. */
export interface Version {
  /** `null`, or the token of its blob. */
  readonly id: string;
  readonly seq: number;
  /** Smaller is newer. */
  readonly place: string;
  readonly marker: boolean;
  /** Names the operation that wrote it; empty for a marker. */
  readonly body: string;
  readonly etag: string;
  readonly mtime: number;
  /** What can be said anew of it: tags, ACL, lock. */
  readonly said: string;
}

/** What S3 says of one key, worked out from the blobs by the rule alone. */
export interface KeyState {
  readonly current: Version | undefined;
  /** Newest first. */
  readonly versions: readonly Version[];
  /** Deleted by id, the deletion committed, the blob still there: it may still be seen until the answer. */
  readonly lingering: readonly Version[];
  /**
   * Ids of versions that are not part of the history, and that a read by id shows all the same: it asks nobody about a
   * stamped blob.
   */
  readonly readable: readonly string[];
  /** Versions' own blobs that are neither seen nor an upload's. */
  readonly unneeded: readonly string[];
  /** What must never be, in any state. */
  readonly faults: readonly string[];
  /** The first two fields: equal texts mean that nobody sees a difference. */
  readonly text: string;
  readonly head: HeadFacts | undefined;
}

interface HeadFacts {
  readonly kind: LooseRecord['kind'];
  /** Tokens in its log. */
  readonly log: readonly string[];
}

const SEQ_LIMIT = 2 ** 53 - 1;

/** Reads the blobs of a key, past every cache and every client. */
export async function keyState(world: World, key: string): Promise<KeyState> {
  const prefix = `v/${BUCKET_UID}/${encodeOrdered(key)}!!`;
  const heads = await world.blobs(CONTAINER, key);
  const deletions = await world.blobs(SYSTEM, `x/${BUCKET_UID}/${encodeOrdered(key)}`);
  const versions = (await world.blobs(SYSTEM, prefix)).map((blob) => ({
    token: blob.entry.name.slice(prefix.length),
    blob,
  }));
  return judge({
    head: heads.find(({ entry }) => entry.name === key),
    versions: new Map(versions.map(({ token, blob }) => [token, blob])),
    indexed: deletions.some(({ entry }) => entry.name === `x/${BUCKET_UID}/${encodeOrdered(key)}`),
  });
}

interface RawKey {
  readonly head: RawBlob | undefined;
  readonly versions: ReadonlyMap<string, RawBlob>;
  /** The delimiter index knows the key. */
  readonly indexed: boolean;
}

function judge(raw: RawKey): KeyState {
  const { head, versions, indexed } = raw;
  const record = head && recordOf(head);
  const kind = head && (record?.kind ?? 'inline');
  const visible: Version[] = [];
  const seen = new Set<string>();
  let named: Version | undefined;
  const lingering: Version[] = [];
  const readable: string[] = [];
  for (const [token, blob] of versions) {
    const own = recordOf(blob);
    if (own === undefined) continue;
    if (head !== undefined && isVisible(token, own, { kind, record })) {
      const version = versionOf(token, { blob, record: own, head });
      visible.push(version);
      seen.add(token);
      if (token === record?.version) named = version;
    } else if (own.isNull !== true) {
      if (record?.dels?.includes(token) === true) lingering.push(versionOf(token, { blob, record: own, head }));
      if (own.stamp === true) readable.push(token);
    }
  }
  const atHead = head && inHead(head);
  if (atHead !== undefined) visible.push(atHead);
  visible.sort((a, b) => (a.place < b.place ? -1 : 1));

  const isEmpty = kind === undefined || kind === 'void';
  const current = isEmpty ? undefined : (atHead ?? named);
  return {
    current,
    versions: visible,
    lingering,
    readable,
    unneeded: [...versions].flatMap(([token, blob]) =>
      seen.has(token) || mayBeNeeded(token, blob, atHead) ? [] : [token],
    ),
    faults: faultsOf({ current, visible, kind, indexed }),
    text: textOf(current, visible),
    head: kind && { kind, log: [...(record?.adds ?? []), ...(record?.dels ?? [])] },
  };
}

/** The whole reader rule: docs/decisions/0002-commit-protocol.md, written once more so that one can be wrong. */
function isVisible(
  token: string,
  own: LooseRecord,
  head: { readonly kind: LooseRecord['kind'] | undefined; readonly record: LooseRecord | undefined },
): boolean {
  const { kind, record } = head;
  if (kind === undefined || kind === 'void') return false;
  if (record?.version === token) return kind === 'link' || kind === 'assembled' || kind === 'marker';
  if (record?.dels?.includes(token) === true) return false;
  if (own.isNull === true) return record?.nullVersion === token;
  return own.stamp === true || record?.adds?.includes(token) === true;
}

/**
 * An upload that may be completed again, or a copy of the null version as it stands in the head: who displaces it takes
 * that one.
 */
function mayBeNeeded(token: string, { entry }: RawBlob, atHead: Version | undefined): boolean {
  return entry.metadata[CLAIM_NAME] !== undefined || (atHead !== undefined && token.startsWith(atHead.place));
}

function recordOf({ entry }: RawBlob): LooseRecord | undefined {
  return recordIn(entry.metadata);
}

function versionOf(
  token: string,
  { blob, record, head }: { blob: RawBlob; record: LooseRecord; head: RawBlob | undefined },
): Version {
  const atHead = head && recordOf(head);
  // What is said of an assembled head stands in its head, whatever its blob says.
  const said = atHead?.kind === 'assembled' && atHead.version === token ? atHead : undefined;
  const isNull = said !== undefined || record.isNull === true;
  // An assembled may stand above the place that its blob is named after: the bytes came before the head was read.
  const seq = Math.max(seqOf(token), said?.seq ?? 0);
  const place = seq > seqOf(token) ? placeOf(seq) : token;
  return { id: isNull ? 'null' : token, seq, place, ...facts(blob, said ?? record) };
}

/** The null version that a head is itself. */
function inHead(head: RawBlob): Version | undefined {
  const record = recordOf(head);
  if (record !== undefined && record.kind !== 'inline') return undefined;
  const seq = record?.seq ?? head.entry.lastModified * 1000;
  return { id: 'null', seq, place: placeOf(seq), ...facts(head, record) };
}

function facts({ entry, text }: RawBlob, record: LooseRecord | undefined): Omit<Version, 'id' | 'seq' | 'place'> {
  const marker = record?.kind === 'marker';
  const said = { tags: record?.tags?.map(({ key, value }) => `${key}=${value}`), acl: record?.acl, lock: record?.lock };
  return {
    marker,
    body: marker ? '' : text,
    etag: record?.etag ?? entry.md5 ?? '',
    mtime:
      record === undefined ? Math.floor(entry.lastModified / 1000) * 1000 : (record.mtime ?? mtimeOfSeq(record.seq)),
    said: JSON.stringify(said),
  };
}

function seqOf(token: string): number {
  return SEQ_LIMIT - Number.parseInt(token.slice(0, 14), 16);
}

function placeOf(seq: number): string {
  return (SEQ_LIMIT - seq).toString(16).padStart(14, '0');
}

interface Judged {
  readonly current: Version | undefined;
  readonly visible: readonly Version[];
  readonly kind: LooseRecord['kind'] | undefined;
  readonly indexed: boolean;
}

/** I2, I3, I7 and I8. */
function faultsOf({ current, visible, kind, indexed }: Judged): string[] {
  const faults: string[] = [];
  const isEmpty = kind === undefined || kind === 'void';
  if (!isEmpty && current === undefined) faults.push('I8: the head names a version that is not there');
  if (current !== undefined && visible[0] !== current) faults.push('I2: the current version is not the newest');
  if (visible.filter(({ id }) => id === 'null').length > 1) faults.push('I3: two null versions');
  if ((kind === 'marker' || kind === 'void') && !indexed) {
    faults.push('I7: a tombstone that the delimiter index does not know');
  }
  return faults;
}

function textOf(current: Version | undefined, versions: readonly Version[]): string {
  return [current?.id ?? 'none', ...versions.map(lineOf)].join('\n');
}

/**
 * Two versions with equal lines are one. Markers have nothing else to tell them apart; an object may be given another
 * place.
 */
export function lineOf({ id, marker, seq, body, etag, mtime, said }: Version): string {
  return [id, marker ? `marker ${seq}` : body, etag, mtime, said].join(' ');
}

/** For messages. */
export function describeState({ current, versions }: KeyState): string {
  const shown = versions.map((version) => `${version === current ? '*' : ''}${describeVersion(version)}`);
  return `[${shown.join(', ')}]`;
}

function describeVersion({ id, marker, body, said }: Version): string {
  const name = id === 'null' ? 'null' : `v${id.slice(6, 14)}.${id.slice(14, 18)}`;
  return `${name}=${marker ? 'MARKER' : body}${said === '{}' ? '' : said}`;
}
