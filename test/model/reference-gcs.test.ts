import { afterAll, beforeAll, describe, it } from 'vitest';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../adapters/doubles/index.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { startGatewayOver, type TestGateway } from '../support/gateway/gateway.ts';
import { checkPrograms } from './program/check.ts';
import { Server } from './program/server.ts';
import { runsAtCost } from './runs.ts';

const RUNS = runsAtCost(5);
const MAX_COMMANDS = 60;

/** As Google documents it; and so that listings take many pages and copies many calls. */
const DOUBLES: Readonly<Record<string, Parameters<typeof startGcsDouble>[0]>> = {
  'Cloud Storage': {},
  'Cloud Storage in pages of 3 and copies by the MiB': { maxListRows: 3, rewriteBytesPerCall: 1024 * 1024 },
};

const doubles: GcsDouble[] = [];
const gateways: TestGateway<BlobStore>[] = [];
const servers: Server[] = [];
beforeAll(async () => {
  for (const [name, options] of Object.entries(DOUBLES)) {
    const double = await startGcsDouble(options);
    doubles.push(double);
    const store = createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' }, pinsSources: true });
    const gateway = await startGatewayOver(store, { versioningDrainMs: 0 });
    gateways.push(gateway);
    servers.push(new Server(name, gateway.port));
  }
});
afterAll(async () => {
  for (const server of servers) server.close();
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all(doubles.map((double) => double.stop()));
});

describe('the gateway over the double of Cloud Storage', () => {
  it(
    'answers random programs as the reference does',
    async () => {
      await checkPrograms(servers, { runs: RUNS, maxCommands: MAX_COMMANDS });
    },
    60_000 + RUNS * 30_000,
  );
});
