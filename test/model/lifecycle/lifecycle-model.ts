import type { Lifecycle, S3LifecycleRule } from '../../../src/protocol/lifecycle/lifecycle.ts';
import type { Tag } from '../../../src/protocol/tagging.ts';

/** A version as the model remembers it. */
interface ModelVersion {
  readonly text: string;
  readonly size: number;
  readonly isMarker: boolean;
  readonly isNull: boolean;
  readonly tags: readonly Tag[];
  /** Seconds, as S3 dates versions; milliseconds since the epoch. */
  readonly createdAt: number;
  /** Up to then it is locked. */
  lockedUntil: number;
  storageClass: string;
  isCurrent: boolean;
}

type ModelVersioning = 'never' | 'enabled' | 'suspended';

/** From warm to cold. What is on the left may move to what is on the right of it, with one exception. */
const WARMTH = 'STANDARD STANDARD_IA INTELLIGENT_TIERING ONEZONE_IA GLACIER_IR GLACIER DEEP_ARCHIVE'.split(' ');
/** Which of several moves is made. */
const CHEAPEST = 'DEEP_ARCHIVE GLACIER INTELLIGENT_TIERING GLACIER_IR ONEZONE_IA STANDARD_IA'.split(' ');

interface Moment {
  readonly days?: number;
  readonly date?: number;
}

/**
 * What S3 says of lifecycle rules, told once more in another way: by calendar days, on the whole history of each key.
 */
export class LifecycleModel {
  versioning: ModelVersioning = 'never';
  /** A bucket with locks cannot be suspended. */
  hasLocks = false;
  /** Newest first. */
  readonly keys = new Map<string, ModelVersion[]>();

  put(key: string, version: Pick<ModelVersion, 'text' | 'size' | 'tags'>, now: number): void {
    this.#add(key, { ...version, isMarker: false, storageClass: 'STANDARD' }, now);
  }

  remove(key: string, now: number): void {
    if (this.versioning === 'never') this.keys.delete(key);
    else this.#add(key, { text: '-', size: 0, tags: [], isMarker: true, storageClass: '' }, now);
  }

  /** Locks the current version of a key. @returns false: there is none that can be locked */
  lock(key: string, until: number): boolean {
    const [current] = this.keys.get(key) ?? [];
    if (this.versioning !== 'enabled' || current === undefined || current.isMarker) return false;
    current.lockedUntil = until;
    this.hasLocks = true;
    return true;
  }

  /** One pass of the rules. All is judged as it was at its beginning. */
  pass(lifecycle: Lifecycle, now: number): void {
    for (const [key, versions] of [...this.keys]) {
      const going = new Set<ModelVersion>();
      const moves = new Map<ModelVersion, string>();
      let expires = false;
      for (const version of versions) {
        const rules = lifecycle.rules.filter((rule) => reaches(rule, key, version));
        const goes = rules.some((rule) => removes(rule, version, versions, now));
        const isForGood = !version.isCurrent || version.isMarker || this.versioning === 'never';
        const move = moveOf({ ...lifecycle, rules }, version, versions, now);
        if (goes && isForGood) {
          if (version.lockedUntil <= now) going.add(version);
        } else if (move !== undefined) {
          moves.set(version, move);
        } else if (goes) {
          expires = true;
        }
      }
      for (const [version, storageClass] of moves) version.storageClass = storageClass;
      this.#keep(key, (version) => !going.has(version));
      if (expires) this.remove(key, now);
    }
  }

  list(): string[] {
    return this.#lines(({ text }) => text);
  }

  classes(): string[] {
    return this.#lines(({ storageClass, isMarker }) => (isMarker ? undefined : storageClass));
  }

