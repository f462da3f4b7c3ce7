import { readFile } from 'node:fs/promises';
import { askBounded } from '../../streams/bounded-http.ts';
import type { ReviewedToken } from './token-review.ts';

export interface KubernetesApi {
  /** Base URL of the API server. */
  readonly server: string;
  /** File with the token that the gateway itself shows; read anew for each call, as the kubelet replaces it. */
  readonly tokenFile: string;
  /** PEM file with the authority of the server's certificate; undefined: those of the system. */
  readonly caFile: string | undefined;
}

interface AskedToken {
  readonly token: string;
  readonly audiences: readonly string[];
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

/** The API server as a pod finds it; undefined outside of a cluster. */
export function inClusterApi(environment: Readonly<Record<string, string | undefined>>): KubernetesApi | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined || host === '') return undefined;
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { server, tokenFile: `${SERVICE_ACCOUNT}/token`, caFile: `${SERVICE_ACCOUNT}/ca.crt` };
}

/**
 * Asks the API server whose a token is. The gateway's own service account needs the right to create TokenReviews
 * (cluster role `system:auth-delegator`).
 * @throws Error when the server does not answer with a TokenReview; never with a token in it
 */
export async function reviewToken(
  api: KubernetesApi,
  { token, audiences }: AskedToken,
  signal: AbortSignal,
): Promise<ReviewedToken> {
  const spec = { token, ...(audiences.length > 0 && { audiences }) };
  const { status, body } = await post(
    api,
    JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec }),
    signal,
  );
  if (status !== 201 && status !== 200) throw new Error(`the API server answers ${status} to a TokenReview`);
  return readReview(parsed(body));
}

async function post(
  { server, tokenFile, caFile }: KubernetesApi,
  text: string,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const [own, ca] = await Promise.all([
    readFile(tokenFile, { encoding: 'utf8', signal }),
    caFile === undefined ? undefined : readFile(caFile, { signal }),
  ]);
  const headers = {
    authorization: `Bearer ${own.trim()}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  const url = new URL(`${server.replace(/\/$/, '')}${REVIEWS}`);
  return askBounded(url, { method: 'POST', headers, body: text, ca, signal });
}

/** Without the parser's own error, which quotes the answer: the token that was asked about stands in there. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error('the API server answers no JSON to a TokenReview');
  }
}

/** Takes out of an answer what has the right form; anything else counts as not authenticated. */
function readReview(answer: unknown): ReviewedToken {
  const status = member(answer, 'status');
  const user = member(status, 'user');
  const username = member(user, 'username');
  return {
    authenticated: member(status, 'authenticated') === true && typeof username === 'string',
    username: typeof username === 'string' ? username : '',
    groups: texts(member(user, 'groups')),
    audiences: texts(member(status, 'audiences')),
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
