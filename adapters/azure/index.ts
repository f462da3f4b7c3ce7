/**
 * The port `BlobStore` on Azure Blob Storage. Begin with `store.ts`, which puts it together, and `calls/`, a file for
 * each call of the port. `api.ts` tells the REST client what is Azure's own: addresses, retries, errors. Around these:
 * credentials and signatures (`authorize.ts`), pages of a listing (`blob-list.ts`), sources of copies.
 */
export { azureStore, createAzureClient, createAzureStore } from './store.ts';
export type { AzureClient } from './client.ts';
export type { AzureRequest } from './request.ts';
export { HASHING_VERSION } from './calls/stage.ts';
export { blobPath, containerPath } from './endpoint.ts';
export { identityTokens } from './authorize.ts';
export { type AzureIdentity, expandConnectionString } from './credentials.ts';
export type { AzureCredential, AzureLimits, AzureStoreOptions, TokenOptions } from './options.ts';
