import type { S3LifecycleRule } from '../../../src/protocol/lifecycle/lifecycle.ts';
import type { Tag } from '../../../src/protocol/tagging.ts';

/** A version as the model remembers it. */
interface ModelVersion {
  readonly text: string;
  readonly isMarker: boolean;
  readonly isNull: boolean;
  readonly tags: readonly Tag[];
  /** Seconds, as S3 dates versions; milliseconds since the epoch. */
  readonly createdAt: number;
  isCurrent: boolean;
}

type ModelVersioning = 'never' | 'enabled' | 'suspended';

/**
 * What S3 says of lifecycle rules, told once more in another way: by calendar days, on the whole history of each key.
 * Only for rules that have one action each.
 */
export class LifecycleModel {
  versioning: ModelVersioning = 'never';
  /** Newest first. */
  readonly keys = new Map<string, ModelVersion[]>();

  put(key: string, version: { text: string; tags: readonly Tag[] }, now: number): void {
    this.#add(key, { ...version, isMarker: false }, now);
  }

  remove(key: string, now: number): void {
    if (this.versioning === 'never') this.keys.delete(key);
    else this.#add(key, { text: '-', tags: [], isMarker: true }, now);
  }

  /** One pass of the rules. All is judged as it was at its beginning. */
  pass(rules: readonly S3LifecycleRule[], now: number): void {
    for (const [key, versions] of [...this.keys]) {
      const going = new Set<ModelVersion>();
      let expires = false;
      for (const version of versions) {
        const wanted = rules.some((rule) => this.#wants(rule, key, version, versions, now));
        if (!wanted) continue;
        if (version.isCurrent && !version.isMarker) expires = true;
        else going.add(version);
      }
      this.#keep(key, (version) => !going.has(version));
      if (expires) this.remove(key, now);
    }
  }

  list(): string[] {
    return [...this.keys]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([key, versions]) => versions.map(({ text, isCurrent }) => `${key}:${text}${isCurrent ? '' : '*'}`));
  }

  #wants(
    { isEnabled, filter = {}, expiration, noncurrentExpiration }: S3LifecycleRule,
    key: string,
    version: ModelVersion,
    all: readonly ModelVersion[],
    now: number,
  ): boolean {
    if (!isEnabled || !key.startsWith(filter.prefix ?? '')) return false;
    const size = version.isMarker ? 0 : version.text.length;
    if (filter.sizeAbove !== undefined && size <= filter.sizeAbove) return false;
    if (filter.sizeBelow !== undefined && size >= filter.sizeBelow) return false;
    const { tag } = filter;
    if (tag !== undefined && !version.tags.some((one) => one.key === tag.key && one.value === tag.value)) return false;
    if (!version.isCurrent) {
      if (noncurrentExpiration === undefined) return false;
      const above = all.slice(0, all.indexOf(version));
      const newer = above.filter((one) => !one.isCurrent && !one.isMarker).length;
      // The one that displaced it, or if that is gone, the next that is there.
      const displacedAt = above.at(-1)?.createdAt ?? Infinity;
      return newer >= (noncurrentExpiration.newer ?? 0) && isOver(displacedAt, noncurrentExpiration.days, now);
    }
    if (expiration === undefined || (version.isMarker && all.length > 1)) return false;
    if (version.isMarker && expiration.loneMarkers === true) return true;
    if (expiration.date !== undefined) return now >= expiration.date;
    return expiration.days !== undefined && isOver(version.createdAt, expiration.days, now);
  }

  #add(key: string, made: Omit<ModelVersion, 'createdAt' | 'isCurrent' | 'isNull'>, now: number): void {
    const second = Math.floor(now / 1000) * 1000;
    const isNull = this.versioning !== 'enabled';
    if (isNull) this.#keep(key, (version) => !version.isNull);
    const versions = this.keys.get(key) ?? [];
    const [current] = versions;
    if (current !== undefined) current.isCurrent = false;
    this.keys.set(key, [{ ...made, isNull, createdAt: second, isCurrent: true }, ...versions]);
  }

  #keep(key: string, stays: (version: ModelVersion) => boolean): void {
    const left = (this.keys.get(key) ?? []).filter(stays);
    if (left.length === 0) this.keys.delete(key);
    else this.keys.set(key, left);
  }
}

/** So many whole days of the calendar lie between the day of `since` and the day of `now`. */
function isOver(since: number, days: number, now: number): boolean {
  const start = new Date(since);
  return now >= Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate() + days + 1);
}
