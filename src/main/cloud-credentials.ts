import type { AzureCredential, AzureIdentity } from '../../adapters/azure/index.ts';
import type { GcsCredential } from '../../adapters/gcs/index.ts';
import type { AzureCredentialConfig, AzureIdentityConfig, GcsCredentialConfig } from '../../config/schema-backends.ts';
import { defined } from '../observe/defined.ts';
import { type SecretSources, readSecret, readTextFile } from './secrets.ts';

/** @param where path of the setting, for messages @throws StartError */
export function azureCredential(
  credential: AzureCredentialConfig,
  where: string,
  sources: SecretSources,
): AzureCredential {
  switch (credential.kind) {
    case 'connectionString': {
      const { connectionStringFile: file, connectionStringEnv: variable } = credential;
      return {
        kind: 'connectionString',
        connectionString: readSecret({ file, variable }, `${where}.connectionString`, sources),
      };
    }
    case 'accountKey': {
      const { keyFile: file, keyEnv: variable } = credential;
      return { kind: 'accountKey', key: readSecret({ file, variable }, `${where}.key`, sources) };
    }
    case 'sas': {
      const { tokenFile: file, tokenEnv: variable } = credential;
      return { kind: 'sas', token: readSecret({ file, variable }, `${where}.token`, sources) };
    }
    default:
      return azureIdentity(credential, where, sources);
  }
}

/** @throws StartError */
export function azureIdentity(credential: AzureIdentityConfig, where: string, sources: SecretSources): AzureIdentity {
  switch (credential.kind) {
    case 'clientSecret': {
      const { clientSecretFile: file, clientSecretEnv: variable, ...rest } = credential;
      return defined({ ...rest, clientSecret: readSecret({ file, variable }, `${where}.clientSecret`, sources) });
    }
    case 'default':
    case 'workloadIdentity':
    case 'managedIdentity':
      return defined(credential);
    default:
      return credential satisfies never;
  }
}

/** @throws StartError */
export function gcsCredential(credential: GcsCredentialConfig, where: string, sources: SecretSources): GcsCredential {
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
