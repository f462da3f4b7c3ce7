import { readFile } from 'node:fs/promises';
import { askBounded } from '../../streams/bounded-http.ts';

export interface KubernetesApi {
  /** Base URL of the API server. */
  readonly server: string;
  /** File with the token that the gateway itself shows; read anew for each call, as the kubelet replaces it. */
  readonly tokenFile: string;
  /** PEM file with the authority of the server's certificate; undefined: those of the system. */
  readonly caFile: string | undefined;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server as a pod finds it; undefined outside of a cluster. */
export function inClusterApi(environment: Readonly<Record<string, string | undefined>>): KubernetesApi | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined || host === '') return undefined;
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { server, tokenFile: `${SERVICE_ACCOUNT}/token`, caFile: `${SERVICE_ACCOUNT}/ca.crt` };
}

interface KubernetesRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** JSON; absent: none. */
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Longest answer that is taken. */
  readonly maxBytes?: number;
}

/**
 * Asks the API server, with the token of the gateway itself. @throws Error when there is no answer, or a longer one
 * than is taken
 */
export async function askKubernetes(
  { server, tokenFile, caFile }: KubernetesApi,
  { method, path, body, contentType = 'application/json', accept = 'application/json', maxBytes }: KubernetesRequest,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  const [own, ca] = await Promise.all([
    readFile(tokenFile, { encoding: 'utf8', signal }),
    caFile === undefined ? undefined : readFile(caFile, { signal }),
  ]);
  const headers = {
    authorization: `Bearer ${own.trim()}`,
    accept,
    ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
  };
  const url = new URL(`${server.replace(/\/$/, '')}${path}`);
  return askBounded(url, {
    method,
    headers,
    ca,
    signal,
    ...(body !== undefined && { body }),
    ...(maxBytes !== undefined && { maxBytes }),
  });
}
