import { afterAll, beforeAll } from 'vitest';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/backends/fault-proxy/fault-proxy.ts';
import { lockedDown } from '../support/backends/fault-proxy/plans.ts';
import { describeBlobStore } from './conformance.ts';

let azurite: AzuriteProcess;
let proxy: FaultProxy;

beforeAll(async () => {
  azurite = await startAzurite({ customerKeys: true, tiers: { rehydrationMs: 0 } });
  const { endpoint, credential } = azurite.storeOptions;
  if (endpoint === undefined || credential.kind !== 'accountKey') {
    throw new Error('the emulator has an endpoint and a key');
  }
  proxy = await startFaultProxy({ service: 'azure', endpoint, accountKey: credential.key });
  proxy.follow(lockedDown());
});

afterAll(async () => {
  await proxy.stop();
  await azurite.stop();
});

const KIB = 1024;
/** Small enough for the suite's bodies to be split into blocks and copies into ranges. */
const limits = { maxStagedBlock: 64 * KIB, copyRange: 1024 * KIB };

describeBlobStore(
  'azure, every copy by URL refused',
  async () => createAzureStore({ ...azurite.storeOptions, endpoint: proxy.endpoint, limits }),
  {
    deviations: {
      'an archived blob is brought back as a copy of another name': 'such an account has no other way to bring it back',
    },
  },
);
