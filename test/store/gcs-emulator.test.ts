import { afterAll, beforeAll, describe } from 'vitest';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { findGoServer, startGoServer } from '../support/backends/go-servers.ts';
import type { RunningServer } from '../support/backends/go-servers.ts';
import { describeBlobStore } from './conformance.ts';
import { describeGcsContract } from './gcs-contract.ts';
import { GCSEMULATOR_DEVIATIONS, GCSEMULATOR_WIRE_DEVIATIONS } from './gcs-deviations.ts';

const binary = await findGoServer('gcsemulator');

describe.skipIf(binary === undefined)('gcsemulator', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startGoServer('gcsemulator', binary ?? '');
  });

  afterAll(() => server.stop());

  const open = async (): Promise<BlobStore> =>
    createGcsStore({ endpoint: server.endpoint, credential: { kind: 'anonymous' } });
  describeBlobStore('gcs, gcsemulator', open, { deviations: GCSEMULATOR_DEVIATIONS });
  describeGcsContract('gcsemulator', () => server.endpoint, GCSEMULATOR_WIRE_DEVIATIONS);
});
