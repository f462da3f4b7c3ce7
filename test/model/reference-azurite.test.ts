import { afterAll, beforeAll, describe, it } from 'vitest';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import { freshContainer } from '../support/backends/azurite.ts';
import { startGatewayOver } from '../support/gateway/gateway.ts';
import { checkPrograms } from './program/check.ts';
import { Server } from './program/server.ts';
import { runsAtCost } from './runs.ts';

const RUNS = runsAtCost(12);
const MAX_COMMANDS = 60;
/** The emulator gets slower with all that it holds: each batch has one of its own. */
const BATCH = 10;
const BATCHES = Array.from({ length: Math.ceil(RUNS / BATCH) }, (_, batch) => ({
  batch,
  runs: Math.min(BATCH, RUNS - batch * BATCH),
}));

describe.each(BATCHES)('the gateway over Azurite, batch $batch', ({ batch, runs }) => {
  let azurite: AzuriteProcess;
  beforeAll(async () => {
    azurite = await startAzurite();
  });
  afterAll(async () => {
    await azurite.stop();
  });

  it(
    'answers random programs as the reference does',
    async () => {
      const versioningDrainMs = batch % 2 === 0 ? 0 : 600_000; // in every other one versioning has just been turned on
      const gateway = await startGatewayOver(createAzureStore(azurite.storeOptions), {
        systemContainer: freshContainer(),
        versioningDrainMs,
      });
      const server = new Server('Azurite', gateway.port);
      try {
        await checkPrograms([server], { runs, batch, maxCommands: MAX_COMMANDS });
      } finally {
        server.close();
        await gateway.close();
      }
    },
    60_000 + runs * 30_000,
  );
});
