import type { HmacKey } from '../../src/streams/hmac-key.ts';
import type { AzureRequest } from './request.ts';

/**
 * What the account key signs
 * (https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key).
 *
 * Built for the few standard headers the adapter ever sends; of `headers` the `x-ms-*` are signed
 * by name; `resource` is the account and the encoded path.
 */
export function sharedKeyText(
  request: AzureRequest,
  headers: readonly string[],
  resource: string,
  size: number,
): string {
  const { contentMd5 = '', contentType = '', ifMatch = '', ifNoneMatch = '', ifUnmodifiedSince = '' } = request;
  const length = size === 0 ? '' : String(size);
  const standard = `${request.method}\n\n\n${length}\n${contentMd5}\n${contentType}\n\n\n${ifMatch}\n${ifNoneMatch}\n${ifUnmodifiedSince}\n\n`;
  return standard + canonicalHeaders(headers) + canonicalResource(resource, request.query);
}

/** Base64 HMAC-SHA256. */
export function signSharedKey(key: HmacKey, text: string): string {
  return key.ofUtf8(text, 'base64');
}

function canonicalHeaders(headers: readonly string[]): string {
  let text = '';
  let last = '';
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (!name.startsWith('x-ms-')) continue;
    // Those of most reads are in order.
    if (name <= last || name.includes('_')) return sortedHeaders(headers);
    text += `${name}:${headers[i + 1] ?? ''}\n`;
    last = name;
  }
  return text;
}

function sortedHeaders(headers: readonly string[]): string {
  const sorted: string[] = [];
  const ranks: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (name.startsWith('x-ms-')) insert(sorted, ranks, name, headers[i + 1] ?? '');
  }
  return sorted.join('');
}

/** Insertion from the end: callers name their headers almost in order, so this is nearly linear. */
function insert(sorted: string[], ranks: string[], name: string, value: string): void {
  const rank = rankOf(name);
  let at = ranks.length;
  for (; at > 0 && (ranks[at - 1] ?? '') > rank; at -= 1) {
    ranks[at] = ranks[at - 1] ?? '';
    sorted[at] = sorted[at - 1] ?? '';
  }
  ranks[at] = rank;
  sorted[at] = `${name}:${value}\n`;
}

/**
 * The service sorts by a culture's rules: an underscore comes before digits and letters, whereas its
 * code lies between them. Names hold no other character for which the two orders differ.
 */
function rankOf(name: string): string {
  return name.includes('_') ? name.replaceAll('_', '.') : name;
}

function canonicalResource(resource: string, query: AzureRequest['query']): string {
  if (query === undefined) return resource;
  let text = resource;
  for (const [name, value] of query) text += `\n${name.toLowerCase()}:${value}`;
  return text;
}
