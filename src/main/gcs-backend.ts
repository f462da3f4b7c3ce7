import { createGcsClient, gcsStore } from '../../adapters/gcs/index.ts';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import type { GcsCredential, GcsStoreOptions } from '../../adapters/gcs/index.ts';
import { gcsPlace } from '../../config/backend-places.ts';
import type { GcsBackendConfig, GcsCredentialConfig } from '../../config/schema-backends.ts';
import { defined } from '../observe/defined.ts';
import { type OpenStore, type Surroundings, atPlace, connectionOptions } from './open-store.ts';
import { type SecretSources, readSecret, readTextFile } from './secrets.ts';

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

function gcsCredential(credential: GcsCredentialConfig, where: string, sources: SecretSources): GcsCredential {
  switch (credential.kind) {
    case 'serviceAccountKey': {
      const { keyFile: file, keyEnv: variable } = credential;
      return { kind: 'serviceAccountKey', key: readSecret({ file, variable }, `${where}.key`, sources) };
    }
    case 'workloadIdentity':
      return {
        kind: 'workloadIdentity',
        configuration: readTextFile(credential.configurationFile, `${where}.configurationFile`, sources),
      };
    case 'default':
    case 'anonymous':
      return credential;
    default:
      return credential satisfies never;
  }
}
