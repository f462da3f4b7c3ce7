import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';
import { pipeline } from 'node:stream/promises';

const KEY = 'x-ms-encryption-key';
const DIGEST = `${KEY}-sha256`;
const ALGORITHM = 'x-ms-encryption-algorithm';
/** What reads a blob, or writes some of it: its key must be shown. */
const TOUCHES = new Set(['', 'metadata', 'properties', 'tags', 'snapshot', 'tier']);

export interface KeyKeeper {
  /** `http://127.0.0.1:<port>`, with the path of what lies behind. */
  readonly endpoint: string;
  /** Paths of blobs that are under a key now. */
  readonly keyed: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
}

/**
 * Azurite knows nothing of customer-provided keys. This stands in front of one that ignores their headers (`--loose`),
 * remembers which key each blob was written with, and refuses what the service refuses
 * (https://learn.microsoft.com/azure/storage/blobs/encryption-customer-provided-keys). It encrypts nothing, and forgets
 * everything when it ends.
 */
export async function startKeyKeeper(endpoint: string): Promise<KeyKeeper> {
  const behind = new URL(endpoint);
  const keyed = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, maxHeaderSize: 64 * 1024 });
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    server.emit('request', incoming, response);
  });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(incoming, keyed);
    if (refusal !== undefined) refuse(incoming, response, refusal);
    else passOn({ behind, agent, keyed }, incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    endpoint: `http://127.0.0.1:${String(address.port)}${behind.pathname}`,
    keyed,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly comp: string;
  /** Of the key that is shown. */
  readonly digest: string | undefined;
  readonly source: string | undefined;
}

function askedOf({ method = '', url = '', headers }: IncomingMessage): Asked {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const source = headers['x-ms-copy-source'];
  return {
    method,
    path: decodeURIComponent(pathname),
    comp: searchParams.get('comp') ?? '',
    digest: headers[DIGEST]?.toString(),
    source: typeof source === 'string' ? decodeURIComponent(new URL(source).pathname) : undefined,
  };
}

function refusalOf(incoming: IncomingMessage, keyed: ReadonlyMap<string, string>): Refusal | undefined {
  const asked = askedOf(incoming);
  const { method, comp, digest, source } = asked;
  if (!isSound(incoming)) return { status: 400, code: 'InvalidHeaderValue' };
  if (source !== undefined && keyed.has(source)) return { status: 409, code: 'BlobUsesCustomerSpecifiedEncryption' };
  const replaces = method === 'PUT' && (comp === '' || comp === 'blocklist' || comp === 'block');
  if (replaces && digest !== undefined && (comp !== '' || source !== undefined)) {
    return { status: 501, code: 'NotImplemented' };
  }
  // What would be changed is refused before.
  return method === 'PUT' ? mismatch(asked, keyed) : undefined;
}

/** Told of what is there: batches remove blobs unseen. */
function mismatch({ method, path, comp, digest }: Asked, keyed: ReadonlyMap<string, string>): Refusal | undefined {
  if (method === 'DELETE' || (method === 'PUT' && ['', 'block', 'blocklist'].includes(comp)) || !TOUCHES.has(comp)) {
    return undefined;
  }
  const known = keyed.get(path);
  if (known === digest) return undefined;
  if (known === undefined) return { status: 409, code: 'BlobDoesNotUseCustomerSpecifiedEncryption' };
  const code = digest === undefined ? 'BlobUsesCustomerSpecifiedEncryption' : 'BlobCustomerSpecifiedEncryptionMismatch';
  return { status: 409, code };
}

/** All three headers or none, and the digest is the key's. */
function isSound({ headers }: IncomingMessage): boolean {
  const [key, digest, algorithm] = [KEY, DIGEST, ALGORITHM].map((name) => headers[name]?.toString());
  if (key === undefined && digest === undefined && algorithm === undefined) return true;
  const bytes = Buffer.from(key ?? '', 'base64');
  const counted = createHash('sha256').update(bytes).digest('base64');
  return algorithm === 'AES256' && bytes.length === 32 && digest === counted;
}

function refuse(incoming: IncomingMessage, response: ServerResponse, { status, code }: Refusal): void {
  incoming.resume();
  const text = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  const headers = { 'x-ms-error-code': code, 'content-type': 'application/xml' };
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(incoming.method === 'HEAD' ? undefined : text);
}

interface Behind {
  readonly behind: URL;
  readonly agent: Agent;
  readonly keyed: Map<string, string>;
}

async function passOn(
  { behind, agent, keyed }: Behind,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = askedOf(incoming);
  const { method, path, comp, digest } = asked;
  const { hostname, port } = behind;
  const outgoing = send({ hostname, port, agent, method, path: incoming.url, headers: incoming.rawHeaders });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  const sent = pipeline(incoming, outgoing);
  sent.catch(() => undefined);
  const [answer] = await answered;
  const { statusCode = 500 } = answer;
  const refusal = statusCode === 404 ? undefined : mismatch(asked, keyed);
  if (refusal !== undefined) {
    answer.resume();
    refuse(incoming, response, refusal);
    return;
  }
  const isDone = statusCode < 300;
  if (isDone && method === 'PUT' && (comp === '' || comp === 'blocklist')) {
    if (digest === undefined) keyed.delete(path);
    else keyed.set(path, digest);
  }
  if (isDone && method === 'DELETE') keyed.delete(path);
  response.writeHead(statusCode, answer.rawHeaders);
  await pipeline(answer, response);
}
