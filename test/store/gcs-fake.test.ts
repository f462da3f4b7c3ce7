import { afterAll, beforeAll, describe } from 'vitest';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { findGoServer, startGoServer } from '../support/backends/go-servers.ts';
import type { RunningServer } from '../support/backends/go-servers.ts';
import { describeBlobStore } from './conformance.ts';
import { describeGcsContract } from './gcs-contract.ts';
import { FAKE_GCS_DEVIATIONS, FAKE_GCS_WIRE_DEVIATIONS } from './gcs-deviations.ts';

const binary = await findGoServer('fake-gcs-server');

describe.skipIf(binary === undefined)('fake-gcs-server', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startGoServer('fake-gcs-server', binary ?? '');
  });

  afterAll(() => server.stop());

  const open = async (): Promise<BlobStore> =>
    createGcsStore({ endpoint: server.endpoint, credential: { kind: 'anonymous' } });
  describeBlobStore('gcs, fake-gcs-server', open, { deviations: FAKE_GCS_DEVIATIONS });
  describeGcsContract('fake-gcs-server', () => server.endpoint, FAKE_GCS_WIRE_DEVIATIONS);
});
