export type { GcsBlobStore } from './store.ts';
export { createGcsStore } from './create.ts';
export { startGcsDouble } from './double/double.ts';
export type { DoubleServerOptions, GcsDouble } from './double/double.ts';
export type { GcsCredential, GcsLimits, GcsStoreOptions } from './options.ts';
