import { afterAll, beforeAll } from 'vitest';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import { type GcsDouble, startGcsDouble } from '../../adapters/doubles/index.ts';
import type { GcsBlobStore } from '../../adapters/gcs/index.ts';
import { describeBlobStore } from './conformance.ts';
import { describeGcsContract } from './gcs-contract.ts';

let double: GcsDouble;

beforeAll(async () => {
  // Copies of more than one call, too, and listings in more pages than were asked for.
  double = await startGcsDouble({
    rewriteBytesPerCall: 1024 * 1024,
    maxListRows: 300,
    maxBucketRows: 2,
    foreignBuckets: { 'test-closed': 'closed', 'test-open': 'open' },
  });
});

afterAll(() => double.stop());

const open = async (): Promise<GcsBlobStore> =>
  createGcsStore({
    endpoint: double.endpoint,
    credential: { kind: 'anonymous' },
    bucketPrefix: 'test-',
    pinsSources: true,
  });

describeBlobStore('gcs', open, { foreign: ['closed', 'open'] });

describeGcsContract('double', () => double.endpoint);
