import { resolve } from 'node:path';
import { inClusterApi, type KubernetesApi } from '../admin/guard/kubernetes-api.ts';
import type { SecretSources } from './secrets.ts';
import { StartError } from './start-error.ts';

/** How a setting says where the API server is; absent: as the pod finds it. */
interface KubernetesSettings {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
}

/** @param where path of the setting, for the message @throws StartError */
export function kubernetesApi(
  { server, tokenFile, caFile }: KubernetesSettings,
  where: string,
  { folder, environment }: SecretSources,
): KubernetesApi {
  const cluster = inClusterApi(environment);
  const api = { server: server ?? cluster?.server, tokenFile: tokenFile ?? cluster?.tokenFile };
  if (api.server === undefined || api.tokenFile === undefined) {
    throw new StartError([`${where}: this is no pod of a cluster: expected server and tokenFile`]);
  }
  const authority = caFile ?? (server === undefined ? cluster?.caFile : undefined);
  return {
    server: api.server,
    tokenFile: resolve(folder, api.tokenFile),
    caFile: authority === undefined ? undefined : resolve(folder, authority),
  };
}
