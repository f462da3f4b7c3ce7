import { randomBytes } from 'node:crypto';
import type { Backend, Realm } from './realm.ts';

/** How names end that only the gateway gives: 48 random bits. No bucket's native name is such a one. */
const GIVEN = /-gw[0-9a-f]{12}$/;

/**
 * The bucket's own name, where the service can hold it and it is nobody else's; else one that is made up. Names that
 * bucket names could be guessed to get are never given: whoever makes a bucket must not be able to sit down on
 * another's container.
 */
export function containerNameOf(realm: Pick<Realm, 'backends'>, backend: Backend, bucket: string): string {
  return isNativeName(realm, backend, bucket) && !GIVEN.test(bucket) ? bucket : freshContainerName(backend, bucket);
}

/**
 * Whether the service can hold the name, and no backend keeps there what is its own: several may lie in one account.
 * Names that the configuration gives to parts of containers need not be the service's.
 */
export function isNativeName(
  { backends }: Pick<Realm, 'backends'>,
  { store, systemContainer, places }: Backend,
  name: string,
): boolean {
  if (places?.has(name) === true) return true;
  return (
    store.capabilities.containerName.test(name) &&
    name !== systemContainer &&
    backends.every((other) => other.systemContainer !== name)
  );
}

/** A legal name that still shows which bucket it is, and that nobody can know beforehand. */
export function freshContainerName({ store }: Backend, bucket: string): string {
  const suffix = `gw${randomBytes(6).toString('hex')}`;
  const readable = bucket.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  // A prefix of the backend's leaves less room, and some words are not allowed.
  const names = [62 - suffix.length, 30, 10, 5].map(
    (length) => `${readable.slice(0, length).replace(/-$/, '')}-${suffix}`,
  );
  return names.find((name) => store.capabilities.containerName.test(name)) ?? `b-${suffix}`;
}

/** A bucket's uid in characters that every service keeps with a container. */
export function ownerMark(uid: string): string {
  return uid.replace(/[^a-z0-9_-]/g, '_');
}

/** The mark of containers in which gateways keep what is their own. */
export const SYSTEM_MARK = 'system';

/** How uids of buckets begin that are parts of containers. */
const PLACED = 'placed.';

/** Uid of the bucket that a part of a container is. @param place `ContainerEntry.place` */
export function placedUid(place: string): string {
  return PLACED + place;
}

export function isPlacedUid(uid: string): boolean {
  return uid.startsWith(PLACED);
}
