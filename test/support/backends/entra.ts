import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { certificateFiles } from '../certificates.ts';

const TENANT = '11111111-2222-3333-4444-555555555555';

/** A token as Entra ID would issue it for storage, but signed by nobody: the emulator checks claims only. */
export function unsignedToken(): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: 'https://storage.azure.com',
    iss: `https://sts.windows.net/${TENANT}/`,
    iat: now - 60,
    nbf: now - 60,
    exp: now + 3600,
    oid: '99999999-8888-7777-6666-555555555555',
    tid: TENANT,
    sub: 'gateway',
    ver: '1.0',
  };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ typ: 'JWT', alg: 'none' })}.${part(claims)}.${Buffer.from('unsigned').toString('base64url')}`;
}

interface TokenEndpoint {
  readonly url: string;
  readonly tenantId: string;
  /** PEM of its certificate; empty for plain http. */
  readonly ca: string;
  /** File with a federated token, as Kubernetes mounts it. */
  readonly tokenFile: string;
  /** Paths and bodies of the requests it got. */
  readonly requests: { readonly path: string; readonly header: string | undefined; readonly body: string }[];
  stop(): Promise<void>;
}

/** The endpoint that App Service and Container Apps give a managed identity: plain http with a secret header. */
export async function startIdentityEndpoint(): Promise<TokenEndpoint> {
  return start('http', async (request) => {
    if (request.path.startsWith('/msi/token')) {
      return {
        access_token: unsignedToken(),
        expires_on: String(Math.floor(Date.now() / 1000) + 3600),
        resource: 'https://storage.azure.com',
        token_type: 'Bearer',
      };
    }
    return undefined;
  });
}

/** An authority with just what a client-credentials flow asks for. */
export async function startAuthority(): Promise<TokenEndpoint> {
  return start('https', async (request, url) => {
    if (request.path.includes('/.well-known/openid-configuration')) {
      return {
        issuer: `${url}/${TENANT}/v2.0`,
        authorization_endpoint: `${url}/${TENANT}/oauth2/v2.0/authorize`,
        token_endpoint: `${url}/${TENANT}/oauth2/v2.0/token`,
        jwks_uri: `${url}/${TENANT}/discovery/v2.0/keys`,
      };
    }
    if (request.path.includes('/oauth2/v2.0/token')) {
      return { token_type: 'Bearer', expires_in: 3600, access_token: unsignedToken() };
    }
    return undefined;
  });
}

type Seen = TokenEndpoint['requests'][number];
type Answer = (request: Seen, url: string) => Promise<object | undefined>;

async function start(scheme: 'http' | 'https', answer: Answer): Promise<TokenEndpoint> {
  const certificate = await certificateFiles();
  const tokenFile = join(certificate.folder, 'federated-token');
  writeFileSync(tokenFile, 'federated-token-of-a-service-account');
  const requests: Seen[] = [];
  let url = '';
  const listener: RequestListener = (request, response) => {
    void seen(request).then(async (entry) => {
      requests.push(entry);
      const body = await answer(entry, url);
      response
        .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body ?? {}));
    });
  };
  const ca = readFileSync(certificate.certFile, 'utf8');
  const server: Server =
    scheme === 'http'
      ? createServer(listener)
      : createSecureServer({ cert: ca, key: readFileSync(certificate.keyFile) }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `${scheme}://127.0.0.1:${address.port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    rmSync(certificate.folder, { recursive: true });
  };
  return { url, tenantId: TENANT, ca: scheme === 'http' ? '' : ca, tokenFile, requests, stop };
}

async function seen(request: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return { path: request.url ?? '', header: request.headers['x-identity-header']?.toString(), body };
}
