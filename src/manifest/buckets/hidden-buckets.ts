import type { Call } from '../../observe/call.ts';
import { isBucketName } from '../../protocol/bucket-name.ts';
import { containersOf } from '../../store/pages.ts';
import type { AliasOf } from './configured-names.ts';
import { namedContainers } from './record-names.ts';
import { isNativeName } from './container-names.ts';
import type { Backend, Realm } from './realm.ts';

/** What a configuration says about names of buckets. */
export interface BucketNames {
  readonly realm: Realm;
  /** Absent: buckets have their own names only. */
  readonly aliasOf?: AliasOf;
}

/** A bucket that exists, but that requests for its name do not reach. */
export interface HiddenBucket {
  readonly bucket: string;
  /** What the name means instead: another bucket, a bucket in another backend, or part of a container. */
  readonly instead: { readonly bucket: string } | { readonly backend: string } | { readonly part: true };
}

/**
 * Finds the buckets of a backend that an alias, a rule or a part of a container hides. A container without a record
 * counts if an alias or a part has its name; if only a rule gives its name to another backend, it may have nothing to
 * do with the gateway. Costs two listings and one look for each part of a container.
 * @throws StoreError
 */
export async function hiddenBuckets(backend: Backend, names: BucketNames, call: Call): Promise<HiddenBucket[]> {
  const { realm, aliasOf = () => undefined } = names;
  const hidden: HiddenBucket[] = [];
  const byContainer = await namedContainers(backend, call);
  const named = [...byContainer].flatMap(([container, buckets]) => buckets.map((bucket) => ({ bucket, container })));
  for (const { bucket, container } of named) {
    const meant = aliasOf(bucket);
    const home = realm.backendOf(bucket);
    if (meant !== undefined) {
      hidden.push({ bucket, instead: { bucket: meant } });
    } else if (home.places?.has(bucket) === true && container !== bucket) {
      hidden.push({ bucket, instead: { part: true } });
    } else if (home !== backend) {
      hidden.push({ bucket, instead: { backend: home.name } });
    }
  }
  for await (const { name, owner } of containersOf(backend.store, call)) {
    const meant = aliasOf(name);
    if (meant === undefined || owner !== undefined || byContainer.has(name)) continue;
    if (!isBucketName(name) || !isNativeName(realm, backend, name) || realm.backendOf(name) !== backend) continue;
    hidden.push({ bucket: name, instead: { bucket: meant } });
  }
  for (const bucket of (await backend.behindPlaces?.(call)) ?? []) {
    if (!hidden.some((other) => other.bucket === bucket)) hidden.push({ bucket, instead: { part: true } });
  }
  return hidden.sort((a, b) => (a.bucket < b.bucket ? -1 : 1));
}
