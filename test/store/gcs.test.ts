import { afterAll, beforeAll } from 'vitest';
import { createGcsStore, startGcsDouble } from '../../adapters/gcs/index.ts';
import type { GcsDouble } from '../../adapters/gcs/index.ts';
import { describeBlobStore } from './conformance.ts';
import { describeGcsContract } from './gcs-contract.ts';

let double: GcsDouble;

beforeAll(async () => {
  // Copies of more than one call, too, and listings in more pages than were asked for.
  double = await startGcsDouble({ rewriteBytesPerCall: 1024 * 1024, maxListRows: 300 });
});

afterAll(() => double.stop());

describeBlobStore('gcs', async () => createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' }, bucketPrefix: 'test-' }));

describeGcsContract('double', () => double.endpoint);
