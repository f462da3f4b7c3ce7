import type { BlobRef } from '../../src/store/blob-store.ts';
import type { GcsClient } from './client.ts';
import { encodeName, encodeNamePath } from './names.ts';

/** https://cloud.google.com/storage/docs/request-endpoints */
export const BUCKETS_PATH = '/storage/v1/b';

/** @throws StoreError invalidName */
export function bucketPath(client: GcsClient, container: string): string {
  return `${BUCKETS_PATH}/${client.names.bucketOf(container)}`;
}

/** @throws StoreError invalidName */
export function objectPath(client: GcsClient, { container, name }: BlobRef): string {
  return `${bucketPath(client, container)}/o/${encodeName(name)}`;
}

export function uploadPath(client: GcsClient, container: string): string {
  return `/upload${bucketPath(client, container)}/o`;
}

/** Of the XML API. */
export function xmlPath(client: GcsClient, { container, name }: BlobRef): string {
  return `/${client.names.bucketOf(container)}/${encodeNamePath(name)}`;
}

/** The name to which the service's rate of changes applies. */
export function changeOf(client: GcsClient, { container, name }: BlobRef): string {
  return `${client.names.bucketOf(container)}/${name}`;
}
