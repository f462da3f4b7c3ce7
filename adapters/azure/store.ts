import type { BlobStore } from '../../src/store/blob-store.ts';
import type { SurveyedStore } from '../../src/store/survey.ts';
import { bindCalls } from '../shared/bind-calls.ts';
import { copy, rehydrate } from './calls/copy.ts';
import { list } from './calls/list.ts';
import { head, read } from './calls/read.ts';
import { removeMany } from './calls/remove-many.ts';
import { assemble, discardParts, promisesMd5, stagePart, stagePartFrom } from './calls/stage.ts';
import { survey } from './calls/survey.ts';
import { remove, setMetadata, write } from './calls/write.ts';
import { azureCapabilities, type AzureClient } from './client.ts';
import { BatchSupport } from '../shared/batch/batch-support.ts';
import { DEFAULT_RETRIES, timeoutsFrom, wireOptions } from '../shared/connection-options.ts';
import { PartDigests } from '../shared/part-digests.ts';
import { RetryBudget } from '../shared/retry-budget.ts';
import { RestClient } from '../shared/rest-client.ts';
import { azureApi } from './api.ts';
import { createAuthorizer } from './authorize.ts';
import { CopyRefusals } from './copy-refusals.ts';
import { createCopySources } from './copy-source.ts';
import { expandConnectionString, resolveAccess } from './credentials.ts';
import { resolveEndpoint } from './endpoint.ts';
import { type AzureStoreOptions, DEFAULT_LIMITS } from './options.ts';
import { createTransport, type FairTransportOptions } from '../shared/wire/fair-transport.ts';
import type { Transport } from '../shared/wire/transport.ts';
import * as containers from './calls/containers.ts';

type AzureBlobStore = BlobStore & Required<SurveyedStore>;

/** Port methods that are the calls of `calls/`, with the client settled. */
const CALLS = {
  ...containers,
  copy,
  rehydrate,
  list,
  head,
  read,
  remove,
  removeMany,
  assemble,
  discardParts,
  survey,
};

/** Azure Blob Storage behind the port. */
export function azureStore(client: AzureClient): AzureBlobStore {
  return {
    kind: 'azure',
    capabilities: azureCapabilities(client.limits),
    clock: client.rest.clock,
    lanes: () => client.rest.lanes(),
    copyFallback: client.refusals,
    ...bindCalls(client, CALLS),
    write: (ref, body, request, call) => write(client, { ref, body, request }, call),
    setMetadata: (ref, metadata, condition, call) => setMetadata(client, { ref, metadata, condition }, call),
    partDigests: {
      get active() {
        return client.digests.active;
      },
      ask: (staging, size, call) => promisesMd5(client, { staging, size }, call),
    },
    stagePart: (staging, body, { md5 }, call) => stagePart(client, { staging, body, md5 }, call),
    stagePartFrom: (staging, source, range, call) => stagePartFrom(client, { staging, source, range }, call),
    close: () => client.rest.close(),
  };
}

type CreateWire = (options: FairTransportOptions) => Transport;

/**
 * A store over one Azure storage account. Nothing is sent until the first call.
 * @param createWire another way to the network, for tests
 * @throws Error when options contradict each other or say too little
 */
export function createAzureStore(given: AzureStoreOptions, createWire: CreateWire = createTransport): AzureBlobStore {
  return azureStore(createAzureClient(given, createWire));
}

/** What that store is made of, for callers that ask the service for its own answers, too. @throws Error likewise */
export function createAzureClient(given: AzureStoreOptions, createWire: CreateWire = createTransport): AzureClient {
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
  return {
    rest,
    authorizer,
    batches: new BatchSupport(),
    endpoint,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    sources: createCopySources({ rest, endpoint }, access),
    refusals: new CopyRefusals(),
    digests: new PartDigests(false),
    lacks: { putFromUrl: false },
  };
}
