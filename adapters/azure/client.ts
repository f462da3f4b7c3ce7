import type { BatchSupport } from '../shared/batch/batch-support.ts';
import type { RestClient } from '../shared/rest-client.ts';
import type { Authorizer } from './authorize.ts';
import type { CopyRefusals } from './copy-refusals.ts';
import type { CopySources } from './copy-source.ts';
import type { Endpoint } from './endpoint.ts';
import type { AzureLimits } from './options.ts';
import type { AzureRequest } from './request.ts';

/** What the calls of one storage account share. */
export interface AzureClient {
  readonly rest: RestClient<AzureRequest>;
  /** Of the calls inside a batch, which the REST client does not see. */
  readonly authorizer: Authorizer;
  readonly batches: BatchSupport;
  readonly endpoint: Endpoint;
  readonly limits: AzureLimits;
  readonly sources: CopySources;
  readonly refusals: CopyRefusals;
  /** What an emulator turned out to lack. */
  readonly lacks: { putFromUrl: boolean };
}
