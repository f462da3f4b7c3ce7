import { Readable } from 'node:stream';
import type { Call } from '../../../src/observe/call.ts';
import { HoldBudget } from '../../../src/protocol/body/hold-budget.ts';
import { HttpRequestBody } from '../../../src/protocol/body/request-body.ts';
import { RawHeaders } from '../../../src/protocol/headers/header-reader.ts';
import type { S3Request } from '../../../src/protocol/request.ts';
import { type S3Response, isByteSource } from '../../../src/protocol/response.ts';
import { XmlTexts, type XmlValue } from '../../../src/protocol/xml/document.ts';

/** What a request says, as a client writes it. */
export interface RequestParts {
  readonly bucket: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** With its size; a stream may keep the gateway waiting. */
  readonly body?: { readonly size: number; readonly chunks: Iterable<Buffer> | AsyncIterable<Buffer> };
}

const BUDGET = new HoldBudget(1024 * 1024 * 1024);

export function s3Request(
  method: string,
  { bucket, key, query = {}, headers = {}, body }: RequestParts,
  call: Call,
): S3Request {
  const all: RequestParts['headers'] = { host: 'localhost', 'content-length': String(body?.size ?? 0), ...headers };
  const reader = new RawHeaders(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
  );
  const values = new Map(Object.entries(query));
  const source = Readable.from(body?.chunks ?? [], { objectMode: false });
  const leave = (): unknown => source.destroy(call.signal.reason as Error);
  source.on('error', () => undefined);
  call.signal.addEventListener('abort', leave, { once: true });
  return {
    method,
    address: { bucket, ...(key !== undefined && { key }), virtualHost: false },
    query: {
      has: (name) => values.has(name),
      get: (name) => values.get(name),
      all: (name) => [...(values.has(name) ? [values.get(name) ?? ''] : [])],
      names: () => values.keys(),
    },
    headers: reader,
    body: new HttpRequestBody({
      source,
      headers: reader,
      payload: { kind: 'unsigned' },
      onFirstRead: () => undefined,
      signal: call.signal,
      holdBudget: BUDGET,
    }),
    scheme: 'http',
    host: 'localhost',
    authMethod: 'header',
  };
}

export function bodyOf(text: string): NonNullable<RequestParts['body']> {
  const bytes = Buffer.from(text);
  return { size: bytes.length, chunks: [bytes] };
}

/** The element of an XML answer at this path; lists by their name. */
export function valueAt({ body }: S3Response, ...path: readonly string[]): XmlValue {
  if (body === undefined || isByteSource(body)) return undefined;
  return path.reduce<XmlValue>(
    (value, name) =>
      typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, XmlValue>)[name] : undefined,
    body.value,
  );
}

export function listAt(response: S3Response, name: string): readonly Readonly<Record<string, XmlValue>>[] {
  const value = valueAt(response, name);
  if (value instanceof XmlTexts) {
    // A piece holds one element or several.
    const elements = [...value.items()].join('').match(new RegExp(`<${name}>.*?</${name}>`, 'gs')) ?? [];
    return elements.map(leavesOf);
  }
  return Array.isArray(value) ? (value as Readonly<Record<string, XmlValue>>[]) : [];
}

/** The elements without others in them of an element that is written already. */
function leavesOf(text: string): Readonly<Record<string, string>> {
  const leaves = [...text.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  return Object.fromEntries(leaves.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]));
}

/** @throws what reading the body ends with */
export async function textOf({ body }: S3Response): Promise<string> {
  if (body === undefined || !isByteSource(body)) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of body.stream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
