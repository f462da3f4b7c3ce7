export { createAzureStore } from './create.ts';
export { expandConnectionString } from './credentials.ts';
export type { AzureCredential, AzureLimits, AzureStoreOptions, TokenOptions } from './options.ts';
