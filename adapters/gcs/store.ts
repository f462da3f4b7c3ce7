import type { BlobStore } from '../../src/store/blob-store.ts';
import type { SurveyedStore } from '../../src/store/survey.ts';
import { bindCalls } from '../shared/bind-calls.ts';
import { assemble } from './calls/assemble.ts';
import { copy } from './calls/copy.ts';
import { list } from './calls/list.ts';
import { head, read } from './calls/read.ts';
import { removeMany } from './calls/remove-many.ts';
import { discardParts, stagePart, stagePartFrom } from './calls/stage.ts';
import { survey } from './calls/survey.ts';
import { remove, setMetadata, write } from './calls/write.ts';
import { Background, gcsCapabilities, type GcsClient } from './client.ts';
import { STAGED_NAMES } from './private-names.ts';
import { BatchSupport } from '../shared/batch/batch-support.ts';
import { timeoutsFrom, wireOptions } from '../shared/connection-options.ts';
import { PartDigests } from '../shared/part-digests.ts';
import { RestClient } from '../shared/rest-client.ts';
import { RetryBudget } from '../shared/retry-budget.ts';
import { createTransport, type FairTransportOptions } from '../shared/wire/fair-transport.ts';
import type { Transport } from '../shared/wire/transport.ts';
import { gcsApi } from './api.ts';
import { createCredentials } from './credentials.ts';
import { HotNames } from './hot-names.ts';
import { containerNaming } from './names.ts';
import { DEFAULT_ENDPOINT, DEFAULT_LIMITS, GCS_RETRIES, type GcsStoreOptions } from './options.ts';
import * as containers from './calls/containers.ts';

export type GcsBlobStore = BlobStore & Required<SurveyedStore>;

/** Port methods that are the calls of `calls/`, with the client settled. */
const CALLS = {
  ...containers,
  copy,
  list,
  head,
  read,
  remove,
  removeMany,
  assemble,
  discardParts,
  survey,
};

/** Google Cloud Storage behind the port. */
export function gcsStore(client: GcsClient): GcsBlobStore {
  return {
    kind: 'gcs',
    capabilities: gcsCapabilities(client),
    staged: STAGED_NAMES,
    clock: client.rest.clock,
    lanes: () => client.rest.lanes(),
    ...bindCalls(client, CALLS),
    write: (ref, body, request, call) => write(client, { ref, body, request, call: 'write' }, call),
    setMetadata: (ref, metadata, condition, call) => setMetadata(client, { ref, metadata, condition }, call),
    partDigests: {
      get active() {
        return client.digests.active;
      },
      // The answer to every upload has the field.
      ask: () => client.digests.learn(async () => true),
    },
    stagePart: (staging, body, { md5 }, call) => stagePart(client, { staging, body, md5 }, call),
    stagePartFrom: (staging, source, range, call) => stagePartFrom(client, { staging, source, range }, call),
    async close() {
      await client.background.close();
      await client.rest.close();
    },
  };
}

type CreateWire = (options: FairTransportOptions) => Transport;

/**
 * A store over the buckets of one project. Nothing is sent until the first call.
 * @param createWire another way to the network, for tests
 * @throws Error when options contradict each other or say too little
 */
export function createGcsStore(options: GcsStoreOptions, createWire: CreateWire = createTransport): GcsBlobStore {
  return gcsStore(createGcsClient(options, createWire));
}

/** What that store is made of, for callers that ask the service for its own answers, too. @throws Error likewise */
export function createGcsClient(options: GcsStoreOptions, createWire: CreateWire = createTransport): GcsClient {
  const { credential, projectId, proxy, location, storageClass } = options;
  const origin = originOf(options.endpoint ?? DEFAULT_ENDPOINT);
  const credentials = createCredentials({ credential, projectId, proxy });
  if (credentials.isSecret && !origin.startsWith('https:')) throw new Error('tokens are sent over https only');
  if (!credentials.isSecret && options.endpoint === undefined) {
    throw new Error('without credentials there is only an emulator: name its endpoint');
  }
  const timeouts = timeoutsFrom(options.timeouts);
  const retries = { ...GCS_RETRIES, ...options.retries };
  const hotNames = new HotNames({ wait: retries.nameWait, spacing: retries.nameSpacing });
  return {
    rest: new RestClient(gcsApi(credentials, hotNames), {
      transport: createWire(wireOptions(origin, options, timeouts)),
      budget: new RetryBudget(retries),
      timeouts,
    }),
    batches: new BatchSupport(),
    digests: new PartDigests(true),
    names: containerNaming(options.bucketPrefix ?? ''),
    buckets: { ...(location !== undefined && { location }), ...(storageClass !== undefined && { storageClass }) },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    pinsSources: options.pinsSources ?? credentials.isSecret,
    credentials,
    askedBuckets: new Map(),
    background: new Background(),
    projectNumber: undefined,
  };
}

function originOf(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`endpoint: scheme of ${url.origin} is not http(s)`);
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error('endpoint: expected only scheme, host and port');
  }
  return url.origin;
}