  #lines(tell: (version: ModelVersion) => string | undefined): string[] {
    return [...this.keys]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([key, versions]) =>
        versions.flatMap((version) => {
          const told = tell(version);
          return told === undefined ? [] : [`${key}:${told}${version.isCurrent ? '' : '*'}`];
        }),
      );
  }

  #add(
    key: string,
    made: Pick<ModelVersion, 'text' | 'size' | 'tags' | 'isMarker' | 'storageClass'>,
    now: number,
  ): void {
    const second = Math.floor(now / 1000) * 1000;
    const isNull = this.versioning !== 'enabled';
    if (isNull) this.#keep(key, (version) => !version.isNull);
    const versions = this.keys.get(key) ?? [];
    const [current] = versions;
    if (current !== undefined) current.isCurrent = false;
    this.keys.set(key, [{ ...made, isNull, createdAt: second, lockedUntil: 0, isCurrent: true }, ...versions]);
  }

  #keep(key: string, stays: (version: ModelVersion) => boolean): void {
    const left = (this.keys.get(key) ?? []).filter(stays);
    if (left.length === 0) this.keys.delete(key);
    else this.keys.set(key, left);
  }
}

function reaches({ isEnabled, filter = {} }: S3LifecycleRule, key: string, version: ModelVersion): boolean {
  const { and } = filter;
  const { prefix = '', sizeAbove = -1, sizeBelow = Infinity } = and ?? filter;
  const tags = and?.tags ?? (filter.tag === undefined ? [] : [filter.tag]);
  return (
    isEnabled &&
    key.startsWith(prefix) &&
    version.size > sizeAbove &&
    version.size < sizeBelow &&
    tags.every((tag) => version.tags.some((one) => one.key === tag.key && one.value === tag.value))
  );
}

/** When the version was displaced by the one above it; if that is gone, by the next that is there. */
function displacement(version: ModelVersion, all: readonly ModelVersion[]): { since: number; newer: number } {
  const above = all.slice(0, all.indexOf(version));
  const newer = above.filter((one) => !one.isCurrent && !one.isMarker).length;
  return { since: above.at(-1)?.createdAt ?? Infinity, newer };
}

function removes(rule: S3LifecycleRule, version: ModelVersion, all: readonly ModelVersion[], now: number): boolean {
  const { expiration, noncurrentExpiration } = rule;
  if (!version.isCurrent) {
    if (noncurrentExpiration === undefined) return false;
    const { since, newer } = displacement(version, all);
    return newer >= (noncurrentExpiration.newer ?? 0) && isOver(noncurrentExpiration, since, now);
  }
  if (expiration === undefined || (version.isMarker && all.length > 1)) return false;
  return (version.isMarker && expiration.loneMarkers === true) || isOver(expiration, version.createdAt, now);
}

function moveOf(
  { rules, minimumSize }: Lifecycle,
  version: ModelVersion,
  all: readonly ModelVersion[],
  now: number,
): string | undefined {
  if (version.isMarker) return undefined;
  const { since, newer } = version.isCurrent ? { since: version.createdAt, newer: 0 } : displacement(version, all);
  const wanted = rules.flatMap(({ filter = {}, transitions = [], noncurrentTransitions = [] }) => {
    const moves = version.isCurrent ? transitions : noncurrentTransitions.filter((one) => newer >= (one.newer ?? 0));
    const { sizeAbove, sizeBelow } = filter.and ?? filter;
    const saysSize = sizeAbove !== undefined || sizeBelow !== undefined;
    return moves
      .filter((move) => isOver(move, since, now))
      .filter(({ storageClass: to }) => isColder(version.storageClass, to))
      .filter(({ storageClass: to }) => {
        const isArchive = to === 'GLACIER' || to === 'DEEP_ARCHIVE';
        return version.size >= 131_072 || saysSize || (isArchive && minimumSize === 'varies_by_storage_class');
      })
      .map(({ storageClass }) => storageClass);
  });
  return CHEAPEST.find((one) => wanted.includes(one));
}

function isColder(from: string, to: string): boolean {
  const isException = from === 'ONEZONE_IA' && to === 'GLACIER_IR';
  return !isException && WARMTH.indexOf(to) > WARMTH.indexOf(from);
}

/** The date has come; or so many whole days of the calendar lie between the day of `since` and the day of `now`. */
function isOver({ days, date }: Moment, since: number, now: number): boolean {
  if (date !== undefined) return now >= date;
  if (days === undefined) return false;
  const start = new Date(since);
  return now >= Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate() + days + 1);
}
