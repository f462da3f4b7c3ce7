import { afterAll, beforeAll, describe, it } from 'vitest';
import { MemoryBlobStore, type MemoryStoreOptions } from '../../adapters/memory/memory-blob-store.ts';
import { startGatewayOver, type TestGateway } from '../support/gateway/gateway.ts';
import { checkPrograms } from './program/check.ts';
import { Server } from './program/server.ts';
import { runsAtCost } from './runs.ts';

const RUNS = runsAtCost(1);
const MAX_COMMANDS = 60;

interface Backend {
  readonly store: MemoryStoreOptions;
  /** Milliseconds; absent: longer than the test, so that all of it is in the window after the first Enable. */
  readonly versioningDrainMs?: number;
}

/** With the limits of the clouds; so that every listing takes many pages; in the order of either cloud. */
const BACKENDS: Readonly<Record<string, Backend>> = {
  memory: { store: {}, versioningDrainMs: 0 },
  'memory, versioning just turned on': { store: {} },
  'memory in pages of 3': { store: { capabilities: { maxListPage: 3 } }, versioningDrainMs: 0 },
  'memory in pages of 7, in the order of UTF-8': {
    store: { capabilities: { maxListPage: 7, nameOrder: 'utf8' } },
    versioningDrainMs: 100,
  },
};

const gateways: TestGateway[] = [];
const servers: Server[] = [];
beforeAll(async () => {
  for (const [name, { store, ...options }] of Object.entries(BACKENDS)) {
    const gateway = await startGatewayOver(new MemoryBlobStore(store), options);
    gateways.push(gateway);
    servers.push(new Server(name, gateway.port));
  }
});
afterAll(async () => {
  for (const server of servers) server.close();
  await Promise.all(gateways.map((gateway) => gateway.close()));
});

describe('the gateway over memory', () => {
  it(
    'answers random programs as the reference does',
    async () => {
      await checkPrograms(servers, { runs: RUNS, maxCommands: MAX_COMMANDS });
    },
    60_000 + RUNS * 5_000,
  );
});
