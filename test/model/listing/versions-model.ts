import fc from 'fast-check';
import type { Bucket, Versioning } from '../../../src/manifest/records/bucket.ts';
import { type VersionsEntry, type VersionsRequest, createListing } from '../../../src/manifest/listing/listing.ts';
import type { Objects } from '../../../src/manifest/objects/objects.ts';
import { OWNER, putOf } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { anyKey, anyText } from '../../unit/store/arbitrary-keys.ts';
import { byBytes } from './listing-model.ts';

interface ModelVersion {
  readonly id: string;
  readonly isMarker: boolean;
}

/** A bucket and what S3 says must be in it: for each key its versions, newest first. */
export class ModelledBucket {
  readonly #objects: Objects;
  readonly #keys = new Map<string, ModelVersion[]>();
  bucket: Bucket;

  constructor(bucket: Bucket, objects: Objects) {
    this.bucket = bucket;
    this.#objects = objects;
  }

  /** There is no way back to `never`. */
  set(versioning: Versioning): void {
    if (versioning !== 'never') this.bucket = { ...this.bucket, versioning };
  }

  async put(key: string, body = key): Promise<void> {
    const { versionId } = await this.#objects.put({ bucket: this.bucket, key }, putOf(body), testCall());
    this.#add(key, { id: versionId, isMarker: false });
  }

  async remove(key: string): Promise<void> {
    const { versionId = 'null' } = await this.#objects.remove(
      { bucket: this.bucket, key, versionId: undefined },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    if (this.bucket.versioning === 'never') this.#keys.delete(key);
    else this.#add(key, { id: versionId, isMarker: true });
  }

  /** Deletes the n-th version, counted round. */
  async removeVersion(key: string, n: number): Promise<void> {
    const versions = this.versionsOf(key);
    const version = versions[n % versions.length];
    if (version === undefined || this.bucket.versioning === 'never') return;
    await this.#objects.remove(
      { bucket: this.bucket, key, versionId: version.id },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    this.#keys.set(
      key,
      versions.filter(({ id }) => id !== version.id),
    );
  }

  versionsOf(key: string): readonly ModelVersion[] {
    return this.#keys.get(key) ?? [];
  }

  /** Keys whose newest version is an object. */
  liveKeys(): string[] {
    return [...this.#keys].filter(([, [latest]]) => latest?.isMarker === false).map(([key]) => key);
  }

  /** All that a listing of versions must show behind a place, as labels. */
  expected({ prefix, delimiter, after, afterVersion }: Omit<VersionsRequest, 'limit'>): string[] {
    const labels = new Set<string>();
    for (const key of [...this.#keys.keys()].sort(byBytes)) {
      if (!key.startsWith(prefix)) continue;
      const rest = key.slice(prefix.length);
      const rolledUp =
        delimiter !== '' && rest.includes(delimiter)
          ? `${prefix}${rest.split(delimiter)[0] ?? ''}${delimiter}`
          : undefined;
      if (rolledUp !== undefined && after.startsWith(rolledUp)) continue;
      if (byBytes(rolledUp ?? key, after) < 0) continue;
      const versions = this.versionsOf(key);
      const listed =
        key !== after
          ? 0
          : afterVersion === undefined
            ? versions.length
            : versions.findIndex(({ id }) => id === afterVersion) + 1;
      versions.forEach(({ id, isMarker }, i) => {
        if (i >= listed) {
          labels.add(
            rolledUp === undefined
              ? versionLabel({ key, versionId: id, isMarker, isLatest: i === 0 })
              : `p:${rolledUp}`,
          );
        }
      });
    }
    return [...labels];
  }

  #add(key: string, version: ModelVersion): void {
    this.#keys.set(key, [version, ...this.versionsOf(key).filter(({ id }) => id !== 'null' || version.id !== 'null')]);
  }
}

function versionLabel({
  key,
  versionId,
  isMarker,
  isLatest,
}: {
  key: string;
  versionId: string;
  isMarker: boolean;
  isLatest: boolean;
}): string {
  return `${isMarker ? 'm' : 'v'}${isLatest ? '*' : ''}:${key}@${versionId}`;
}

/** An entry of a listing of versions as one comparable text. */
export function labelOf(entry: VersionsEntry): string {
  return entry.kind === 'prefix' ? `p:${entry.key}` : versionLabel({ ...entry, isMarker: entry.kind === 'marker' });
}

/** Labels of all pages, each begun where the one before ended. */
export async function walkVersions(bucket: Bucket, request: VersionsRequest): Promise<string[][]> {
  const listing = createListing();
  const pages: string[][] = [];
  let place: { after: string; afterVersion?: string } | undefined = request;
  while (place !== undefined) {
    const { prefix, delimiter, limit } = request;
    const { after, afterVersion } = place;
    const page = await listing.versions(
      bucket,
      { prefix, delimiter, limit, after, ...(afterVersion !== undefined && { afterVersion }) },
      testCall(),
    );
    pages.push(page.entries.map(labelOf));
    place =
      page.next === undefined
        ? undefined
        : { after: page.next, ...(page.nextVersion !== undefined && { afterVersion: page.nextVersion }) };
    if (pages.length > 2000) throw new Error('the listing does not end');
  }
  return pages;
}

const DELIMITERS = ['', '/', 'a', '.', '~', 's', '-', '0', 'Z', ' ', '//', 'é', '\u0001', '\u{1f600}'];

const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'remove', 'removeVersion'),
  key: fc.nat({ max: 30 }),
  n: fc.nat({ max: 5 }),
  versioning: fc.constantFrom<Versioning>('never', 'enabled', 'enabled', 'suspended'),
});

/** Keys with common beginnings, what happens to them, and a question about them that meets them often. */
export const versionsScenario = fc
  .tuple(fc.array(anyText, { maxLength: 3 }), fc.array(anyKey, { minLength: 1, maxLength: 8, size: 'max' }))
  .map(([stems, keys]) => keys.map((key, i) => (stems[i % 4] ?? '') + key))
  .chain((keys) => {
    const part = fc
      .tuple(fc.constantFrom(...keys), fc.nat({ max: 6 }))
      .map(([key, length]) => Array.from(key).slice(0, length).join(''));
    return fc.record({
      keys: fc.constant(keys),
      steps: fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }),
      prefix: fc.oneof({ weight: 6, arbitrary: fc.constant('') }, { weight: 3, arbitrary: part }, anyText),
      delimiter: fc.constantFrom(...DELIMITERS),
      after: fc.oneof({ weight: 8, arbitrary: fc.constant('') }, fc.constantFrom(...keys), part, anyText),
      limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(7, 1000)),
      maxListPage: fc.constantFrom(2, 3, 1000),
      emptyPages: fc.boolean(),
    });
  });

export type VersionsScenario = typeof versionsScenario extends fc.Arbitrary<infer T> ? T : never;

/** Makes the history that the scenario tells. */
export async function play(
  model: ModelledBucket,
  { keys, steps }: Pick<VersionsScenario, 'keys' | 'steps'>,
): Promise<void> {
  for (const { kind, key: index, n, versioning } of steps) {
    const key = keys[index % keys.length] ?? '';
    model.set(versioning);
    if (kind === 'put') await model.put(key);
    else if (kind === 'remove') await model.remove(key);
    else await model.removeVersion(key, n);
  }
  if (model.bucket.versioning === 'never') model.set('enabled');
}
