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
  const lines: { readonly rank: string; readonly text: string }[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (name.startsWith('x-ms-')) lines.push({ rank: rankOf(name), text: `${name}:${headers[i + 1] ?? ''}\n` });
  }
  lines.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return lines.map(({ text }) => text).join('');
}

/**
 * The service sorts by a culture's rules: an underscore comes before digits and letters, whereas its
 * code lies between them. Names hold no other character for which the two orders differ.
 */
function rankOf(name: string): string {
  return name.replaceAll('_', '.');
}

function canonicalResource(resource: string, query: AzureRequest['query']): string {
  if (query === undefined) return resource;
  let text = resource;
  for (const [name, value] of query) text += `\n${name.toLowerCase()}:${value}`;
  return text;
}
