import { createGcsStore, startGcsDouble } from '../../adapters/gcs/index.ts';
import type { GcsCredential, GcsStoreOptions } from '../../adapters/gcs/index.ts';
import type { GcsBackendConfig, GcsCredentialConfig } from '../../config/schema-backends.ts';
import { defined } from './defined.ts';
import type { OpenStore, Surroundings } from './open-store.ts';
import { type SecretSources, readSecret, readTextFile } from './secrets.ts';
import { StartError, firstLine } from './start-error.ts';

/** @throws StartError */
export function openGcs(backend: GcsBackendConfig, where: string, { config, sources }: Surroundings): OpenStore {
  const { proxy, caFile } = config.outbound;
  const { endpoint, projectId, bucketPrefix, location, storageClass, maxConnections, timeouts, retries } = backend;
  const options: GcsStoreOptions = defined({
    credential: gcsCredential(backend.credential, `${where}.credential`, sources),
    endpoint,
    projectId,
    bucketPrefix,
    location,
    storageClass,
    maxConnections,
    timeouts: timeouts && defined(timeouts),
    retries: retries && defined(retries),
    proxy,
    ca: caFile === undefined ? undefined : readTextFile(caFile, 'outbound.caFile', sources),
  });
  try {
    return { store: createGcsStore(options), endpoint: endpoint ?? 'gcs' };
  } catch (error) {
    throw new StartError([`${where}: ${firstLine(error)}`], error);
  }
}

export async function openGcsDouble(): Promise<OpenStore> {
  const double = await startGcsDouble();
  const { endpoint } = double;
  return { store: createGcsStore({ endpoint, credential: { kind: 'anonymous' } }), endpoint, stop: () => double.stop() };
}

function gcsCredential(credential: GcsCredentialConfig, where: string, sources: SecretSources): GcsCredential {
  switch (credential.kind) {
    case 'serviceAccountKey': {
      const { keyFile: file, keyEnv: variable } = credential;
      return { kind: 'serviceAccountKey', key: readSecret({ file, variable }, `${where}.key`, sources) };
    }
    case 'workloadIdentity':
      return { kind: 'workloadIdentity', configuration: readTextFile(credential.configurationFile, `${where}.configurationFile`, sources) };
    case 'default':
    case 'anonymous':
      return credential;
    default:
      return credential satisfies never;
  }
}
