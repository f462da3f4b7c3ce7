import { createGcsClient, gcsStore } from '../../adapters/gcs/index.ts';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import type { GcsStoreOptions } from '../../adapters/gcs/index.ts';
import { gcsPlace } from '../../config/backend-places.ts';
import type { GcsBackendConfig } from '../../config/schema-backends.ts';
import { defined } from '../observe/defined.ts';
import { gcsCredential } from './cloud-credentials.ts';
import { type OpenStore, type Surroundings, atPlace, connectionOptions } from './open-store.ts';

/** @throws StartError */
export function openGcs(backend: GcsBackendConfig, where: string, surroundings: Surroundings): OpenStore {
  const { endpoint, projectId, bucketPrefix, location, storageClass } = backend;
  const options: GcsStoreOptions = defined({
    ...connectionOptions(backend, surroundings),
    credential: gcsCredential(backend.credential, `${where}.credential`, surroundings.sources),
    endpoint,
    projectId,
    bucketPrefix,
    location,
    storageClass,
  });
  const gcs = atPlace(where, () => createGcsClient(options));
  const store = gcsStore(gcs);
  const client = { kind: 'gcs', gcs } as const;
  return { store, client, surveyed: store, endpoint: endpoint ?? 'gcs', place: gcsPlace(endpoint, bucketPrefix) };
}

export async function openGcsDouble(): Promise<OpenStore> {
  const double = await startGcsDouble();
  const { endpoint } = double;
  const gcs = createGcsClient({ endpoint, credential: { kind: 'anonymous' }, pinsSources: true });
  const store = gcsStore(gcs);
  return { store, client: { kind: 'gcs', gcs }, surveyed: store, endpoint, stop: () => double.stop() };
}
