/**
 * The port `BlobStore` on Google Cloud Storage, by its JSON API. Begin with `store.ts`, which puts it together, and
 * `calls/`, a file for each call of the port. `api.ts` tells the REST client what is Google's own; `names.ts` and
 * `private-names.ts` say what a container and a blob are called there, `resource.ts` what a blob's properties become.
 */
export { createCredentials } from './credentials.ts';
export type { GcsBlobStore } from './store.ts';
export { createGcsClient, createGcsStore, gcsStore } from './store.ts';
export type { GcsClient } from './client.ts';
export type { GcsRequest } from './request.ts';
export { bucketPath, objectPath, uploadPath, xmlPath } from './paths.ts';
export type { GcsCredential, GcsLimits, GcsStoreOptions } from './options.ts';
