import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

/** How a secret can be told although it was written in another way. */
export function disguises(value: string): string[] {
  const bytes = Buffer.from(value);
  const spaced = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return [
    value,
    encodeURIComponent(value),
    encodeURIComponent(encodeURIComponent(value)),
    value.replaceAll('/', '\\/'),
    bytes.toString('hex'),
    spaced,
    bytes.toString('base64'),
  ];
}

/** Takes spans and keeps their bytes. */
export async function sink(): Promise<{ url: string; text: () => string; close: () => void }> {
  const pieces: Buffer[] = [];
  const server = createServer((request, response) => {
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, text: () => Buffer.concat(pieces).toString('latin1'), close: () => void server.close() };
}

interface Viewer {
  /** URL of the admin port. */
  readonly admin: string;
  readonly token: string;
  readonly accessKey: string;
  /** Makes one that must not be shown. */
  readonly secret: (what: string) => string;
  /** How many requests the stream has at least. */
  readonly streamed: number;
}

/** All that the admin port has to show of requests; `/bucket/put` is there. */
export async function shownBy({ admin, token, accessKey, secret, streamed }: Viewer): Promise<Map<string, string>> {
  const shown = new Map<string, string>();
  const get = async (path: string): Promise<string> => {
    const answer = await fetch(`${admin}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    shown.set(path, `${JSON.stringify([...answer.headers])}\n${text}`);
    expect(answer.status, path).toBe(200);
    return text;
  };
  const list = JSON.parse(await get('/api/requests?limit=1000')) as {
    readonly requests: readonly { readonly href: string }[];
  };
  for (const { href } of list.requests) {
    await get(href);
    await get(`${href}/bundle`);
  }
  for (const path of [
    '/api/requests.har',
    '/api/overview?window=hour',
    '/api/overview?window=day',
    '/api/replicas',
    '/metrics',
    '/session',
    '/api/timeline?bucket=bucket&key=put',
    '/api/objects/bucket?key=put',
    '/',
  ]) {
    await get(path);
  }
  await get(`/api/requests?limit=1000&scope=all&identity=${accessKey}`);
  shown.set('stream', await streamOf(`${admin}/api/requests/stream?recent=1000`, token, streamed));
  for (const path of ['/api/requests', '/session']) {
    const answer = await fetch(`${admin}${path}`, {
      method: path === '/session' ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret('wrong token')}` },
      ...(path === '/session' && { body: JSON.stringify({ token: secret('wrong token') }) }),
    });
    shown.set(`${path} refused`, await answer.text());
  }
  return shown;
}

/** What a stream has to say at first. */
async function streamOf(url: string, token: string, least: number): Promise<string> {
  const abort = new AbortController();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: abort.signal });
  const reader = (answer.body ?? new ReadableStream<Uint8Array>()).getReader();
  let text = '';
  const timer = setTimeout(() => abort.abort(), 5000);
  while (text.split('event: finished').length <= least) {
    const piece = await reader.read().catch(() => undefined);
    if (piece?.value === undefined) break;
    text += Buffer.from(piece.value).toString();
  }
  clearTimeout(timer);
  abort.abort();
  return text;
}
