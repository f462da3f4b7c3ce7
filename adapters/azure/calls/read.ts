import type { BlobProperties, BlobRef, ByteRange, ReadRequest, ReadResult } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { patientRead } from '../../shared/wire/patient-body.ts';
import type { AzureClient } from '../client.ts';
import { blobPath } from '../endpoint.ts';
import { keyHeaders, propertiesOf } from '../headers.ts';
import { headerText, type WireHeaders, type WireResponse } from '../../shared/wire/transport.ts';

/** Get Blob Properties. */
export async function head(client: AzureClient, ref: BlobRef, call: Call): Promise<BlobProperties> {
  const path = blobPath(client.endpoint, ref);
  const headers = await client.rest.sendForHeaders({ call: 'head', method: 'HEAD', path, effect: 'read' }, call);
  return wholeProperties(headers);
}

/** Get Blob; more of them while the client is slow. */
export function read(client: AzureClient, ref: BlobRef, request: ReadRequest, call: Call): Promise<ReadResult> {
  const reader = {
    read: (again: ReadRequest, isPiece: boolean) => readOnce(client, ref, { ...again, isPiece }, call),
    head: () => head(client, ref, call),
  };
  return patientRead(reader, request);
}

async function readOnce(
  client: AzureClient,
  ref: BlobRef,
  request: ReadRequest & { readonly isPiece: boolean },
  call: Call,
): Promise<Pick<WireResponse, 'body'> & Pick<ReadResult, 'properties'>> {
  const { range } = request;
  const response = await client.rest.send(
    {
      call: 'read',
      method: 'GET',
      path: blobPath(client.endpoint, ref),
      ...readHeaders(request),
      ifMatch: request.revision,
      effect: 'read',
      isPiece: request.isPiece,
    },
    call,
  );
  try {
    return {
      properties: range === undefined ? wholeProperties(response.headers) : rangedProperties(response, range),
      body: response.body,
    };
  } catch (error) {
    response.body.discard();
    throw error;
  }
}

/** The `x-ms-*` headers of a read. Most reads need none, and get no list. */
function readHeaders({ range, key }: ReadRequest): { ms?: readonly string[] } {
  if (range === undefined && key === undefined) return {};
  return { ms: [...keyHeaders(key), ...(range === undefined ? [] : ['x-ms-range', rangeHeader(range)])] };
}

function rangeHeader(range: ByteRange): string {
  return `bytes=${range.first}-${range.last ?? ''}`;
}

function wholeProperties(headers: WireHeaders): BlobProperties {
  return propertiesOf(headers, {
    size: Number(headerText(headers, 'content-length') ?? 0),
    md5: headerText(headers, 'content-md5'),
  });
}

const CONTENT_RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;

/**
 * The emulator answers 206 with an impossible `Content-Range` (`bytes 1000-999/1000`) where the
 * service says 416: a range that starts at the end, or any range of an empty blob.
 */
function rangedProperties(response: WireResponse, range: ByteRange): BlobProperties {
  const { headers } = response;
  const found = CONTENT_RANGE.exec(headerText(headers, 'content-range') ?? '');
  if (response.status !== 206) {
    const whole = wholeProperties(headers);
    if (range.first === 0 && (range.last ?? Infinity) >= whole.size - 1 && whole.size > 0) return whole;
    throw whole.size <= range.first
      ? outOfRange()
      : new StoreError('unexpected', { call: 'read', status: response.status });
  }
  if (found === null) throw outOfRange();
  const [, first, last, size] = found.map(Number);
  if (first === undefined || last === undefined || size === undefined || last < first || first >= size) {
    throw outOfRange();
  }
  if (first !== range.first || last !== Math.min(range.last ?? Infinity, size - 1)) {
    const cause = new Error('the answer is not the bytes that were asked for');
    throw new StoreError('unexpected', { call: 'read', status: 206, cause });
  }
  return propertiesOf(headers, { size, md5: headerText(headers, 'x-ms-blob-content-md5') });
}

function outOfRange(): StoreError {
  return new StoreError('rangeNotSatisfiable', { call: 'read' });
}
