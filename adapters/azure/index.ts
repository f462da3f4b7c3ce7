export { createAzureStore } from './create.ts';
export { expandConnectionString } from './credentials.ts';
export { startAzurite } from './azurite-process.ts';
export type { AzuriteOptions, AzuriteProcess } from './azurite-process.ts';
export type { AzureCredential, AzureLimits, AzureStoreOptions, TokenOptions } from './options.ts';
