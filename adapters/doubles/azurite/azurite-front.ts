import { type Hash, createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** What a request to Azurite asks for. */
export interface AskedBlob {
  readonly method: string;
  /** Decoded, with the account. */
  readonly path: string;
  readonly comp: string;
  readonly headers: IncomingMessage['headers'];
  /** Path of a copy's source, decoded. */
  readonly source: string | undefined;
}

export interface AzureRefusal {
  readonly status: number;
  readonly code: string;
}

/** What the service does and Azurite does not. */
interface ServiceRules {
  /** Looked at before the request is passed on. */
  before(asked: AskedBlob): AzureRefusal | undefined;
  /** Looked at when Azurite has answered, and before anybody learns of it. */
  after(asked: AskedBlob, status: number): AzureRefusal | undefined;
  /** Headers of the answer that are otherwise. */
  headers?(asked: AskedBlob, status: number): Readonly<Record<string, string>>;
  /** The document that a listing answers. */
  listing?(asked: AskedBlob, document: string): string;
}

export interface AzuriteFront {
  /** `http://127.0.0.1:<port>`, with the path of what lies behind. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Stands in front of Azurite, and makes it answer as the service does. */
export async function startFront(endpoint: string, rules: ServiceRules): Promise<AzuriteFront> {
  const behind = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, maxHeaderSize: 64 * 1024 });
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    server.emit('request', incoming, response);
  });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const refusal = rules.before(askedOf(incoming));
    if (refusal !== undefined) refuse(incoming, response, refusal);
    else passOn({ behind, agent, rules }, incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    endpoint: `http://127.0.0.1:${String(address.port)}${behind.pathname}`,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function askedOf({ method = '', url = '', headers }: IncomingMessage): AskedBlob {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const source = headers['x-ms-copy-source'];
  return {
    method,
    path: decodeURIComponent(pathname),
    comp: searchParams.get('comp') ?? '',
    headers,
    source: typeof source === 'string' ? decodeURIComponent(new URL(source).pathname) : undefined,
  };
}

function refuse(incoming: IncomingMessage, response: ServerResponse, { status, code }: AzureRefusal): void {
  incoming.resume();
  const text = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  const headers = { 'x-ms-error-code': code, 'content-type': 'application/xml' };
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(incoming.method === 'HEAD' ? undefined : text);
}

interface Behind {
  readonly behind: URL;
  readonly agent: Agent;
  readonly rules: ServiceRules;
}

async function passOn(
  { behind, agent, rules }: Behind,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = askedOf(incoming);
  const { hostname, port } = behind;
  const outgoing = send({
    hostname,
    port,
    agent,
    method: asked.method,
    path: incoming.url,
    headers: incoming.rawHeaders,
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  const body = createHash('md5');
  const sent = pipeline(incoming, (bytes: AsyncIterable<Buffer>) => hashed(bytes, body), outgoing);
  sent.catch(() => undefined);
  const [answer] = await answered;
  const { statusCode = 500 } = answer;
  const refusal = rules.after(asked, statusCode);
  if (refusal !== undefined) {
    answer.resume();
    refuse(incoming, response, refusal);
    return;
  }
  const other = { ...rules.headers?.(asked, statusCode), ...blockDigest(asked, statusCode, body) };
  if (asked.comp === 'list' && statusCode === 200 && rules.listing !== undefined) {
    const document = rules.listing(asked, (await buffer(answer)).toString());
    const length = { 'content-length': String(Buffer.byteLength(document)) };
    const said = kept(answer.rawHeaders, { ...length, 'transfer-encoding': '' });
    response.writeHead(200, [...said, ...Object.entries(length).flat()]);
    response.end(document);
    return;
  }
  response.writeHead(statusCode, [...kept(answer.rawHeaders, other), ...Object.entries(other).flat()]);
  await pipeline(answer, response);
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer, void> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * The MD5 that the service was recorded to answer to Put Block: the one that it was told, and by versions before
 * 2019-02-02 the one that it computed. The CRC64 that it answers else is left out.
 */
function blockDigest(
  { comp, source, headers }: AskedBlob,
  status: number,
  body: Hash,
): Readonly<Record<string, string>> {
  if (comp !== 'block' || source !== undefined || status !== 201) return {};
  const told = headers['content-md5'];
  const isOld = String(headers['x-ms-version']) < '2019-02-02';
  return told !== undefined || isOld ? { 'content-md5': body.digest('base64') } : {};
}

/** Names and values in turn, without those that are given anew. */
function kept(raw: readonly string[], other: Readonly<Record<string, string>>): string[] {
  return raw.filter((_text, at) => !((raw[at - (at % 2)] ?? '').toLowerCase() in other));
}
