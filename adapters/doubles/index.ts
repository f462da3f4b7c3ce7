/**
 * What stands in for a cloud, for tests and for trying the gateway out. None of it is part of an adapter.
 *
 * `azurite/` starts Microsoft's emulator, and gives it keys of customers. `gcs/` is Cloud Storage in memory, over HTTP;
 * begin with `double.ts`. `faults.ts` makes calls of any store fail, and `call-log.ts` counts them; only tests use
 * these two.
 */
export { startAzurite } from './azurite/azurite-process.ts';
export type { AzuriteOptions, AzuriteProcess } from './azurite/azurite-process.ts';
export { FolderHeldError } from './azurite/folder-lock.ts';
export { startGcsDouble } from './gcs/double.ts';
export type { DoubleServerOptions, GcsDouble } from './gcs/double.ts';
