import { BatchSupport } from '../shared/batch/batch-support.ts';
import { timeoutsFrom, wireOptions } from '../shared/connection-options.ts';
import { RestClient } from '../shared/rest-client.ts';
import { RetryBudget } from '../shared/retry-budget.ts';
import { createTransport } from '../shared/wire/fair-transport.ts';
import type { FairTransportOptions } from '../shared/wire/fair-transport.ts';
import type { Transport } from '../shared/wire/transport.ts';
import { gcsApi } from './api.ts';
import { Background } from './background.ts';
import { createCredentials } from './credentials.ts';
import { HotNames } from './hot-names.ts';
import { bucketNames } from './names.ts';
import { DEFAULT_ENDPOINT, DEFAULT_LIMITS, GCS_RETRIES } from './options.ts';
import type { GcsStoreOptions } from './options.ts';
import { gcsStore } from './store.ts';
import type { GcsBlobStore } from './store.ts';

type CreateWire = (options: FairTransportOptions) => Transport;

/**
 * A store over the buckets of one project. Nothing is sent until the first call.
 * @param createWire another way to the network, for tests
 * @throws Error when options contradict each other or say too little
 */
export function createGcsStore(options: GcsStoreOptions, createWire: CreateWire = createTransport): GcsBlobStore {
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
  return gcsStore({
    rest: new RestClient(gcsApi(credentials, hotNames), {
      transport: createWire(wireOptions(origin, options, timeouts)),
      budget: new RetryBudget(retries),
      timeouts,
    }),
    batches: new BatchSupport(),
    names: bucketNames(options.bucketPrefix ?? ''),
    buckets: { ...(location !== undefined && { location }), ...(storageClass !== undefined && { storageClass }) },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    pinsSources: options.pinsSources ?? credentials.isSecret,
    credentials,
    background: new Background(),
    projectNumber: undefined,
  });
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
