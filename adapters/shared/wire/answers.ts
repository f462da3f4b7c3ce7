import { headerText, type Transport, type WireHeaders, type WireResponse } from './transport.ts';
import { BufferPool } from '../../../src/streams/buffer-pool.ts';
import type { Call } from '../../../src/observe/call.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { ClockReading } from '../../../src/store/survey.ts';
import { wireFailureError } from './wire-failure.ts';

/** Answers that are read into memory stay below this: a page of 5,000 entries with metadata is about 50 MB at worst. */
const MAX_DOCUMENT = 64 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;

export function asItIs(response: WireResponse): WireResponse {
  return response;
}

export function headersAlone({ headers, body }: WireResponse): WireHeaders {
  body.discard();
  return headers;
}

/** To be given back (`documentBuffers`) when they were read. @param within milliseconds for the document */
export function bytesOf({ body }: WireResponse, within: number): Promise<Uint8Array> {
  return body.bytes(MAX_DOCUMENT, within);
}

/** @param within milliseconds for the document */
export async function textOf(response: WireResponse, within: number): Promise<string> {
  const bytes = await bytesOf(response, within);
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  } finally {
    documentBuffers.giveBack(bytes);
  }
}

export async function jsonOf<T extends object>(response: WireResponse, within: number): Promise<Partial<T>> {
  const value: unknown = JSON.parse(await textOf(response, within));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('answer is no JSON object');
  return value;
}

/** Text of an error page. Undefined when the page breaks off; then its status alone decides. */
export async function errorText({ body }: WireResponse, within: number): Promise<string | undefined> {
  try {
    return Buffer.from(await body.bytes(MAX_ERROR, within)).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Buffers for the documents of backends. A page of a thousand blobs has 850 KB, or more with long names and records.
 */
export const documentBuffers = new BufferPool(1024 * 1024, 4);

const WITHIN_MS = 10_000;

/** The `Date` of whatever answer the service gives to a request without a credential. @throws StoreError */
export async function clockOfService(transport: Transport, path: string, call: Call): Promise<ClockReading> {
  const request = { call: 'readClock', method: 'GET', effect: 'read' } as const;
  const sent = Date.now();
  const { headers, body, status } = await transport
    .send({ method: 'GET', path, headers: [], responseTimeout: WITHIN_MS }, call.signal)
    .catch((error: unknown) => {
      throw wireFailureError(request, error);
    });
  const received = Date.now();
  body.discard();
  const service = Date.parse(headerText(headers, 'date') ?? '');
  if (Number.isNaN(service)) {
    throw new StoreError('unexpected', { call: request.call, status, code: 'answer without a Date' });
  }
  return { sent, received, service };
}
