export type { GcsBlobStore } from './store.ts';
export { createGcsStore } from './create.ts';
export type { GcsCredential, GcsLimits, GcsStoreOptions } from './options.ts';
