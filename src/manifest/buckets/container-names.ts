import { randomBytes } from 'node:crypto';
import type { Backend, Realm } from './realm.ts';

/** The end of names that only the gateway gives: 48 random bits. No bucket's own name ends like this. */
const GIVEN = /-gw[0-9a-f]{12}$/;

/**
 * The bucket's own name where the service allows it and it is free; else a random name. The name of a container must
 * not be predictable from the name of another bucket: otherwise an account could create the container of that bucket
 * before its owner does.
 */
export function containerNameOf(realm: Pick<Realm, 'backends'>, backend: Backend, bucket: string): string {
  return isNativeName(realm, backend, bucket) && !GIVEN.test(bucket) ? bucket : freshContainerName(backend, bucket);
}

/**
 * Whether the service allows the name and no backend uses it for a container of its own (several backends may lie in
 * one account). Names that the configuration gives to parts of containers need not follow the rules of the service.
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

/** A legal name that shows which bucket it belongs to and that cannot be predicted. */
export function freshContainerName({ store }: Backend, bucket: string): string {
  const suffix = `gw${randomBytes(6).toString('hex')}`;
  const readable = bucket.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  // A prefix of the backend leaves less room, and services do not allow some words.
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

/** The beginning of the uids of buckets that are parts of containers. */
const PLACED = 'placed.';

/** The uid of a bucket that is part of a container. @param place `ContainerEntry.place` */
export function placedUid(place: string): string {
  return PLACED + place;
}

export function isPlacedUid(uid: string): boolean {
  return uid.startsWith(PLACED);
}
