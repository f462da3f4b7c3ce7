import type { RestClient } from '../shared/rest-client.ts';
import type { CopyRefusals } from './copy-refusals.ts';
import type { CopySources } from './copy-source.ts';
import type { Endpoint } from './endpoint.ts';
import type { AzureLimits } from './options.ts';
import type { AzureRequest } from './request.ts';

/** What the calls of one storage account share. */
export interface AzureClient {
  readonly rest: RestClient<AzureRequest>;
  readonly endpoint: Endpoint;
  readonly limits: AzureLimits;
  readonly sources: CopySources;
  readonly refusals: CopyRefusals;
  /** What an emulator turned out to lack. */
  readonly lacks: { putFromUrl: boolean };
}
