import { BatchSupport } from '../shared/batch/batch-support.ts';
import { DEFAULT_RETRIES, timeoutsFrom, wireOptions } from '../shared/connection-options.ts';
import { RetryBudget } from '../shared/retry-budget.ts';
import { RestClient } from '../shared/rest-client.ts';
import { azureApi } from './api.ts';
import { createAuthorizer } from './authorize.ts';
import { CopyRefusals } from './copy-refusals.ts';
import { createCopySources } from './copy-source.ts';
import { expandConnectionString, resolveAccess } from './credentials.ts';
import { resolveEndpoint } from './endpoint.ts';
import { DEFAULT_LIMITS } from './options.ts';
import type { AzureStoreOptions } from './options.ts';
import { azureStore } from './store.ts';
import type { AzureBlobStore } from './store.ts';
import { createTransport } from '../shared/wire/fair-transport.ts';
import type { FairTransportOptions } from '../shared/wire/fair-transport.ts';
import type { Transport } from '../shared/wire/transport.ts';

type CreateWire = (options: FairTransportOptions) => Transport;

/**
 * A store over one Azure storage account. Nothing is sent until the first call.
 * @param createWire another way to the network, for tests
 * @throws Error when options contradict each other or say too little
 */
export function createAzureStore(given: AzureStoreOptions, createWire: CreateWire = createTransport): AzureBlobStore {
  const options = expandConnectionString(given);
  const endpoint = resolveEndpoint(options);
  const access = resolveAccess(options.credential, endpoint.account, options.ca);
  if (access.kind === 'token' && !endpoint.origin.startsWith('https:')) {
    throw new Error('tokens are sent over https only');
  }
  const timeouts = timeoutsFrom(options.timeouts);
  const authorizer = createAuthorizer(access);
  const rest = new RestClient(azureApi(authorizer), {
    transport: createWire(wireOptions(endpoint.origin, options, timeouts)),
    budget: new RetryBudget({ ...DEFAULT_RETRIES, ...options.retries }),
    timeouts,
  });
  return azureStore({
    rest,
    authorizer,
    batches: new BatchSupport(),
    endpoint,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    sources: createCopySources({ rest, endpoint }, access),
    refusals: new CopyRefusals(),
    lacks: { putFromUrl: false },
  });
}
